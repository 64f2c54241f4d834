// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/interpreter/remainder_sets.h"

#include <algorithm>
#include <cmath>

#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/module.h"
#include "spec/judge/choices.h"
#include "spec/judge/equal_operands.h"
#include "spec/judge/float_images.h"

namespace hlocts::reference {
namespace {

constexpr uint16_t kReadUnrounded = AcceptanceSet::kPreRounding | AcceptanceSet::kContractible;

// Returns true if `a` and `b` are one instruction, or the same element of one tuple.
bool IsOneValue(const Instruction& a, const Instruction& b) {
  return &a == &b ||
         (a.opcode() == Opcode::kGetTupleElement && b.opcode() == Opcode::kGetTupleElement &&
          &a.operand(0) == &b.operand(0) && a.IntOr(Attr::kIndex, 0) == b.IntOr(Attr::kIndex, 0));
}

// Returns true if `a` is c - x (`added`), or if `a` is x - c or x (not `added`), for some c.
bool IsRemainder(const Instruction& a, const Instruction& x, bool added) {
  if (!added && IsOneValue(a, x)) return true;
  return a.opcode() == Opcode::kSubtract && IsOneValue(a.operand(added ? 1 : 0), x);
}

// Returns true if x is the parameter of its computation or an element of that parameter.
bool IsOfState(const Instruction& x) {
  const Instruction* from = &x;
  while (from->opcode() == Opcode::kGetTupleElement) from = &from->operand(0);
  return from->IsParameter();
}

std::vector<const Computation*> BodiesOf(const Module& module) {
  std::vector<const Computation*> bodies;
  for (const auto& computation : module.computations()) {
    for (const auto& one : computation->instructions()) {
      if (one->opcode() == Opcode::kWhile) bodies.push_back(one->CalledComputation(Attr::kBody));
    }
  }
  return bodies;
}

bool Selects(Opcode opcode) {
  return ops::IsOneOf(opcode, {Opcode::kMinimum, Opcode::kMaximum, Opcode::kSelect});
}

// Returns true if every c - x is exact (Sterbenz's lemma) and no nonzero difference is subnormal.
bool IsExactDifference(const AcceptanceSet& c, const AcceptanceSet& x, const FloatFacts& facts) {
  const double sign = c.lo > 0 ? 1 : -1;
  const double least = std::min(sign * c.lo, sign * c.hi),
               most = std::max(sign * c.lo, sign * c.hi);
  return least >= std::ldexp(facts.min_normal, facts.p + 1) &&
         std::min(sign * x.lo, sign * x.hi) >= most / 2 &&
         std::max(sign * x.lo, sign * x.hi) <= 2 * least;
}

}  // namespace

RemainderSets::RemainderSets(const Module& module) {
  auto note = [&](const Instruction& sum, const Sum& parts) {
    sums_.emplace(&sum, parts);
    needed_.insert(parts.remainder);
    if (parts.chooser != nullptr) needed_.insert(parts.chooser);
  };
  auto look_at = [&](const Instruction& sum) {
    const bool added = sum.opcode() == Opcode::kAdd;
    for (int k = 0; k < (added ? 2 : 1); ++k) {
      const Instruction &x = sum.operand(k), &step = sum.operand(1 - k);
      if (!IsOfState(x)) continue;
      if (IsRemainder(step, x, added) && step.opcode() == Opcode::kSubtract)
        return note(sum, {&x, &step});
      if (!Selects(step.opcode())) continue;
      for (int arm = step.opcode() == Opcode::kSelect ? 1 : 0; arm < step.operand_count(); ++arm) {
        if (IsRemainder(step.operand(arm), x, added))
          return note(sum, {&x, &step.operand(arm), &step, arm});
      }
    }
  };
  for (const Computation* body : BodiesOf(module)) {
    for (const auto& one : body->instructions()) {
      const bool sums = one->opcode() == Opcode::kAdd || one->opcode() == Opcode::kSubtract;
      if (sums && IsFloat(one->shape().element_type())) look_at(*one);
    }
  }
}

bool RemainderSets::IsCertain(const Sum& sum, int64_t device, const AcceptanceSet& remainder,
                              int64_t i) const {
  if (sum.chooser == nullptr) return true;
  const std::vector<SetArray>& operands = kept_.at({device, sum.chooser}).operands;
  const Opcode opcode = sum.chooser->opcode();
  if (opcode == Opcode::kSelect) {
    const AcceptanceSet p = operands[0].At(ElementOf(operands[0], i));
    return p.IsPoint() && (p.ilo != 0) == (sum.arm == 1);
  }
  const AcceptanceSet other = operands[1 - sum.arm].At(i);
  if (!IsNumber(other) || !IsNumber(remainder)) return false;
  const auto [lo, hi] = EndsRead(other);
  return opcode == Opcode::kMinimum ? lo >= remainder.hi : hi <= remainder.lo;
}

std::optional<AcceptanceSet> RemainderSets::End(const Sum& sum, int64_t device,
                                                const AcceptanceSet& x, int64_t i,
                                                const SetContext& context) const {
  if (!IsNumber(x) || x.Has(kReadUnrounded)) return std::nullopt;
  if (IsOneValue(*sum.remainder, *sum.x)) {
    if (!IsCertain(sum, device, x, i)) return std::nullopt;
    return WithItselfFloat(Opcode::kSubtract, x, context);
  }
  const Kept& difference = kept_.at({device, sum.remainder});
  const AcceptanceSet c = difference.operands[IsOneValue(sum.remainder->operand(0), *sum.x)].At(i);
  if (!IsNumber(c) || c.Has(kReadUnrounded) || !IsExactDifference(c, x, *context.operand) ||
      !IsCertain(sum, device, difference.result.At(i), i))
    return std::nullopt;
  Image end;
  Include(Point(c.lo), end);
  Include(Point(c.hi), end);
  return WithCause(StoreImage(end, context), context, {&c});
}

void RemainderSets::Narrow(const Sum& sum, int64_t device, const SetArray& x,
                           const SetContext& context, SetArray& result) const {
  std::vector<std::optional<AcceptanceSet>> ends;
  bool any = false;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    ends.push_back(End(sum, device, x.At(i), i, context));
    any = any || ends.back().has_value();
  }
  if (!any) return;
  const std::shared_ptr<const ChoiceMap> choices = result.choices;
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  ChoiceMap others;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].has_value()) {
      sets[i] = *ends[i];
    } else if (choices != nullptr && choices->Find(static_cast<int64_t>(i)) != nullptr) {
      others.Put(static_cast<int64_t>(i), *choices->Find(static_cast<int64_t>(i)));
    }
  }
  result = Compress(std::move(result));
  SetChoices(std::move(others), result);
}

void RemainderSets::Pass(SetInterpreter& interpreter, const Instruction& instruction,
                         absl::Span<const SetValue> operands, SetValue& result) {
  const int64_t device = interpreter.current_device();
  const auto sum = sums_.find(&instruction);
  if (sum != sums_.end() && handed_on_.contains(instruction.parent()) && !result.array.exact()) {
    const PrimitiveType type = instruction.shape().element_type();
    const SetContext context = interpreter.ContextOf(instruction, type, type);
    const size_t k = &instruction.operand(0) == sum->second.x ? 0 : 1;
    if (context.rule.rule_class == RuleClass::kCorrectlyRounded &&
        !context.rule.Allows(kSkipRounding) && !interpreter.ReadsUnrounded(instruction.shape()))
      Narrow(sum->second, device, operands[k].array, context, result.array);
  }
  if (!needed_.contains(&instruction)) return;
  Kept& kept = kept_[{device, &instruction}];
  kept.operands.clear();
  for (const SetValue& operand : operands) kept.operands.push_back(operand.array);
  kept.result = result.array;
}

}  // namespace hlocts::reference
