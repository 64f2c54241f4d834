// SPDX-License-Identifier: Apache-2.0
// Replaces arrays by arrays with one long dimension. If only the number of elements matters, the
// size can then be exactly what the failure needs, e.g. 17 elements instead of 4x5.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "fuzz/shrink/size_edits.h"
#include "spec/ir/attributes.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"

namespace hlocts::fuzz {
namespace {

using Sizes = std::vector<int64_t>;

// Returns a literal of `shape` with the bytes of `literal` in order, repeated as needed.
Literal Repeated(const Literal& literal, const Shape& shape) {
  Literal repeated(shape);
  const size_t bytes = literal.raw_size();
  uint8_t* to = repeated.mutable_raw_data();
  for (size_t i = 0; bytes > 0 && i < repeated.raw_size(); ++i)
    to[i] = literal.raw_data()[i % bytes];
  return repeated;
}

// Changes the sizes of an operand, or returns false if it has no data.
bool Resize(Sample& sample, Instruction& user, size_t operand, Sizes sizes) {
  Instruction& leaf = *user.mutable_operands()[operand];
  const Shape shape = Shape(leaf.shape().element_type(), std::move(sizes)).WithDefaultLayout();
  if (!ChangeData(sample, leaf, [&](const Literal& data) { return Repeated(data, shape); }))
    return false;
  leaf.mutable_shape() = shape;
  return true;
}
bool Flatten(Sample& sample, Instruction& user, size_t operand) {
  return Resize(sample, user, operand, {user.operand(operand).shape().ElementCount()});
}

// The functions below make an operation one-dimensional, with a result of `count` elements.
bool Concatenate(Sample& sample, Instruction& concatenate, int64_t) {
  concatenate.Set(Attr::kDimensions, Sizes{0});
  for (size_t i = 0; i < concatenate.operands().size(); ++i) {
    // The second occurrence of an operand is already flat.
    if (concatenate.operand(i).shape().rank() > 1 && !Flatten(sample, concatenate, i)) return false;
  }
  return true;
}
// Makes the result shorter by one if both operands are the same array: its size can then be odd.
bool ConcatenateUneven(Sample& sample, Instruction& concatenate, int64_t count) {
  Instruction& leaf = *concatenate.mutable_operands()[0];
  const Literal* data = DataOf(sample, leaf);
  const int64_t size = leaf.shape().ElementCount();
  if (concatenate.operand_count() != 2 || concatenate.mutable_operands()[1] != &leaf || !data)
    return false;
  const Shape shape = Shape(leaf.shape().element_type(), {count - 1 - size}).WithDefaultLayout();
  auto other = CopyOf(leaf, absl::StrCat("other.", leaf.name()), {});
  other->mutable_shape() = shape;
  if (leaf.has_literal()) {
    other->set_literal(Repeated(*data, shape));
  } else {
    other->set_parameter_number(static_cast<int64_t>(sample.arguments.size()));
    sample.arguments.push_back(Repeated(*data, shape));
  }
  Instruction* added = sample.module->entry()->Add(std::move(other));
  MoveToFront(added);
  concatenate.mutable_operands()[1] = added;
  return true;
}
bool Broadcast(Sample& sample, Instruction& broadcast, int64_t count) {
  broadcast.Set(Attr::kDimensions, Sizes{});
  broadcast.mutable_shape() = Shape(broadcast.shape().element_type(), {count}).WithDefaultLayout();
  return broadcast.operand(0).shape().rank() == 0 || Resize(sample, broadcast, 0, {});
}
bool Iota(Sample&, Instruction& iota, int64_t count) {
  iota.Set(Attr::kIotaDimension, int64_t{0});
  iota.mutable_shape() = Shape(iota.shape().element_type(), {count}).WithDefaultLayout();
  return true;
}
// Each element of the result becomes the reduction of one row of the operand.
bool Reduce(Sample& sample, Instruction& reduce, int64_t count) {
  const size_t arrays = reduce.operands().size() / 2;
  const int64_t row = reduce.operand(0).shape().ElementCount() / count;
  reduce.Set(Attr::kDimensions, Sizes{1});
  for (size_t i = 0; i < arrays; ++i) {
    if (reduce.operand(i).shape().dimensions() != Sizes{count, row} &&
        !Resize(sample, reduce, i, {count, row}))
      return false;
  }
  return true;
}
PrimitiveType OtherOfWidth(PrimitiveType type) {
  for (PrimitiveType other : AllPrimitiveTypes()) {
    if (IsInteger(other) && other != type && BitWidth(other) == BitWidth(type)) return other;
  }
  return PrimitiveType::kInvalid;
}
// Makes a one-dimensional bitcast-convert between types of the same width.
bool BitcastConvert(Sample& sample, Instruction& bitcast, int64_t count) {
  const PrimitiveType to = bitcast.shape().element_type();
  const PrimitiveType from = OtherOfWidth(to);
  if (from == PrimitiveType::kInvalid) return false;
  Instruction& leaf = *bitcast.mutable_operands()[0];
  const Shape shape = Shape(from, {count}).WithDefaultLayout();
  const auto repeated = [&](const Literal& data) { return Repeated(data, shape); };
  if (IsSubByte(to) || !ChangeData(sample, leaf, repeated)) return false;
  leaf.mutable_shape() = shape;
  bitcast.mutable_shape() = shape.WithElementType(to);
  return true;
}
bool Pad(Sample& sample, Instruction& pad, int64_t count) {
  const int64_t high = count - pad.operand(0).shape().ElementCount();
  pad.Set(Attr::kPadding, PaddingConfig{{PaddingDimension{0, high, 0}}});
  return Flatten(sample, pad, 0);
}
bool Slice(Sample& sample, Instruction& slice, int64_t count) {
  slice.Set(Attr::kSlice, SliceRanges{{SliceRange{0, count, 1}}});
  return Flatten(sample, slice, 0);
}
bool DynamicSlice(Sample& sample, Instruction& slice, int64_t count) {
  slice.Set(Attr::kDynamicSliceSizes, Sizes{count});
  slice.mutable_operands().resize(2);
  return Flatten(sample, slice, 0);
}
bool Gather(Sample& sample, Instruction& gather, int64_t count) {
  for (Attr attr : {Attr::kOperandBatchingDims, Attr::kStartIndicesBatchingDims})
    gather.Remove(attr);
  gather.Set(Attr::kOffsetDims, Sizes{});
  for (Attr attr : {Attr::kCollapsedSliceDims, Attr::kStartIndexMap}) gather.Set(attr, Sizes{0});
  gather.Set(Attr::kIndexVectorDim, int64_t{1});
  gather.Set(Attr::kSliceSizes, Sizes{1});
  return Flatten(sample, gather, 0) && Resize(sample, gather, 1, {count});
}
bool ReduceWindow(Sample& sample, Instruction& windows, int64_t count) {
  if (windows.operand_count() != 2) return false;
  const int64_t more = count - windows.operand(0).shape().ElementCount();
  WindowDimension window{.size = std::max<int64_t>(1, 1 - more),
                         .padding_high = std::max<int64_t>(0, more)};
  windows.Set(Attr::kWindow, Window{{window}});
  return Flatten(sample, windows, 0);
}
bool Dot(Sample& sample, Instruction& dot, int64_t count) {
  for (Attr attr : {Attr::kLhsBatchDims, Attr::kRhsBatchDims}) dot.Remove(attr);
  for (Attr attr : {Attr::kLhsContractingDims, Attr::kRhsContractingDims}) dot.Set(attr, Sizes{});
  return Resize(sample, dot, 0, {count}) && Resize(sample, dot, 1, {});
}
bool Convolution(Sample& sample, Instruction& convolution, int64_t count) {
  for (Attr attr : {Attr::kFeatureGroupCount, Attr::kBatchGroupCount}) convolution.Remove(attr);
  WindowDimension window;
  window.size = 1;
  convolution.Set(Attr::kWindow, Window{{window}});
  convolution.Set(Attr::kDimLabels, ConvolutionDimensionNumbers{0, 1, {2}, 1, 0, {2}, 0, 1, {2}});
  return Resize(sample, convolution, 0, {1, 1, count}) && Resize(sample, convolution, 1, {1, 1, 1});
}
bool TopK(Sample& sample, Instruction& topk, int64_t count) {
  topk.Set(Attr::kK, count);
  return Resize(sample, topk, 0, {count});
}

struct Row {
  Opcode opcode;
  int64_t rank;  // rank of the final result
  bool (*flatten)(Sample& sample, Instruction& instruction, int64_t count);
};
constexpr Row kRows[] = {
    {Opcode::kBroadcast, 1, Broadcast},
    {Opcode::kIota, 1, Iota},
    {Opcode::kReduce, 1, Reduce},
    {Opcode::kBitcastConvert, 1, BitcastConvert},
    {Opcode::kConcatenate, 1, Concatenate},
    {Opcode::kConcatenate, 0, ConcatenateUneven},
    {Opcode::kPad, 1, Pad},
    {Opcode::kSlice, 1, Slice},
    {Opcode::kDynamicSlice, 1, DynamicSlice},
    {Opcode::kGather, 1, Gather},
    {Opcode::kReduceWindow, 1, ReduceWindow},
    {Opcode::kDot, 1, Dot},
    {Opcode::kConvolution, 3, Convolution},
    {Opcode::kTopk, 1, TopK},
};

// Returns true if the result has more than kElementsEnough elements and several dimensions.
bool Applies(const Row& row, const Instruction& instruction) {
  if (row.opcode != instruction.opcode()) return false;
  const std::vector<Shape> leaves = LeafShapes(instruction.shape());
  if (leaves.empty() || !leaves[0].IsArray()) return false;
  const Shape& result = leaves[0];
  int64_t spread = 0;
  for (int64_t size : result.dimensions()) spread += size > 1;
  return result.ElementCount() > kElementsEnough && (spread > 1 || result.rank() > row.rank);
}

bool TryRow(const Row& row, Sample& sample, size_t index, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Instruction& instruction = *candidate.module->entry()->instructions()[index];
  const int64_t count = LeafShapes(instruction.shape())[0].ElementCount();
  if (!row.flatten(candidate, instruction, count)) return false;
  candidate.module->entry_computation_layout.reset();
  return InferAgain(*candidate.module) && KeepIfFails(sample, std::move(candidate), still_fails);
}

}  // namespace

bool OneLongDimension(Sample& sample, const StillFails& still_fails) {
  const auto& instructions = sample.module->entry()->instructions();
  for (size_t i = 0; i < instructions.size(); ++i) {
    for (const Row& row : kRows) {
      if (Applies(row, *instructions[i]) && TryRow(row, sample, i, still_fails)) return true;
    }
  }
  return false;
}

}  // namespace hlocts::fuzz
