// SPDX-License-Identifier: Apache-2.0
// Sets of opt-barrier: values pass, what they were before they were rounded does not.
#include "reference/judge/interpreter/handlers.h"

namespace hlocts::reference {
namespace {

// A product that an add reads unrounded has been moved to the add (optimization_barrier.1).
SetArray Rounded(SetArray array) {
  if (array.exact()) return array;
  for (AcceptanceSet& s : array.mutable_sets()) {
    if (!s.Has(AcceptanceSet::kHull)) continue;
    s.flags &= ~(AcceptanceSet::kHull | AcceptanceSet::kContractible | AcceptanceSet::kScaledHull);
    s.rlo = s.lo;
    s.rhi = s.hi;
  }
  return Compress(std::move(array));
}

SetValue RoundedValue(const SetValue& value) {
  if (value.token) return value;
  if (!value.tuple) return SetValue(Rounded(value.array));
  std::vector<SetValue> elements;
  for (const SetValue& element : value.elements) elements.push_back(RoundedValue(element));
  return SetValue::Tuple(std::move(elements));
}

}  // namespace

// Ruling 0070: relaxed, and an engine that declares barrier.crossed, may compute across.
absl::StatusOr<SetValue> BarrierSets(SetInterpreter& interpreter, const Instruction&, const Shape&,
                                     absl::Span<const SetValue> operands) {
  const bool crossed =
      interpreter.profile() == Profile::kRelaxed ||
      (interpreter.profile() == Profile::kDefault && interpreter.options().facts.barrier_crossed);
  return crossed ? operands[0] : RoundedValue(operands[0]);
}

}  // namespace hlocts::reference
