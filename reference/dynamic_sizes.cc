// SPDX-License-Identifier: Apache-2.0
#include "reference/dynamic_sizes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/kernels/copy.h"
#include "reference/number_system.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/window_util.h"
#include "spec/ir/index_util.h"
#include "spec/ops/op_table.h"

namespace hlocts::reference {
namespace {

using Sizes = std::vector<int64_t>;

// The corner of `sizes` elements, between arrays of these (row-major) dimensions.
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

int64_t Product(const Sizes& sizes, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= sizes[i];
  return product;
}

absl::Status CannotInfer(const Instruction& instruction) {
  return Unsupported(instruction.name(), ": the run-time size of ",
                     OpcodeName(instruction.opcode()), " does not follow from its operand's");
}

// Reshape: dimensions of operand and result fall into groups whose bounds have equal products (the
// first such cuts). A group with one dynamic result dimension gives it what is left of the group's
// run-time elements.
absl::StatusOr<Sizes> ReshapeSizes(const Instruction& reshape, const Sizes& operand) {
  const Sizes& from = reshape.operand(0).shape().dimensions();
  const Shape& shape = reshape.shape();
  Sizes sizes = shape.dimensions();
  size_t i = 0, j = 0;
  while (i < from.size() || j < sizes.size()) {
    size_t i_end = i, j_end = j;
    int64_t left = 1, right = 1;
    do {
      if (left <= right && i_end < from.size()) {
        left *= from[i_end++];
      } else if (j_end < sizes.size()) {
        right *= shape.dimensions()[j_end++];
      } else {
        left *= from[i_end++];
      }
    } while (left != right && (i_end < from.size() || j_end < sizes.size()));
    int64_t elements = Product(operand, i, i_end), fixed = 1, dynamic = -1;
    for (size_t d = j; d < j_end; ++d) {
      if (!shape.is_dynamic_dimension(static_cast<int64_t>(d))) {
        fixed *= sizes[d];
      } else if (dynamic >= 0) {
        return CannotInfer(reshape);
      } else {
        dynamic = static_cast<int64_t>(d);
      }
    }
    if (dynamic >= 0) sizes[dynamic] = fixed == 0 ? 0 : elements / fixed;
    if (Product(sizes, j, j_end) != elements) return CannotInfer(reshape);
    i = i_end, j = j_end;
  }
  return sizes;
}

Sizes BroadcastSizes(const Instruction& broadcast, const Sizes& operand) {
  Sizes sizes = broadcast.shape().dimensions();
  const Sizes& dimensions = broadcast.IntList(Attr::kDimensions);
  const Sizes& bounds = broadcast.operand(0).shape().dimensions();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (bounds[d] == sizes[dimensions[d]]) sizes[dimensions[d]] = operand[d];
  }
  return sizes;
}

Sizes DotSizes(const Instruction& dot, const Sizes& lhs, const Sizes& rhs) {
  DotDimensionNumbers numbers = DotDimensionsOf(dot);
  Sizes sizes, excluded = numbers.lhs_batch;
  for (int64_t d : numbers.lhs_batch) sizes.push_back(lhs[d]);
  excluded.insert(excluded.end(), numbers.lhs_contracting.begin(), numbers.lhs_contracting.end());
  for (int64_t d : DimensionsExcept(static_cast<int64_t>(lhs.size()), excluded))
    sizes.push_back(lhs[d]);
  excluded = numbers.rhs_batch;
  excluded.insert(excluded.end(), numbers.rhs_contracting.begin(), numbers.rhs_contracting.end());
  for (int64_t d : DimensionsExcept(static_cast<int64_t>(rhs.size()), excluded))
    sizes.push_back(rhs[d]);
  return sizes;
}

// Batch dimensions come from start_indices, offset dimensions from slice_sizes.
Sizes GatherSizes(const Instruction& gather, const Sizes& start_indices) {
  GatherDimensionNumbers numbers = GatherDimensionsOf(gather);
  Sizes sizes = gather.shape().dimensions();
  Sizes batch = DimensionsExcept(static_cast<int64_t>(sizes.size()), numbers.offset_dims);
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(start_indices.size()); ++d) {
    if (d != numbers.index_vector_dim && next < batch.size())
      sizes[batch[next++]] = start_indices[d];
  }
  return sizes;
}

