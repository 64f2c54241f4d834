// SPDX-License-Identifier: Apache-2.0
// Finds the smallest module with the same failure. Every candidate is verified by spec/infer and
// run on the engine. A candidate replaces the module if it has the same signature and contains the
// blamed operation. The order of candidates depends only on the module.
//
// A new pass consists of a function in a shrink_*.cc, a line of PassesWith, and a seeded fault in
// shrink_faults_test.cc. A pass must not depend on the engine.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/infer_again.h"
#include "fuzz/triage/retype.h"
#include "fuzz/triage/simplifications.h"
#include "fuzz/triage/trial.h"
#include "spec/ir/module.h"

namespace hlocts::fuzz {

// FailureIdentity decides whether a candidate has the same failure as the module that is shrunk,
// and if not, what differs. It stores what the shrinker learns about the failure.

// The reason why the failure of a candidate is a different one; kSame if it is the same failure.
enum class Difference : uint8_t {
  kSame,
  kBudgetExhausted,  // no time or evaluations are left
  kValidity,         // only one of the two modules is valid
  kRule,             // the candidate breaks another rule
  kOperation,        // no operation is left that may be to blame
  kPermutation,      // the candidate lacks the loop that permutes its state
  kRepeated,         // the candidate was tried before
  kSteps,            // the candidate might not terminate
  kSignature,        // the candidate does not fail, or fails in another way
  kUndefined,        // the reference could evaluate the first module, but not the candidate
  kSize,             // the error of only one of the two is slight
  kWrongInput,       // a constant or argument is wrong, but was not before
  kNoPermutation,    // the candidate fails without the permutation, too
  kBlame,            // another operation is to blame
  kFact,             // only the candidate needs a fact of the engine to fail
  kType,             // only one of the two is a failure of integers
};
// Returns the difference as text for people, such as "another operation is responsible".
absl::string_view ReasonText(Difference difference);

class FailureIdentity {
 public:
  // `rule` is the rule that an invalid module breaks, or "" for a valid module.
  FailureIdentity(const TrialResult& first, const Module& module, std::string rule, bool invalid);

  // Returns the difference that is visible before the candidate runs.
  Difference OfModule(const Module& candidate) const;
  // Returns the difference that the candidate's result shows.
  Difference OfResult(const TrialResult& result) const;
  // Returns kBlame if the failure is blamed on a different opcode.
  Difference OfBlame(const std::string& opcode) const;

  // From now on, a slight error must stay slight, and a large one large.
  void RequireErrorMagnitude(bool slight) { small_error_ = slight; }
  // From now on, candidates must fail in the same way as `result`, also in their wrong values.
  // `permutes`: the failure needs a loop that permutes its state. `carried`: arguments and
  // constants are correct.
  void Settle(const TrialResult& result, bool permutes, bool carried);
  // `defined`: the reference could evaluate the first module.
  void RequireDefined(bool defined) { defined_ = defined; }

  bool settled() const { return settled_; }
  bool knows_operations() const { return !operations_.empty(); }
  // False before Settle, because checks of these conditions take evaluations.
  bool permutes() const { return permutes_; }
  bool carried() const { return inputs_were_correct_; }
  // Returns true if the reference must be able to evaluate candidates: an engine's behaviour on
  // undefined modules proves nothing. Wrong values need no such check, because the reference found
  // them.
  bool must_be_defined() const { return defined_ && wanted_.kind != Outcome::kFail; }
  bool Looks(const FailureSignature& signature) const;

  // Returns the conditions on candidates, one per line.
  std::vector<std::string> Lines() const;

 private:
  FailureSignature wanted_;
  std::set<std::string> operations_;  // one of them is to blame; empty: unknown
  std::string rule_;
  bool invalid_;
  // The blamed operation only moves elements; only orders them; has a type without NaN or infinity.
  bool moves_, orders_, coarse_;
  bool by_documents_;  // the first module also fails without the engine's facts
  // The element type of the operands of the wrong instruction; "" without a wrong value. Integers
  // and floating-point numbers follow different rules, except where elements are only moved.
  std::string type_;
  // `settled_`: the instruction at fault is known. From then on, another size of the error, another
  // wrong element of a move, or wrong constants and arguments indicate another defect.
  bool settled_ = false, permutes_ = false, inputs_were_correct_ = false, defined_ = false;
  std::optional<bool> small_error_;
};

struct ShrinkOptions {
  TrialOptions trial;
  int evaluations_max = 1500;
  double seconds_max = 120;  // the only limit that depends on the machine
  std::function<bool()> stop = [] { return false; };
  // Called for every candidate. If `result` is not null, it has the same failure and should be
  // stored.
  std::function<void(const Sample& candidate, int evaluations, const TrialResult* result)>
      progress = [](const auto&...) {};
  // Called for every candidate with the difference between its failure and the first one.
  std::function<void(Difference)> compared = [](Difference) {};
};

struct ShrinkResult {
  Sample sample;
  TrialResult result;     // of the smallest module, with blame
  std::string signature;  // of the smallest module
  int evaluations = 0;
  bool reproduced = false;            // false: the failure did not recur
  std::vector<std::string> identity;  // the conditions on candidates, as text
};

// Shrinks a sample. `values` is the reference, whose intermediate values can replace operands.
ShrinkResult Shrink(const Sample& sample, backends::Backend& engine, backends::Backend& values,
                    const ShrinkOptions& options);

// Returns true if the candidate is valid and fails in the same way.
using StillFails = std::function<bool(const Sample& candidate)>;

// Replaces the sample by the candidate if it still fails.
bool KeepIfFails(Sample& sample, Sample candidate, const StillFails& still_fails);

// A pass tries one kind of change on `sample`, keeps the changes that `still_fails` confirms, and
// returns true if it kept any.
struct ShrinkPass {
  const char* name;
  bool of_invalid;  // true: also runs on invalid modules, which cannot be evaluated
  std::function<bool(Sample& sample, const StillFails& still_fails)> run;
};
bool ReturnUnused(Sample& sample, const StillFails& still_fails);
bool KeepOneOutput(Sample& sample, const StillFails& still_fails);
// Makes a callee of an invalid module the entry if it breaks the same rule in isolation.
bool PromoteCalledToEntry(Sample& sample, const StillFails& still_fails);
bool InlineRegions(Sample& sample, const StillFails& still_fails);
// Replaces the first `most` calls of the entry by their callees, even if the failure disappears.
void InlineCalls(Sample& sample, int64_t most);
bool ReplaceComputations(Sample& sample, const StillFails& still_fails);
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
// Numbers the elements of the arguments, for a failure that does not depend on them: with equal
// elements, a release that returns wrong values could seem correct. Begins with 2, because passes
// number elements from 1, and no candidate is tried twice.
void MakeArgumentsDistinct(Sample& sample, const StillFails& still_fails);
bool CutAtParameters(Sample& sample, const StillFails& still_fails, backends::Backend& values,
                     const backends::LoadOptions& limits = {});

}  // namespace hlocts::fuzz
