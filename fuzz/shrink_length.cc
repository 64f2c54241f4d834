// Shrinking to one long dimension: where only the number of elements matters, its size can be
// exactly what a failure needs, 17, where 4x5 was the least of its kind.
#include <algorithm>
#include <cstring>

#include "fuzz/size_edits.h"
#include "spec/ir/attributes.h"

namespace hlocts {
namespace {

using Sizes = std::vector<int64_t>;

// The elements in order, from the first again once they are used up.
Literal Repeated(const Literal& literal, const Shape& shape) {
  Literal repeated(shape);
  const int64_t bytes = StorageBytes(shape.element_type()), count = literal.element_count();
  for (int64_t i = 0; count > 0 && i < repeated.element_count(); ++i) {
    std::memcpy(repeated.mutable_raw_data() + i * bytes, literal.raw_data() + i % count * bytes,
                static_cast<size_t>(bytes));
  }
  return repeated;
}

// Gives an operand other sizes; false where it is no leaf.
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

// Each makes an operation on one dimension whose result has `count` elements.
bool Concatenate(Sample& sample, Instruction& concatenate, int64_t) {
  concatenate.Set(Attr::kDimensions, Sizes{0});
  for (size_t i = 0; i < concatenate.operands().size(); ++i) {
    // An operand that stands twice is flat already.
    if (concatenate.operand(i).shape().rank() > 1 && !Flatten(sample, concatenate, i)) return false;
  }
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
  WindowDimension window;
  window.size = std::max<int64_t>(1, 1 - more);
  window.padding_high = std::max<int64_t>(0, more);
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
  int64_t rank;  // of the result when it is done
  bool (*flatten)(Sample& sample, Instruction& instruction, int64_t count);
};
constexpr Row kRows[] = {
    {Opcode::kConcatenate, 1, Concatenate},
    {Opcode::kPad, 1, Pad},
    {Opcode::kSlice, 1, Slice},
    {Opcode::kDynamicSlice, 1, DynamicSlice},
    {Opcode::kGather, 1, Gather},
    {Opcode::kReduceWindow, 1, ReduceWindow},
    {Opcode::kDot, 1, Dot},
    {Opcode::kConvolution, 3, Convolution},
    {Opcode::kTopk, 1, TopK},
};

// What is long and spread over several dimensions.
const Row* RowFor(const Instruction& instruction) {
  const Shape result = LeafShapes(instruction.shape())[0];
  if (!result.IsArray() || result.ElementCount() <= kElementsEnough) return nullptr;
  int64_t spread = 0;
  for (int64_t size : result.dimensions()) spread += size > 1;
  for (const Row& row : kRows) {
    const bool more = spread > 1 || result.rank() > row.rank;
    if (row.opcode == instruction.opcode() && more) return &row;
  }
  return nullptr;
}

}  // namespace

bool OneLongDimension(Sample& sample, const StillFails& still_fails) {
  const auto& instructions = sample.module->entry()->instructions();
  for (size_t i = 0; i < instructions.size(); ++i) {
    const std::vector<Shape> leaves = LeafShapes(instructions[i]->shape());
    const Row* row = leaves.empty() ? nullptr : RowFor(*instructions[i]);
    if (!row) continue;
    Sample candidate = sample.Clone();
    Instruction& instruction = *candidate.module->entry()->instructions()[i];
    if (!row->flatten(candidate, instruction, leaves[0].ElementCount())) continue;
    candidate.module->entry_computation_layout.reset();
    if (InferAgain(*candidate.module) && KeepIfFails(sample, std::move(candidate), still_fails))
      return true;
  }
  return false;
}

}  // namespace hlocts
