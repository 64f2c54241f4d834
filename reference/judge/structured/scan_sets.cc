// SPDX-License-Identifier: Apache-2.0
// Runs scan (ruling 0100) on sets, trip by trip. An engine may choose another order only if
// is_associative permits it. Then the sets in trip order suffice only if all orders have the same
// results, as for an associative operation on integers; otherwise the results are unspecified. A
// computation that subtracts is not associative, even if the module asserts it (ruling 0074).
#include <utility>

#include "reference/judge/interpreter/handlers.h"
#include "reference/ops/scan.h"
#include "reference/recognized.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

// Returns the sets of an array at one position of a dimension.
SetArray PartAt(const SetArray& array, int64_t dimension, int64_t place) {
  const ScanStrides strides = StridesAround(array.shape(), dimension);
  const int64_t size = array.shape().dimension(dimension);
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < strides.outer; ++i) {
    const int64_t first = (i * size + place) * strides.inner;
    for (int64_t k = 0; k < strides.inner; ++k) {
      for (int c = 0; c < array.components(); ++c) sets.push_back(array.At(first + k, c));
    }
  }
  return Compress(SetArray(WithoutDimension(array.shape(), dimension), std::move(sets)));
}

void PutPart(const SetArray& part, int64_t dimension, int64_t place, const Shape& shape,
             std::vector<AcceptanceSet>& sets) {
  const ScanStrides strides = StridesAround(shape, dimension);
  const int64_t size = shape.dimension(dimension);
  const int components = part.components();
  for (int64_t i = 0; i < part.element_count(); ++i) {
    const int64_t to = ((i / strides.inner) * size + place) * strides.inner + i % strides.inner;
    for (int c = 0; c < components; ++c) sets[to * components + c] = part.At(i, c);
  }
}

// Returns true if every result of the computation is the same associative operation on integers,
// applied to its input and its carry.
bool HasOneValueInAnyOrder(const ScanPlan& plan) {
  if (plan.inputs != 1 || plan.carries != 1) return false;
  const Instruction& root = *plan.computation->root();
  if (root.opcode() != Opcode::kTuple) return false;
  const Instruction& next = root.operand(0);
  for (int64_t i = 1; i < root.operand_count(); ++i) {
    if (&root.operand(i) != &next) return false;
  }
  if (RecognizedReducerOf(next.opcode()) == RecognizedReducer::kNone) return false;
  const PrimitiveType type = next.shape().element_type();
  if (IsFloat(type) || IsComplex(type)) return false;
  const Instruction &x = next.operand(0), &y = next.operand(1);
  return x.IsParameter() && y.IsParameter() && x.parameter_number() != y.parameter_number();
}

}  // namespace

absl::StatusOr<SetValue> ScanSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape& shape, absl::Span<const SetValue> operands) {
  const ScanPlan plan = ScanPlanOf(instruction);
  if (plan.associative && !HasOneValueInAnyOrder(plan))
    return UnspecifiedValue(shape, WideningCause::kFreedom, 0);
  std::vector<SetValue> carries(operands.begin() + plan.inputs, operands.end());
  std::vector<std::vector<AcceptanceSet>> outputs(plan.outputs);
  for (int64_t i = 0; i < plan.outputs; ++i) {
    const Shape& output = shape.tuple_shapes()[i];
    outputs[i].resize(output.ElementCount() * (IsComplex(output.element_type()) ? 2 : 1));
  }
  for (int64_t trip = 0; trip < plan.trips; ++trip) {
    HLOCTS_RETURN_IF_ERROR(interpreter.ChargeStep());
    const int64_t place = plan.PlaceOf(trip);
    std::vector<SetValue> arguments;
    for (int64_t i = 0; i < plan.inputs; ++i)
      arguments.emplace_back(PartAt(operands[i].array, plan.dimension, place));
    for (SetValue& carry : carries) arguments.push_back(std::move(carry));
    HLOCTS_ASSIGN_OR_RETURN(SetValue results,
                            interpreter.Call(*plan.computation, std::move(arguments)));
    for (int64_t i = 0; i < plan.outputs; ++i) {
      PutPart(results.elements[i].array, plan.dimension, place, shape.tuple_shapes()[i],
              outputs[i]);
    }
    carries.assign(results.elements.begin() + plan.outputs, results.elements.end());
  }
  std::vector<SetValue> results;
  for (int64_t i = 0; i < plan.outputs; ++i)
    results.emplace_back(Compress(SetArray(shape.tuple_shapes()[i], std::move(outputs[i]))));
  for (SetValue& carry : carries) results.push_back(std::move(carry));
  return SetValue::Tuple(std::move(results));
}

}  // namespace hlocts::reference
