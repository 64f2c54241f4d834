// SPDX-License-Identifier: Apache-2.0
// Decides whether a candidate's failure is the one that is being shrunk, and why not. All that
// shrinking learns about the failure is kept here; the shrinker only queries it.
#ifndef HLOCTS_FUZZ_SHRINK_FAILURE_IDENTITY_H_
#define HLOCTS_FUZZ_SHRINK_FAILURE_IDENTITY_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

// Why a candidate is not the same failure; kSame: it is.
enum class Difference : uint8_t {
  kSame,
  kSpent,          // no time or evaluations left
  kValidity,       // it is invalid where the first was valid, or the other way round
  kRule,           // it breaks another rule
  kOperation,      // none of the operations that may be to blame is left
  kPermutation,    // the permuting loop is gone
  kRepeated,       // it was asked before
  kSteps,          // it might never end
  kSignature,      // it does not fail, or looks different
  kUndefined,      // the reference cannot evaluate it, but could the first
  kSize,           // a slight error has become a large one, or the other way round
  kCarrier,        // the engine carries its data wrongly, but did not before
  kNoPermutation,  // it fails without permutations as well
  kBlame,          // another operation is to blame
};
// For the reader: "another operation is to blame".
absl::string_view ReasonText(Difference difference);

class FailureIdentity {
 public:
  // `rule`: the rule that an invalid module breaks; empty for a valid one.
  FailureIdentity(const TrialResult& first, const Module& module, std::string rule, bool invalid);

  // The difference that is known without running the candidate.
  Difference OfModule(const Module& candidate) const;
  // The difference that its result shows.
  Difference OfResult(const TrialResult& result) const;
  // The difference by the blamed instruction.
  Difference OfBlame(const std::string& opcode) const;

  // From now on a large error stays large, and a slight one slight.
  void HoldSize(bool slight) { slight_ = slight; }
  // From now on candidates must be wrong as this one is, in its data, too. `permutes`: it fails for
  // its permutations; `carried`: the engine carries its data rightly.
  void Settle(const TrialResult& result, bool permutes, bool carried);
  // The reference could evaluate the first module.
  void HoldDefined(bool defined) { defined_ = defined; }

  bool settled() const { return settled_; }
  bool knows_operations() const { return !operations_.empty(); }
  // Asked of settled ones, since each takes evaluations.
  bool permutes() const { return permutes_; }
  bool carried() const { return carried_; }
  // Returns true if a module that the reference cannot evaluate is another failure. An engine's
  // result for a size beyond its bound means nothing; a wrong value was judged.
  bool must_be_defined() const { return defined_ && wanted_.kind != Outcome::kFail; }
  bool Looks(const FailureSignature& signature) const;

  // The conditions that candidates are held to, one a line.
  std::vector<std::string> Lines() const;

 private:
  FailureSignature wanted_;
  std::set<std::string> operations_;  // one of them is to blame; empty: unknown
  std::string rule_;
  bool invalid_;
  // The blamed operation only moves elements; orders them; its type lacks NaN or infinity.
  bool moves_, orders_, coarse_;
  // Known once the instruction at fault is: a large error is then another fault's, and so is an
  // element from elsewhere instead of none, or data that the engine carries wrongly.
  bool settled_ = false, permutes_ = false, carried_ = false, defined_ = false;
  std::optional<bool> slight_;
};

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_SHRINK_FAILURE_IDENTITY_H_
