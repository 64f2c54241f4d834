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
#include "spec/ops/kinds.h"
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

Sizes SliceSizes(const Instruction& slice, const Sizes& operand) {
  Sizes sizes;
  for (size_t d = 0; d < operand.size(); ++d) {
    const SliceRange& range = slice.Get<SliceRanges>(Attr::kSlice)->dimensions[d];
    const int64_t length = std::max<int64_t>(std::min(range.limit, operand[d]) - range.start, 0);
    sizes.push_back((length + range.stride - 1) / range.stride);
  }
  return sizes;
}
Sizes PadSizes(const Instruction& pad, const Sizes& operand) {
  const auto& by = pad.Get<PaddingConfig>(Attr::kPadding)->dimensions;
  Sizes sizes;
  for (size_t d = 0; d < operand.size(); ++d)
    sizes.push_back(std::max<int64_t>(PaddedSize(operand[d], by[d]), 0));
  return sizes;
}
Sizes ConcatenateSizes(const Instruction& concatenate, absl::Span<const Sizes> operands) {
  const int64_t dimension = concatenate.IntList(Attr::kDimensions)[0];
  Sizes sizes = operands[0];
  for (const Sizes& other : operands.subspan(1)) sizes[dimension] += other[dimension];
  return sizes;
}
Sizes Picked(const Sizes& sizes, absl::Span<const int64_t> dimensions) {
  Sizes picked;
  for (int64_t d : dimensions) picked.push_back(sizes[d]);
  return picked;
}
absl::StatusOr<Sizes> MovementSizes(ops::Movement movement, const Instruction& instruction,
                                    absl::Span<const Sizes> operands) {
  switch (movement) {
    case ops::Movement::kBroadcast:
      return BroadcastSizes(instruction, operands[0]);
    case ops::Movement::kReshape:
      return ReshapeSizes(instruction, operands[0]);
    case ops::Movement::kTranspose:
      return Picked(operands[0], instruction.IntList(Attr::kDimensions));
    case ops::Movement::kReverse:
      return operands[0];
    case ops::Movement::kSlice:
      return SliceSizes(instruction, operands[0]);
    case ops::Movement::kPad:
      return PadSizes(instruction, operands[0]);
    case ops::Movement::kConcatenate:
      return ConcatenateSizes(instruction, operands);
    case ops::Movement::kDynamicReshape:  // looks at run-time sizes itself
    case ops::Movement::kBitcast:
    case ops::Movement::kCopy:
      return CannotInfer(instruction);
  }
  HLOCTS_UNREACHABLE();
}

absl::StatusOr<Sizes> ResultSizes(const Instruction& instruction,
                                  absl::Span<const Sizes> operand_sizes) {
  const Opcode opcode = instruction.opcode();
  const Sizes& first = operand_sizes[0];
  if (const std::optional<ops::Movement> movement = ops::MovementOf(opcode))
    return MovementSizes(*movement, instruction, operand_sizes);
  if (opcode == Opcode::kDot) return DotSizes(instruction, first, operand_sizes[1]);
  if (opcode == Opcode::kGather) return GatherSizes(instruction, operand_sizes[1]);
  if (opcode == Opcode::kReduce) {
    return Picked(first, DimensionsExcept(static_cast<int64_t>(first.size()),
                                          instruction.IntList(Attr::kDimensions)));
  }
  const auto* window = instruction.Get<Window>(Attr::kWindow);
  if (opcode == Opcode::kReduceWindow) return window ? WindowSizes(*window, first) : first;
  if (opcode == Opcode::kDynamicSlice) return instruction.shape().dimensions();
  if (opcode == Opcode::kSelect || opcode == Opcode::kClamp) return operand_sizes[1];
  const bool as_first =
      ops::IsOneOf(opcode, {Opcode::kSort, Opcode::kMap, Opcode::kScatter,
                            Opcode::kSelectAndScatter, Opcode::kDynamicUpdateSlice});
  const bool elementwise =
      IsElementwise(opcode) && instruction.operand(0).shape().rank() == instruction.shape().rank();
  if (as_first || elementwise) return first;
  return Unsupported(instruction.name(), ": ", OpcodeName(opcode),
                     " of an operand with run-time sizes");
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
