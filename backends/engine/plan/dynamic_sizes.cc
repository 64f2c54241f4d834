// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/dynamic_sizes.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/plan/fusion.h"
#include "spec/infer/infer.h"
#include "spec/ir/index_util.h"

namespace hlocts::plan {

void CopyCorner(absl::Span<const int64_t> sizes, absl::Span<const int64_t> from,
                absl::Span<const int64_t> to, int width, const uint8_t* source, uint8_t* target) {
  const std::vector<int64_t> from_strides = RowMajorStrides(from), to_strides = RowMajorStrides(to);
  const int64_t row = sizes.empty() ? 1 : sizes.back();
  const size_t bytes = static_cast<size_t>(row * width);
  std::vector<int64_t> rows(sizes.begin(), sizes.end());
  if (!rows.empty()) rows.back() = row > 0 ? 1 : 0;
  ForEachIndex(rows, [&](absl::Span<const int64_t> index) {
    std::memcpy(target + LinearIndex(index, to_strides) * width,
                source + LinearIndex(index, from_strides) * width, bytes);
  });
}

namespace {

using Sizes = std::vector<int64_t>;

absl::Status CannotInfer(const Instruction& instruction) {
  return Unsupported(instruction.name(), ": the run-time size of ",
                     OpcodeName(instruction.opcode()), " does not follow from its operands");
}

// Infers the run-time sizes of a reshape's result. The dimensions of operand and result are split
// into the smallest groups whose bounds have equal products. In each pair of groups, one dimension
// of the result gets the size that makes the numbers of run-time elements equal: the only dynamic
// dimension, or the inferred one if several are dynamic.
absl::StatusOr<Sizes> ReshapeSizes(const Instruction& reshape, const Sizes& operand) {
  const Sizes& bounds = reshape.operand(0).shape().dimensions();
  const Shape& shape = reshape.shape();
  const int64_t inferred = reshape.IntOr(Attr::kInferredDimension, -1);
  Sizes sizes = shape.dimensions();
  size_t i = 0, j = 0;
  while (i < bounds.size() || j < sizes.size()) {
    int64_t left = 1, right = 1, elements = 1, fixed = 1, dynamic = -1, several = 0;
    do {
      const bool take_left = i < bounds.size() && (left <= right || j == sizes.size());
      if (take_left) {
        left *= bounds[i];
        elements *= operand[i++];
        continue;
      }
      const int64_t d = static_cast<int64_t>(j);
      right *= sizes[j];
      fixed *= sizes[j++];
      if (!shape.is_dynamic_dimension(d)) continue;
      ++several;
      if (dynamic < 0 || d == inferred) dynamic = d;
    } while (left != right && (i < bounds.size() || j < sizes.size()));
    if (several > 1 && dynamic != inferred) return CannotInfer(reshape);
    if (dynamic >= 0 && sizes[dynamic] != 0) fixed /= sizes[dynamic];
    if (dynamic >= 0) sizes[dynamic] = fixed == 0 ? 0 : elements / fixed;
    if (elements != fixed * (dynamic >= 0 ? sizes[dynamic] : 1)) return CannotInfer(reshape);
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

void SetSizes(Shape& shape, const Sizes& sizes) {
  if (!shape.IsTuple()) {
    shape = Shape(shape.element_type(), sizes);
    return;
  }
  for (Shape& element : shape.mutable_tuple_shapes()) SetSizes(element, sizes);
}

void CutSlice(const Sizes& operand, Instruction& slice) {
  const auto* given = slice.Get<SliceRanges>(Attr::kSlice);
  if (given == nullptr) return;
  SliceRanges ranges = *given;
  for (size_t d = 0; d < ranges.dimensions.size(); ++d) {
    SliceRange& range = ranges.dimensions[d];
    range.limit = std::min(range.limit, operand[d]);
    range.start = std::min(range.start, range.limit);
  }
  slice.Set(Attr::kSlice, ranges);
}

}  // namespace

Literal Cut(const Literal& literal) {
  if (!literal.shape().IsArray() || !literal.has_runtime_sizes()) return literal;
  const Sizes sizes = literal.runtime_sizes();
  Literal dense = Literal::Uninitialized(Shape(literal.element_type(), sizes));
  CopyCorner(sizes, literal.shape().dimensions(), sizes, StorageBytes(literal.element_type()),
             literal.raw_data(), dense.mutable_raw_data());
  return dense;
}

Literal Uncut(const Literal& dense, const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      elements.push_back(Uncut(dense.elements()[i], shape.tuple_shapes()[i]));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return dense;
  const Sizes sizes = dense.shape().dimensions();
  if (sizes == shape.dimensions() && !shape.is_dynamic()) return dense;
  Literal result(shape);
  CopyCorner(sizes, sizes, shape.dimensions(), StorageBytes(shape.element_type()), dense.raw_data(),
             result.mutable_raw_data());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d) || sizes[d] < shape.dimensions()[d]) {
      result.SetRuntimeSize(d, sizes[d]);
    }
  }
  return result;
}

// Returns true for a bitcast-convert to a wider or narrower type. Such an instruction removes or
// adds the innermost dimension.
bool MovesBitsBetweenDimensions(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kBitcastConvert &&
         instruction.operand(0).shape().rank() != instruction.shape().rank();
}

Sizes BitcastSizes(const Instruction& original, Sizes sizes) {
  const Shape& shape = original.shape();
  if (static_cast<int64_t>(sizes.size()) > shape.rank()) {
    sizes.pop_back();
  } else {
    sizes.push_back(shape.dimensions()[static_cast<size_t>(shape.rank() - 1)]);
  }
  return sizes;
}

absl::StatusOr<CutInstruction> CutFor(const Instruction& original,
                                      absl::Span<const Literal> operands) {
  CutInstruction cut;
  cut.instruction = std::make_unique<Instruction>(original.name(), original.opcode(),
                                                  original.shape().WithStaticDimensions());
  Instruction& instruction = *cut.instruction;
  instruction.mutable_attributes() = original.attributes();
  std::vector<Sizes> sizes;
  for (size_t k = 0; k < operands.size(); ++k) {
    cut.operands.push_back(std::make_unique<Instruction>(
        original.operand(k).name(), original.operand(k).opcode(), operands[k].shape()));
    instruction.mutable_operands().push_back(cut.operands.back().get());
    sizes.push_back(operands[k].shape().IsArray() ? operands[k].shape().dimensions() : Sizes());
  }
  Sizes result;
  if (original.opcode() == Opcode::kBroadcast) {
    result = BroadcastSizes(original, sizes[0]);
  } else if (original.opcode() == Opcode::kReshape) {
    HLOCTS_ASSIGN_OR_RETURN(result, ReshapeSizes(original, sizes[0]));
  } else if (MovesBitsBetweenDimensions(original)) {
    result = BitcastSizes(original, sizes[0]);
  } else if (IsElementwise(original.opcode()) && original.shape().IsArray()) {
    for (const Sizes& other : sizes) {
      if (other.size() == static_cast<size_t>(original.shape().rank())) result = other;
    }
    for (const Sizes& other : sizes) {
      if (!other.empty() && other != result) {
        return InvalidInput(original.name(), ": expected operands of equal run-time sizes");
      }
    }
  } else {
    if (original.opcode() == Opcode::kSlice) CutSlice(sizes[0], instruction);
    HLOCTS_ASSIGN_OR_RETURN(Shape shape, InferShape(instruction));
    instruction.mutable_shape() = shape;
    return cut;
  }
  SetSizes(instruction.mutable_shape(), result);
  return cut;
}

}  // namespace hlocts::plan
