// SPDX-License-Identifier: Apache-2.0
// Explains to users which values an element may have and why.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/index_util.h"
#include "spec/judge/choices.h"
#include "spec/judge/element_text.h"
#include "spec/judge/joint.h"
#include "spec/judge/judge.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

// Returns true if a function's error bound widened the set, and its infinity is far from its
// numbers, so the bound is not the reason for it.
bool HasInfinityApart(const AcceptanceSet& s, const SetArray& set) {
  if (s.cause != WideningCause::kUlps || !s.finite()) return false;
  const double far = std::sqrt(FactsOf(ComponentType(set.element_type())).max);
  return (s.Has(AcceptanceSet::kPosInf) && s.hi < far) ||
         (s.Has(AcceptanceSet::kNegInf) && s.lo > -far);
}

}  // namespace

ElementExplanation ExplainElement(const ModuleAcceptance& accepted, int64_t output, int64_t index) {
  if (output < 0 || output >= static_cast<int64_t>(accepted.leaves.size()))
    return {absl::StrCat("no output ", output)};
  const LeafAcceptance& leaf = accepted.leaves[output];
  if (leaf.token) return {absl::StrCat("output ", output, " is a token: nothing is compared")};
  if (index < 0 || index >= leaf.set.element_count())
    return {absl::StrCat("output ", output, " has no element ", index)};
  const SetArray& set = leaf.set;
  ElementExplanation explained = {
      absl::StrCat("output ", output, " ", set.shape().ToString(false), " at [",
                   absl::StrJoin(MultiIndex(index, set.shape().dimensions()), ","), "]\n"),
      absl::StrCat("  accepted:    ", ElementSetText(set, index), "\n"), "", true};
  std::string& text = explained.sources;
  for (int c = 0; c < set.components(); ++c) {
    AcceptanceSet s = set.At(index, c);
    const Origin& from = accepted.OriginOf(s.origin != 0 ? s.origin : set.origin);
    explained.exact &= s.cause == WideningCause::kPoint;
    if (set.components() == 2)
      absl::StrAppend(&text, c == 0 ? "  real part\n" : "  imaginary part\n");
    absl::StrAppend(&text, "  widened by:  ", WideningCauseName(s.cause), "\n");
    if (s.cause != WideningCause::kJump &&
        (ChoicesAt(set, index * set.components() + c).size() > 1 || HasInfinityApart(s, set)))
      absl::StrAppend(&text, "  and by:      another step that may go either way: a comparison, ",
                      "order, flush or rounding\n");
    if (!from.instruction.empty()) {
      absl::StrAppend(&text, "  instruction: ", ShortName(from.instruction), " (", from.opcode,
                      ")\n", "  rule:        ", from.rule, "\n");
    }
    const bool by_instruction = s.cause == WideningCause::kSum || s.cause == WideningCause::kJoint;
    const int lemma = by_instruction ? from.lemma : LemmaOf(s.cause);
    if (lemma != 0) absl::StrAppend(&text, "  lemma:       ", lemma, " (spec/judge/RULES.md)\n");
    if (s.cause == WideningCause::kUlps)
      absl::StrAppend(&text,
                      "  bound:       not proved: a published or measured figure, or the module's ",
                      "result_accuracy (\"Figures that are published\" in spec/judge/RULES.md)\n");
  }
  if (set.joint != nullptr) {
    absl::StrAppend(&text, "  jointly:     ", set.joint->kind(), " (of all elements)\n");
  }
  return explained;
}

}  // namespace hlocts