Sizes WindowSizes(const Window& window, Sizes sizes) {
  for (size_t d = 0; d < sizes.size(); ++d)
    sizes[d] = WindowOutputSize(sizes[d], window.dimensions[d]);
  return sizes;
}

// The instruction as it would have been written for dense operands of these sizes. It refers to
// stand-ins for its operands, which live here.
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
  if (!shape.IsTuple()) return PutIntoBounds(result, shape);
  std::vector<Literal> elements;
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    elements.push_back(PutIntoBounds(result.elements()[i], shape.tuple_shapes()[i]));
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

Literal PutIntoBounds(const Literal& dense, const Shape& shape) {
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

absl::StatusOr<Sizes> ResultSizes(const Instruction& instruction,
                                  absl::Span<const Sizes> operand_sizes) {
  const Sizes& first = operand_sizes[0];
  Sizes sizes;
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
      return BroadcastSizes(instruction, first);
    case Opcode::kReshape:
      return ReshapeSizes(instruction, first);
    case Opcode::kDot:
      return DotSizes(instruction, first, operand_sizes[1]);
    case Opcode::kGather:
      return GatherSizes(instruction, operand_sizes[1]);
    case Opcode::kTranspose:
      for (int64_t d : instruction.IntList(Attr::kDimensions)) sizes.push_back(first[d]);
      return sizes;
    case Opcode::kReduce:
      for (int64_t d : DimensionsExcept(static_cast<int64_t>(first.size()),
                                        instruction.IntList(Attr::kDimensions))) {
        sizes.push_back(first[d]);
      }
      return sizes;
    case Opcode::kSlice:
      for (size_t d = 0; d < first.size(); ++d) {
        const SliceRange& range = instruction.Get<SliceRanges>(Attr::kSlice)->dimensions[d];
        int64_t length = std::max<int64_t>(std::min(range.limit, first[d]) - range.start, 0);
        sizes.push_back((length + range.stride - 1) / range.stride);
      }
      return sizes;
    case Opcode::kPad:
      for (size_t d = 0; d < first.size(); ++d) {
        sizes.push_back(std::max<int64_t>(
            PaddedSize(first[d], instruction.Get<PaddingConfig>(Attr::kPadding)->dimensions[d]),
            0));
      }
      return sizes;
    case Opcode::kConcatenate: {
      int64_t dimension = instruction.IntList(Attr::kDimensions)[0];
      sizes = first;
      for (const Sizes& other : operand_sizes.subspan(1)) sizes[dimension] += other[dimension];
      return sizes;
    }
    case Opcode::kReduceWindow:
      if (const auto* window = instruction.Get<Window>(Attr::kWindow))
        return WindowSizes(*window, first);
      return first;
    case Opcode::kSelect:
    case Opcode::kClamp:
      return operand_sizes[1];
    case Opcode::kDynamicSlice:
      return instruction.shape().dimensions();
    case Opcode::kReverse:
    case Opcode::kSort:
    case Opcode::kScatter:
    case Opcode::kMap:
    case Opcode::kSelectAndScatter:
    case Opcode::kDynamicUpdateSlice:
      return first;
    default:
      if (IsElementwise(instruction.opcode()) &&
          instruction.operand(0).shape().rank() == instruction.shape().rank()) {
        return first;
      }
      return Unsupported(instruction.name(), ": ", OpcodeName(instruction.opcode()),
                         " of an operand with run-time sizes");
  }
}

absl::StatusOr<Literal> EvaluateCut(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  std::vector<Sizes> sizes;
  for (Literal& operand : operands) {
    operand = CutToSizes(operand);
    sizes.push_back(operand.shape().dimensions());
  }
  HLOCTS_ASSIGN_OR_RETURN(Sizes result_sizes, ResultSizes(instruction, sizes));
  for (size_t k = 0; IsElementwise(instruction.opcode()) && k < operands.size(); ++k) {
    if (!sizes[k].empty() && sizes[k] != result_sizes) {
      return InvalidInput(instruction.name(), ": operands of different run-time sizes");
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
