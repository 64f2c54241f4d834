// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on elements that are one of a few sets (RULES 31): the operation on each
// of them, as long as they stay few.
#include "reference/judge/elementwise/element_op.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

int64_t ElementOf(const SetArray& operand, int64_t i) {
  return operand.shape().rank() == 0 ? 0 : i;
}

SetArray OneElement(const SetArray& like, const AcceptanceSet& set) {
  return SetArray(Shape(like.element_type(), {1}), std::vector<AcceptanceSet>{set});
}

// The results for each combination of what the operands may be; nullopt: too many.
std::optional<std::vector<AcceptanceSet>> Combinations(const ElementOp& op,
                                                       absl::Span<const SetArray* const> operands,
                                                       int64_t i) {
  std::vector<std::vector<SetArray>> all = {{}};
  for (const SetArray* operand : operands) {
    std::vector<std::vector<SetArray>> longer;
    for (const AcceptanceSet& choice : ChoicesAt(*operand, ElementOf(*operand, i))) {
      for (const auto& prefix : all) {
        longer.push_back(prefix);
        longer.back().push_back(OneElement(*operand, choice));
      }
    }
    if (longer.size() > Choices::kMax) return std::nullopt;
    all = std::move(longer);
  }
  std::vector<AcceptanceSet> results;
  for (const std::vector<SetArray>& one : all) {
    std::vector<const SetArray*> arrays;
    for (const SetArray& array : one) arrays.push_back(&array);
    results.push_back(RealElement(op, arrays, 0));
    if (!results.back().integer()) DropUnusedHull(results.back(), op.hull);
  }
  return results;
}

AcceptanceSet Joined(const std::vector<AcceptanceSet>& sets, const AcceptanceSet& like) {
  AcceptanceSet joined = sets[0];
  for (size_t k = 1; k < sets.size(); ++k) joined = Join(joined, sets[k]);
  if (!joined.IsPoint() && joined.cause == WideningCause::kPoint) {
    joined.cause = like.cause == WideningCause::kPoint ? WideningCause::kJump : like.cause;
    joined.origin = like.origin;
  }
  return joined;
}

}  // namespace

std::vector<AcceptanceSet> EitherArm(const SetArray& on_true, const SetArray& on_false,
                                     int64_t at) {
  Choices choices;
  bool few = choices.AddAll(ChoicesAt(on_true, at)) && choices.AddAll(ChoicesAt(on_false, at));
  return few ? choices.sets() : std::vector<AcceptanceSet>();
}

bool AnyChoices(absl::Span<const SetArray* const> operands) {
  for (const SetArray* operand : operands) {
    if (operand->choices != nullptr) return true;
  }
  return false;
}

void MapChoices(const ElementOp& op, absl::Span<const SetArray* const> operands, SetArray& result) {
  if (IsComplex(op.operand_type) || IsComplex(op.result_type) || result.exact()) return;
  ChoiceMap mapped;
  std::vector<std::pair<int64_t, AcceptanceSet>> joins;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    bool any = false;
    for (const SetArray* operand : operands) {
      any = any || (operand->choices != nullptr &&
                    operand->choices->Find(ElementOf(*operand, i)) != nullptr);
    }
    if (!any) continue;
    std::optional<std::vector<AcceptanceSet>> results = Combinations(op, operands, i);
    if (!results.has_value()) continue;
    joins.emplace_back(i, Joined(*results, result.At(i)));
    Choices choices;
    if (choices.AddAll(*results) && choices.sets().size() > 1) mapped.Put(i, choices.sets());
  }
  if (joins.empty()) return;
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  for (const auto& [i, set] : joins) sets[i] = set;
  GiveChoices(std::move(mapped), result);
}

}  // namespace hlocts::reference
