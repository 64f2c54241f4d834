// SPDX-License-Identifier: Apache-2.0
#include "spec/base/int128.h"
#include "spec/infer/rules.h"
#include "spec/infer/window_util.h"

namespace hlocts {
namespace {

absl::Status CheckOperand(const Shape& first, const Shape& other, int64_t dimension) {
  HLOCTS_EXPECT(first.element_type() == other.element_type(), "concatenate.5",
                absl::StrCat("operands of type ", TypeText(first.element_type())),
                ShapeText(other));
  HLOCTS_EXPECT(first.rank() == other.rank(), "concatenate.2",
                absl::StrCat("operands of rank ", first.rank()), ShapeText(other));
  for (int64_t d = 0; d < first.rank(); ++d) {
    HLOCTS_EXPECT(d == dimension || CompatibleSize(first.dimension(d), other.dimension(d)),
                  "concatenate.9", absl::StrCat("size ", first.dimension(d), " in dimension ", d),
                  ShapeText(other));
  }
  return absl::OkStatus();
}

absl::Status CheckRange(const SliceRange& range, int64_t d, int64_t size) {
  std::string place = absl::StrCat(" in dimension ", d);
  std::string found = absl::StrCat("[", range.start, ":", range.limit, ":", range.stride, "]");
  HLOCTS_EXPECT(range.start >= 0, "slice.8", absl::StrCat("a start of at least 0", place), found);
  HLOCTS_EXPECT(range.limit >= range.start, "slice.10",
                absl::StrCat("a limit of at least the start", place), found);
  HLOCTS_EXPECT(size == kUnboundedSize || range.limit <= size, "slice.11",
                absl::StrCat("a limit of at most ", size, place), found);
  HLOCTS_EXPECT(range.stride >= 1, "slice.13", absl::StrCat("a stride of at least 1", place),
                found);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferConcatenate(const Instruction& concatenate, Signatures&) {
  const Shape& first = concatenate.operand(0).shape();
  const std::vector<int64_t>& dimensions = concatenate.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(dimensions.size() == 1, "concatenate.8", "one dimension", ListText(dimensions));
  HLOCTS_EXPECT(first.rank() > 0, "concatenate.10", "operands with dimensions", ShapeText(first));
  int64_t dimension = dimensions[0];
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("concatenate.7", "dimension", dimension, first.rank()));
  Shape result = first.WithoutLayout();
  Int128 total = 0;
  bool is_dynamic = false, unknown = false;
  for (const Instruction* operand : concatenate.operands()) {
    const Shape& shape = operand->shape();
    HLOCTS_RETURN_IF_ERROR(CheckOperand(first, shape, dimension));
    total += shape.dimension(dimension);
    is_dynamic = is_dynamic || shape.is_dynamic_dimension(dimension);
    unknown = unknown || shape.dimension(dimension) == kUnboundedSize;
  }
  int64_t size = unknown             ? kUnboundedSize
                 : total > INT64_MAX ? INT64_MAX
                                     : static_cast<int64_t>(total);
  result.set_dimension(dimension, size);
  if (is_dynamic) result.set_dynamic_dimension(dimension, true);
  return result;
}

absl::StatusOr<Shape> InferPad(const Instruction& pad, Signatures&) {
  const Shape &operand = pad.operand(0).shape(), &value = pad.operand(1).shape();
  const std::vector<PaddingDimension>& padding = pad.Get<PaddingConfig>(Attr::kPadding)->dimensions;
  HLOCTS_EXPECT(value.IsScalar() && value.element_type() == operand.element_type(), "pad.3",
                absl::StrCat("a scalar padding_value of type ", TypeText(operand.element_type())),
                ShapeText(value));
  HLOCTS_EXPECT(static_cast<int64_t>(padding.size()) == operand.rank(), "pad.7",
                absl::StrCat("padding of rank ", operand.rank()), absl::StrCat(padding.size()));
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    HLOCTS_EXPECT(padding[d].interior >= 0, "pad.12",
                  absl::StrCat("interior padding of at least 0 in dimension ", d),
                  absl::StrCat(padding[d].interior));
    bool unknown = operand.dimension(d) == kUnboundedSize;
    sizes.push_back(unknown ? kUnboundedSize : PaddedSize(operand.dimension(d), padding[d]));
    HLOCTS_EXPECT(unknown || sizes[d] >= 0, "pad.10",
                  absl::StrCat("a result size of at least 0 in dimension ", d),
                  absl::StrCat(sizes[d]));
  }
  Shape result(operand.element_type(), sizes);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.is_dynamic_dimension(d)) result.set_dynamic_dimension(d, true);
  }
  return result;
}

