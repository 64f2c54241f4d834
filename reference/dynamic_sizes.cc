// SPDX-License-Identifier: Apache-2.0
#include "reference/dynamic_sizes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/kernels/copy.h"
#include "reference/number_system.h"
#include "spec/infer/infer.h"
#include "spec/ir/attributes.h"
#include "spec/ir/index_util.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

using Sizes = std::vector<int64_t>;

// Returns the geometry that copies the low corner of size `sizes` between row-major arrays.
CopyGeometry CornerGeometry(const Sizes& sizes, const Sizes& from, const Sizes& to) {
  CopyGeometry geometry;
  Sizes from_strides = RowMajorStrides(from), to_strides = RowMajorStrides(to);
  for (size_t d = 0; d < sizes.size(); ++d) {
    geometry.dims.push_back({sizes[d], from_strides[d], to_strides[d]});
  }
  return geometry;
}

void CopyCorner(const CopyGeometry& geometry, const Literal& from, Literal& to) {
  DispatchStorage(StorageBytes(from.element_type()), [&](auto zero) {
    using T = decltype(zero);
    CopyKernel<T>(geometry, from.data<T>(), to.mutable_data<T>());
  });
}

// A copy of an instruction whose operands are dense arrays with the run-time sizes. It refers to
// placeholder operands, which it owns.
struct CutInstruction {
  std::vector<std::unique_ptr<Instruction>> operands;
  std::unique_ptr<Instruction> instruction;
};

void SetSizes(Shape& shape, const Sizes& sizes) {
  if (shape.IsTuple()) {
    for (Shape& element : shape.mutable_tuple_shapes()) SetSizes(element, sizes);
    return;
  }
  shape = Shape(shape.element_type(), sizes);
}

CutInstruction Cut(const Instruction& original, absl::Span<const Literal> operands,
                   const Sizes& result_sizes) {
  CutInstruction cut;
  Shape shape = original.shape();
  SetSizes(shape, result_sizes);
  cut.instruction = std::make_unique<Instruction>(original.name(), original.opcode(), shape);
  cut.instruction->mutable_attributes() = original.attributes();
  for (size_t k = 0; k < operands.size(); ++k) {
    cut.operands.push_back(std::make_unique<Instruction>(
        original.operand(k).name(), original.operand(k).opcode(), operands[k].shape()));
    cut.instruction->mutable_operands().push_back(cut.operands.back().get());
  }
  if (const auto* slice = original.Get<SliceRanges>(Attr::kSlice)) {
    SliceRanges ranges = *slice;
    for (size_t d = 0; d < ranges.dimensions.size(); ++d) {
      SliceRange& range = ranges.dimensions[d];
      int64_t size = operands[0].shape().dimensions()[d];
      range.limit = std::min(range.limit, size);
      range.start = std::min(range.start, range.limit);
    }
    cut.instruction->Set(Attr::kSlice, ranges);
  }
  return cut;
}

Literal PutBack(Literal result, const Shape& shape) {
  if (!shape.IsTuple()) return PadToBounds(result, shape);
  std::vector<Literal> elements;
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    elements.push_back(PadToBounds(result.elements()[i], shape.tuple_shapes()[i]));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace

Literal CutToSizes(const Literal& literal) {
  if (!literal.has_runtime_sizes()) return literal;
  Sizes sizes = literal.runtime_sizes();
  Literal dense = Literal::Uninitialized(Shape(literal.element_type(), sizes));
  CopyCorner(CornerGeometry(sizes, literal.shape().dimensions(), sizes), literal, dense);
  return dense;
}

Literal PadToBounds(const Literal& dense, const Shape& shape) {
  const Sizes& sizes = dense.shape().dimensions();
  Literal result(shape);
  CopyCorner(CornerGeometry(sizes, sizes, shape.dimensions()), dense, result);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d) || sizes[d] < shape.dimensions()[d]) {
      result.SetRuntimeSize(d, sizes[d]);
    }
  }
  return result;
}

absl::Status CheckRuntimeSizes(const Instruction& instruction,
                               absl::Span<const Sizes> operand_sizes) {
  if (!ops::IsOneOf(instruction.opcode(),
                    {Opcode::kConcatenate, Opcode::kDynamicSlice, Opcode::kDot, Opcode::kGather,
                     Opcode::kScatter, Opcode::kSelectAndScatter, Opcode::kDynamicUpdateSlice,
                     Opcode::kSort, Opcode::kMap, Opcode::kReduce})) {
    return absl::OkStatus();
  }
  std::vector<std::unique_ptr<Instruction>> operands;
  Instruction cut(instruction.name(), instruction.opcode(), instruction.shape());
  cut.mutable_attributes() = instruction.attributes();
  for (size_t k = 0; k < operand_sizes.size(); ++k) {
    const Instruction& operand = instruction.operand(static_cast<int64_t>(k));
    operands.push_back(std::make_unique<Instruction>(
        operand.name(), operand.opcode(), Shape(operand.shape().element_type(), operand_sizes[k])));
    cut.mutable_operands().push_back(operands.back().get());
  }
  return Annotate(InferShape(cut).status(),
                  absl::StrCat(instruction.name(), ", with run-time sizes"));
}

absl::StatusOr<Literal> EvaluateCut(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  std::vector<Sizes> sizes;
  for (Literal& operand : operands) {
    operand = CutToSizes(operand);
    sizes.push_back(operand.shape().dimensions());
  }
  HLOCTS_RETURN_IF_ERROR(CheckRuntimeSizes(instruction, sizes));
  HLOCTS_ASSIGN_OR_RETURN(Sizes result_sizes, ResultSizes(instruction, sizes));
  for (size_t k = 0; IsElementwise(instruction.opcode()) && k < operands.size(); ++k) {
    if (!sizes[k].empty() && sizes[k] != result_sizes) {
      return InvalidInput(instruction.name(), ": expected operands of equal run-time sizes");
    }
  }
  CutInstruction cut = Cut(instruction, operands, result_sizes);
  Evaluator evaluator = EvaluatorOf(instruction.opcode());
  HLOCTS_ASSIGN_OR_RETURN(Literal result, evaluator
                                              ? evaluator(context, *cut.instruction, operands)
                                              : EvaluateElementwise(*cut.instruction, operands));
  const Shape& bounds = instruction.shape();
  return PutBack(std::move(result), bounds);
}

}  // namespace hlocts::reference
