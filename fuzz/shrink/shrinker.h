// SPDX-License-Identifier: Apache-2.0
// Finds the smallest module with the same failure. Every candidate is verified by spec/infer and
// run on the engine, and replaces the module if its signature is the same and it contains the
// blamed operation. The order of candidates depends only on the module.
//
// To add a pass, write a function in a shrink_*.cc, a line of PassesWith and a seeded fault in
// shrink_faults_test.cc. A pass does not depend on an engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuzz/shrink/failure_identity.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/infer_again.h"
#include "fuzz/triage/retype.h"
#include "fuzz/triage/simple_attributes.h"
#include "fuzz/triage/trial.h"
#include "spec/ir/module.h"

namespace hlocts::fuzz {

struct ShrinkOptions {
  TrialOptions trial;
  int evaluations_max = 1500;
  double seconds_max = 120;  // the only limit that depends on the machine
  std::function<bool()> stop = [] { return false; };
  // Called for every candidate; `fails` is true if it has the same failure. Such a candidate is
  // worth storing.
  std::function<void(const Sample& candidate, int evaluations, bool fails)> progress =
      [](const auto&...) {};
  // Called for every candidate with the difference of its failure.
  std::function<void(Difference)> compared = [](Difference) {};
};

struct ShrinkResult {
  Sample sample;
  TrialResult result;     // of the smallest module, with blame
  std::string signature;  // of the smallest module
  int evaluations = 0;
  bool reproduced = false;            // false: the failure did not occur again
  std::vector<std::string> identity;  // the conditions on candidates, as text
};

// Shrinks a sample. `values` is the reference, whose intermediate values replace operands.
ShrinkResult Shrink(const Sample& sample, backends::Backend& engine, backends::Backend& values,
                    const ShrinkOptions& options);

// Returns true if the candidate is valid and fails in the same way.
using StillFails = std::function<bool(const Sample& candidate)>;

// Replaces the sample by the candidate if it still fails.
bool KeepIfFails(Sample& sample, Sample candidate, const StillFails& still_fails);

// A pass tries one kind of change on `sample`, keeps those that `still_fails` confirms, and returns
// true if it kept any.
struct ShrinkPass {
  const char* name;
  bool of_invalid;  // also for invalid modules, which cannot be evaluated
  std::function<bool(Sample& sample, const StillFails& still_fails)> run;
};
bool ReturnUnused(Sample& sample, const StillFails& still_fails);
bool KeepOneOutput(Sample& sample, const StillFails& still_fails);
// Makes a called computation of an invalid module the entry if it breaks the same rule by itself.
bool PromoteCalledToEntry(Sample& sample, const StillFails& still_fails);
bool InlineRegions(Sample& sample, const StillFails& still_fails);
bool ExchangeOperands(Sample& sample, const StillFails& still_fails);
bool DropInstructions(Sample& sample, const StillFails& still_fails);
bool ShrinkDimensions(Sample& sample, const StillFails& still_fails);
bool ShrinkTogether(Sample& sample, const StillFails& still_fails);
bool OneLongDimension(Sample& sample, const StillFails& still_fails);
bool ShrinkRank(Sample& sample, const StillFails& still_fails);
bool ShrinkSizesAsWritten(Sample& sample, const StillFails& still_fails);
bool ShrinkNumbers(Sample& sample, const StillFails& still_fails);
bool SimplifyIndices(Sample& sample, const StillFails& still_fails);
bool IotaInsteadOfConstants(Sample& sample, const StillFails& still_fails);
bool RepeatOneElement(Sample& sample, const StillFails& still_fails);
bool ConstantsInRegions(Sample& sample, const StillFails& still_fails);
bool WholeInsteadOfConcatenate(Sample& sample, const StillFails& still_fails);
bool SimplerTypes(Sample& sample, const StillFails& still_fails);
bool DefaultLayouts(Sample& sample, const StillFails& still_fails);
bool DefaultAttributes(Sample& sample, const StillFails& still_fails);
// Returns the literal with elements from `begin` to `end` replaced by `value`.
Literal WithElements(const Literal& literal, int64_t begin, int64_t end, double value);
bool SimplifyLiterals(Sample& sample, const StillFails& still_fails);
bool CutAtParameters(Sample& sample, const StillFails& still_fails, backends::Backend& values);

}  // namespace hlocts::fuzz