// Shape rule of broadcast, the opcode for both Broadcast and BroadcastInDim. It repeats the operand
// along new dimensions; clients first remove size-1 dimensions by a reshape.
absl::StatusOr<Shape> InferBroadcast(const Instruction& broadcast, Signatures&) {
  const Shape &operand = broadcast.operand(0).shape(), &result = broadcast.shape();
  const std::vector<int64_t>& dimensions = broadcast.IntList(Attr::kDimensions);
  HLOCTS_RETURN_IF_ERROR(ExpectArray("broadcast_in_dim.1", "the result", result));
  HLOCTS_EXPECT(result.element_type() == operand.element_type(), "broadcast_in_dim.1",
                absl::StrCat("a result of type ", TypeText(operand.element_type())),
                ShapeText(result));
  HLOCTS_EXPECT(static_cast<int64_t>(dimensions.size()) == operand.rank(), "broadcast_in_dim.5",
                absl::StrCat("as many dimensions as in ", ShapeText(operand)),
                ListText(dimensions));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("broadcast_in_dim.8", "dimensions of the result",
                                          dimensions, result.rank()));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    HLOCTS_EXPECT(CompatibleSize(operand.dimensions()[i], result.dimensions()[dimensions[i]]),
                  "broadcast_in_dim.9",
                  absl::StrCat("size ", operand.dimensions()[i], " in dimension ", dimensions[i]),
                  ShapeText(result));
  }
  return result.WithoutLayout();
}

absl::StatusOr<Shape> InferTranspose(const Instruction& transpose, Signatures&) {
  const Shape& operand = transpose.operand(0).shape();
  const std::vector<int64_t>& permutation = transpose.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(static_cast<int64_t>(permutation.size()) == operand.rank(), "transpose.5",
                absl::StrCat("a permutation of ", CountText(operand.rank(), "dimension")),
                ListText(permutation));
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("transpose.5", "permutation", permutation, operand.rank()));
  std::vector<int64_t> sizes;
  for (int64_t from : permutation) sizes.push_back(operand.dimension(from));
  Shape result(operand.element_type(), sizes);  // transpose.4
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.is_dynamic_dimension(permutation[d])) result.set_dynamic_dimension(d, true);
  }
  return result;
}

absl::StatusOr<Shape> InferReverse(const Instruction& reverse, Signatures&) {
  const Shape& operand = reverse.operand(0).shape();
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("rev.3", "dimensions", reverse.IntList(Attr::kDimensions), operand.rank()));
  return operand.WithoutLayout();  // rev.5
}

absl::StatusOr<Shape> InferSlice(const Instruction& slice, Signatures&) {
  const Shape& operand = slice.operand(0).shape();
  const std::vector<SliceRange>& ranges = slice.Get<SliceRanges>(Attr::kSlice)->dimensions;
  HLOCTS_EXPECT(static_cast<int64_t>(ranges.size()) == operand.rank(), "slice.7",
                absl::StrCat(operand.rank(), " ranges"), absl::StrCat(ranges.size()));
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const SliceRange& range = ranges[d];
    HLOCTS_RETURN_IF_ERROR(CheckRange(range, d, operand.dimension(d)));
    sizes.push_back(SlicedSize(range));
  }
  Shape result(operand.element_type(), sizes);
  // A slice of a whole dimension keeps its run-time size. Any other slice has the size in the text.
  for (int64_t d = 0; d < operand.rank(); ++d) {
    bool whole = sizes[d] == operand.dimension(d) && ranges[d].stride == 1;
    if (whole && operand.is_dynamic_dimension(d)) result.set_dynamic_dimension(d, true);
  }
  return result;
}

}  // namespace hlocts
