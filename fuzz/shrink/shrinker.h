// SPDX-License-Identifier: Apache-2.0
// The smallest module with the same failure. Every candidate is valid (spec/infer says so) and is
// run on the engine; it is taken when its signature is the same and the blamed operation is still
// in it. Deterministic: the order of candidates depends on the module alone.
//
// New pass: a function in a shrink_*.cc, a line of Shrink and a planted fault in
// shrink_faults_test.cc. Each candidate is verified; no pass depends on an engine.
#ifndef HLOCTS_FUZZ_SHRINK_SHRINKER_H_
#define HLOCTS_FUZZ_SHRINK_SHRINKER_H_

#include <functional>
#include <string>
#include <vector>

#include "fuzz/shrink/failure_identity.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/infer_again.h"
#include "fuzz/triage/plain_attributes.h"
#include "fuzz/triage/retype.h"
#include "fuzz/triage/trial.h"
#include "spec/ir/module.h"

namespace hlocts::fuzz {

struct ShrinkOptions {
  TrialOptions trial;
  int evaluations_max = 1500;
  double seconds_max = 120;  // the only thing here that depends on the machine
  std::function<bool()> stop = [] { return false; };
  // Called with every candidate, and whether it fails alike: one that does should be kept in any
  // case.
  std::function<void(const Sample& candidate, int evaluations, bool fails)> progress =
      [](const auto&...) {};
  // Told of every candidate in which respect its failure is another.
  std::function<void(Difference)> compared = [](Difference) {};
};

struct ShrinkResult {
  Sample sample;
  TrialResult result;     // of the smallest module, blamed
  std::string signature;  // of it
  int evaluations = 0;
  bool reproduced = false;            // false: the failure was not there the second time
  std::vector<std::string> identity;  // the conditions on candidates, for the reader
};

// `values` computes intermediate values (the reference): with them operands become parameters.
ShrinkResult Shrink(const Sample& sample, backends::Backend& engine, backends::Backend& values,
                    const ShrinkOptions& options);

// One question: does this candidate fail in the same way? Candidates that are not valid do not.
using StillFails = std::function<bool(const Sample& candidate)>;

// The candidate in the sample's place, if it still fails.
bool KeepIfFails(Sample& sample, Sample candidate, const StillFails& still_fails);

// Each pass tries its kind of change on `sample`, keeps those that `still_fails` confirms, and
// returns whether any was kept.
struct ShrinkPass {
  const char* name;
  bool of_invalid;  // also for modules that break a rule, which cannot be evaluated
  std::function<bool(Sample& sample, const StillFails& still_fails)> run;
};
bool ReturnUnused(Sample& sample, const StillFails& still_fails);
bool KeepOneOutput(Sample& sample, const StillFails& still_fails);
// Makes a called computation that breaks the module's rule too the entry.
bool EnterCalled(Sample& sample, const StillFails& still_fails);
bool PeelRegions(Sample& sample, const StillFails& still_fails);
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
// Elements from `begin` to `end` become `value`.
Literal WithElements(const Literal& literal, int64_t begin, int64_t end, double value);
bool SimplifyLiterals(Sample& sample, const StillFails& still_fails);
bool CutAtParameters(Sample& sample, const StillFails& still_fails, backends::Backend& values);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_SHRINK_SHRINKER_H_
