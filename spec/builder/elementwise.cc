// SPDX-License-Identifier: Apache-2.0
#include "spec/builder/builder.h"

namespace hlocts {

Value Builder::Compare(absl::string_view direction, Value lhs, Value rhs,
                       Sizes broadcast_dimensions) {
  return Binary("Compare", Opcode::kCompare, lhs, rhs, broadcast_dimensions,
                {{Attr::kDirection, Word{std::string(direction)}}});
}

// Uses separate statements, because C++ does not specify the evaluation order of call arguments.
Value Builder::Conj(Value operand) {
  const Value real = Emit(Opcode::kReal, {operand});
  const Value imag = Emit(Opcode::kImag, {operand});
  return Emit(Opcode::kComplex, {real, Emit(Opcode::kNegate, {imag})});
}

Value Builder::Square(Value operand) { return Mul(operand, operand); }

Value Builder::Select(Value pred, Value on_true, Value on_false) {
  if (!Usable({pred, on_true, on_false})) return {};
  if (!on_true.shape().IsTuple()) return Emit(Opcode::kSelect, {pred, on_true, on_false});
  // select.14 to .16: a scalar predicate selects between tuples, element by element (ruling 0080).
  if (!pred.shape().IsScalar()) {
    return FailRule("Select", "select.15", "a scalar pred for tuples",
                    pred.shape().ToString(false));
  }
  if (!on_true.shape().CompatibleWith(on_false.shape())) {
    return FailRule("Select", "select.16", on_true.shape().ToString(false),
                    on_false.shape().ToString(false));
  }
  std::vector<Value> elements;
  for (size_t i = 0; i < on_true.shape().tuple_shapes().size(); ++i) {
    elements.push_back(Select(pred, GetTupleElement(on_true, i), GetTupleElement(on_false, i)));
  }
  return Tuple(elements);
}

}  // namespace hlocts
