// SPDX-License-Identifier: Apache-2.0
// Decides whether a candidate has the same failure as the module that is shrunk, and if not, why.
// Stores all that the shrinker learns about the failure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

// The reason why a candidate's failure is a different one; kSame if it is the same.
enum class Difference : uint8_t {
  kSame,
  kBudgetExhausted,  // no time or evaluations are left
  kValidity,         // only one of the two modules is valid
  kRule,             // it breaks another rule
  kOperation,        // no operation is left that may be to blame
  kPermutation,      // it lacks the loop that permutes its state
  kRepeated,         // it was tried before
  kSteps,            // it might not terminate
  kSignature,        // it does not fail, or fails in another way
  kUndefined,        // the reference could evaluate only the first module
  kSize,             // only one of the two errors is slight
  kWrongInput,       // a constant or argument is wrong, but was not before
  kNoPermutation,    // it fails without the permutation, too
  kBlame,            // another operation is to blame
};
// Returns a text for the reader, such as "another operation is responsible".
absl::string_view ReasonText(Difference difference);

class FailureIdentity {
 public:
  // `rule` is the rule that an invalid module breaks, or "" for a valid module.
  FailureIdentity(const TrialResult& first, const Module& module, std::string rule, bool invalid);

  // Returns the difference that is visible without running the candidate.
  Difference OfModule(const Module& candidate) const;
  // Returns the difference that the candidate's result shows.
  Difference OfResult(const TrialResult& result) const;
  // Returns kBlame if the failure is blamed on a different opcode.
  Difference OfBlame(const std::string& opcode) const;

  // From now on, a slight error must stay slight, and a large one large.
  void RequireErrorMagnitude(bool slight) { small_error_ = slight; }
  // From now on, candidates must fail like `result`, also in their data. `permutes`: the failure
  // needs a loop that permutes its state. `carried`: constants and arguments are correct.
  void Settle(const TrialResult& result, bool permutes, bool carried);
  // `defined`: the reference could evaluate the first module.
  void RequireDefined(bool defined) { defined_ = defined; }

  bool settled() const { return settled_; }
  bool knows_operations() const { return !operations_.empty(); }
  // Used only after Settle, since each check takes evaluations.
  bool permutes() const { return permutes_; }
  bool carried() const { return inputs_were_correct_; }
  // Returns true if the reference must be able to evaluate candidates, since an engine's behaviour
  // on undefined modules means nothing. A wrong value already implies that it could.
  bool must_be_defined() const { return defined_ && wanted_.kind != Outcome::kFail; }
  bool Looks(const FailureSignature& signature) const;

  // Returns the conditions on candidates, one per line.
  std::vector<std::string> Lines() const;

 private:
  FailureSignature wanted_;
  std::set<std::string> operations_;  // one of them is to blame; empty: unknown
  std::string rule_;
  bool invalid_;
  // True if the blamed operation only moves elements, only orders them, or lacks NaN or infinity.
  bool moves_, orders_, coarse_;
  // Set when the instruction at fault is known. Then a different size of the error, another wrong
  // element of a move, or wrong constants and arguments indicate another fault.
  bool settled_ = false, permutes_ = false, inputs_were_correct_ = false, defined_ = false;
  std::optional<bool> small_error_;
};

}  // namespace hlocts::fuzz
