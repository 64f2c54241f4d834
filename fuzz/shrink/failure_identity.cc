// SPDX-License-Identifier: Apache-2.0
#include "fuzz/shrink/failure_identity.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/loop_permutations.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"

namespace hlocts::fuzz {

absl::string_view ReasonText(Difference difference) {
  switch (difference) {
    case Difference::kSame:
      return "the same failure";
    case Difference::kBudgetExhausted:
      return "no time or no evaluations were left";
    case Difference::kValidity:
      return "valid where the first was not, or invalid where it was";
    case Difference::kRule:
      return "another rule is broken";
    case Difference::kOperation:
      return "no operation is left that may be responsible";
    case Difference::kPermutation:
      return "the permuting loop is missing";
    case Difference::kRepeated:
      return "tried before";
    case Difference::kSteps:
      return "it might not terminate";
    case Difference::kSignature:
      return "no failure, or one that looks different";
    case Difference::kUndefined:
      return "the reference cannot evaluate it, and could evaluate the first";
    case Difference::kSize:
      return "the error became slight instead of large, or vice versa";
    case Difference::kWrongInput:
      return "its data are returned wrongly";
    case Difference::kNoPermutation:
      return "it also fails without its permutations";
    case Difference::kBlame:
      return "another operation is responsible";
  }
  return "";
}

FailureIdentity::FailureIdentity(const TrialResult& first, const Module& module, std::string rule,
                                 bool invalid)
    : wanted_(FailureSignatureOf(first.verdict)),
      operations_(HasMessage(wanted_) ? std::set<std::string>()
                                      : BlamableOpcodes(first.verdict, module)),
      rule_(std::move(rule)),
      invalid_(invalid),
      moves_(OnlyMoves({operations_.begin(), operations_.end()})),
      orders_(OnlyOrders({operations_.begin(), operations_.end()})),
      coarse_(LacksSpecials(first.verdict, module)) {}

// A candidate without the blamed operation would fail for another reason.
Difference FailureIdentity::OfModule(const Module& candidate) const {
  const absl::Status verified = VerifyModule(candidate);
  if (verified.ok() == invalid_) return Difference::kValidity;
  if (RuleOf(verified) != rule_) return Difference::kRule;
  bool has_operation = operations_.empty();
  for (const auto& computation : candidate.computations()) {
    for (const auto& instruction : computation->instructions()) {
      has_operation =
          has_operation || operations_.count(std::string(OpcodeName(instruction->opcode()))) > 0;
    }
  }
  if (!has_operation) return Difference::kOperation;
  return permutes_ && !AnyPermutations(candidate) ? Difference::kPermutation : Difference::kSame;
}

Difference FailureIdentity::OfResult(const TrialResult& result) const {
  if (!Looks(FailureSignatureOf(result.verdict))) return Difference::kSignature;
  // An error that is slight in precise types is large in coarse ones.
  const bool size_matters = settled_ || (small_error_.has_value() && !coarse_);
  return size_matters && result.slight != small_error_ ? Difference::kSize : Difference::kSame;
}

Difference FailureIdentity::OfBlame(const std::string& opcode) const {
  return operations_.count(opcode) > 0 ? Difference::kSame : Difference::kBlame;
}

void FailureIdentity::Settle(const TrialResult& result, bool permutes, bool carried) {
  wanted_ = FailureSignatureOf(result.verdict);
  small_error_ = result.slight;
  settled_ = true;
  permutes_ = permutes;
  inputs_were_correct_ = carried;
}

// Compares failures. Before the data are settled, a NaN may become another wrong element.
bool FailureIdentity::Looks(const FailureSignature& signature) const {
  if (orders_ || (!settled_ && (moves_ || coarse_)))
    return SameFailureIgnoringNan(signature, wanted_);
  return moves_ ? SameFailureOfMove(signature, wanted_) : SameFailure(signature, wanted_);
}

std::vector<std::string> FailureIdentity::Lines() const {
  std::vector<std::string> lines = {
      absl::StrCat("it looks like: ", OutcomeName(wanted_.kind),
                   wanted_.mismatch.empty() ? "" : absl::StrCat(" (", wanted_.mismatch, ")"))};
  if (!rule_.empty()) lines.push_back(absl::StrCat("the rule that is broken: ", rule_));
  if (!operations_.empty())
    lines.push_back(absl::StrCat("responsible: ", absl::StrJoin(operations_, ", ")));
  if (moves_) lines.push_back("the responsible operation only moves elements");
  if (orders_) lines.push_back("the responsible operation sorts elements");
  if (coarse_) lines.push_back("its type has no NaN or no infinity");
  if (small_error_.has_value())
    lines.push_back(*small_error_ ? "the error is slight" : "the error is large");
  if (permutes_) lines.push_back("it fails only with its permutations");
  if (inputs_were_correct_)
    lines.push_back("the engine returns its constants and arguments unchanged");
  if (must_be_defined()) lines.push_back("the reference can evaluate it");
  return lines;
}

}  // namespace hlocts::fuzz
