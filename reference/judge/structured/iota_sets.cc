// SPDX-License-Identifier: Apache-2.0
// Computes the sets of iota: exact, except in narrow formats. In such a format a converted index
// (ruling 0013) may be rounded or overflow, or the format may lack a zero (ruling 0035).
#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {
namespace {

bool HoldsAllBelow(PrimitiveType type, int64_t size) {
  if (!IsFloat(type) || BitWidth(type) >= 32 || size == 0) return true;
  const FloatFormat& format = FormatOf(type);
  const double last = static_cast<double>(size - 1);
  return format.has_zero && last <= format.max_finite() &&
         size - 1 <= int64_t{1} << format.precision();
}

}  // namespace

absl::StatusOr<SetValue> IotaSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape& shape, absl::Span<const SetValue> operands) {
  const PrimitiveType type = shape.element_type();
  const int64_t dimension = instruction.IntOr(Attr::kIotaDimension, 0);
  if (dimension >= shape.rank() || HoldsAllBelow(type, shape.dimension(dimension)))
    return PlainResult(interpreter, instruction, shape, operands);
  SetContext context = interpreter.ContextOf(instruction, type, type);
  context.rule = interpreter.RuleOf(Opcode::kConvert, type);
  const int64_t size = shape.dimension(dimension);
  int64_t inner = 1;
  for (int64_t d = dimension + 1; d < shape.rank(); ++d) inner *= shape.dimension(d);
  std::vector<AcceptanceSet> of_index, sets;
  for (int64_t i = 0; i < size; ++i) {
    of_index.push_back(
        ConvertIntegerToFloat(AcceptanceSet::Integers(i, i), PrimitiveType::kS64, context));
  }
  for (int64_t i = 0; i < shape.ElementCount(); ++i)
    sets.push_back(of_index[static_cast<size_t>(i / inner % size)]);
  return SetValue(Compress(SetArray(shape, std::move(sets))));
}

}  // namespace hlocts::reference
