// SPDX-License-Identifier: Apache-2.0
// Implements scaled-dot (ruling 0101): a dot of both operands multiplied by their scales.
#include "reference/ops/scaled_dot.h"

#include <vector>

#include "reference/number_system.h"
#include "reference/ops/structured.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

// Returns the operand's elements multiplied by their scales in f64, which is exact for factors of
// up to 26 bits. If `scales` is a scalar, there are no scales.
Literal Scaled(const Literal& operand, const Literal& scales) {
  Literal factors = ToSystem(operand, PrimitiveType::kF64);
  if (scales.shape().IsScalar()) return factors;
  const Literal wide = ToSystem(scales, PrimitiveType::kF64);
  double* factor = factors.mutable_data<double>().data();
  for (int64_t scale : ScaleOfElements(operand.shape(), scales.shape())) {
    *factor++ *= wide.data<double>()[scale];
  }
  return factors;
}

}  // namespace

std::vector<int64_t> ScaleOfElements(const Shape& operand, const Shape& scales) {
  const std::vector<int64_t>&sizes = operand.dimensions(), &blocks = scales.dimensions();
  const std::vector<int64_t> strides = RowMajorStrides(blocks);
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(operand.ElementCount()));
  ForEachIndex(sizes, [&](absl::Span<const int64_t> index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      at += index[d] / (sizes[d] / blocks[d]) * strides[d];
    }
    numbers.push_back(at);
  });
  return numbers;
}

absl::StatusOr<Literal> EvaluateScaledDot(EvalContext& context, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  for (const Literal& operand : operands) {
    if (IsFloat(operand.element_type())) continue;
    return Unsupported(instruction.name(), ": scaled-dot of ", operand.shape().ToString(false));
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(
      3 * sizeof(double) * (operands[0].element_count() + operands[1].element_count())));
  std::vector<Literal> factors = {Scaled(operands[0], operands[2]),
                                  Scaled(operands[1], operands[3])};
  return EvaluateDot(context, instruction, absl::MakeSpan(factors));
}

}  // namespace hlocts::reference
