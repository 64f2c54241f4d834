// SPDX-License-Identifier: Apache-2.0
#include "fuzz/shrink/gather_rank.h"

#include <algorithm>
#include <cstring>

#include "fuzz/shrink/shrinker.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"

namespace hlocts::fuzz {
namespace {

using Sizes = std::vector<int64_t>;

// Returns the position of `number` in a list attribute, or -1.
int64_t PositionIn(const Instruction& gather, Attr attr, int64_t number) {
  const Sizes& list = gather.IntList(attr);
  auto found = std::find(list.begin(), list.end(), number);
  return found == list.end() ? -1 : found - list.begin();
}

// Removes the dimension from a list, and renumbers later dimensions.
void EraseNumber(Instruction& gather, Attr attr, int64_t dimension) {
  if (!gather.Has(attr)) return;
  Sizes list = gather.IntList(attr);
  std::erase(list, dimension);
  for (int64_t& number : list) number -= number > dimension;
  gather.Set(attr, std::move(list));
}

// Returns the result dimension for an offset along this operand dimension, or -1.
int64_t ResultDimension(const Instruction& gather, int64_t dimension) {
  const Sizes& offsets = gather.IntList(Attr::kOffsetDims);
  size_t at = 0;
  for (int64_t d = 0; d < gather.operand(0).shape().rank(); ++d) {
    const bool kept = PositionIn(gather, Attr::kCollapsedSliceDims, d) < 0 &&
                      PositionIn(gather, Attr::kOperandBatchingDims, d) < 0;
    if (d == dimension) return kept && at < offsets.size() ? offsets[at] : -1;
    at += kept;
  }
  return -1;
}

// Returns the elements whose index along `dimension` is not `dropped`.
Literal WithoutSlab(const Literal& literal, int64_t dimension, int64_t dropped) {
  const Sizes& sizes = literal.shape().dimensions();
  const Sizes strides = RowMajorStrides(sizes);
  Shape fewer = literal.shape();
  fewer.set_dimension(dimension, sizes[dimension] - 1);
  Literal result(fewer);
  const int64_t bytes = StorageBytes(literal.element_type());
  uint8_t* to = result.mutable_raw_data();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (i / strides[dimension] % sizes[dimension] == dropped) continue;
    std::memcpy(to, literal.raw_data() + i * bytes, bytes);
    to += bytes;
  }
  return result;
}

void DropSlab(Sample& sample, Instruction& leaf, int64_t dimension, int64_t dropped) {
  ChangeData(sample, leaf,
             [&](const Literal& data) { return WithoutSlab(data, dimension, dropped); });
  leaf.mutable_shape().set_dimension(dimension, leaf.shape().dimension(dimension) - 1);
}

// Removes the coordinate `position` from all index vectors.
void DropNumber(Sample& sample, Instruction& gather, int64_t position, bool square) {
  Instruction& indices = *gather.mutable_operands()[1];
  const int64_t along = gather.IntOr(Attr::kIndexVectorDim, 0);
  const bool leaf = DataOf(sample, indices) != nullptr;
  if (!leaf || along < 0 || along >= indices.shape().rank()) return;
  const int64_t numbers = indices.shape().dimension(along);
  if (position >= numbers) return;
  DropSlab(sample, indices, along, position);
  for (int64_t d = 0; square && d < indices.shape().rank(); ++d) {
    if (indices.shape().dimension(d) == numbers) DropSlab(sample, indices, d, position);
  }
}

}  // namespace

void EraseGathered(Sample& sample, Instruction& gather, int64_t dimension, bool square) {
  Sizes slices = gather.IntList(Attr::kSliceSizes);
  if (dimension >= static_cast<int64_t>(slices.size()) || gather.operand_count() != 2) return;
  const int64_t of_result = ResultDimension(gather, dimension);
  const int64_t position = PositionIn(gather, Attr::kStartIndexMap, dimension);
  if (position >= 0) DropNumber(sample, gather, position, square);
  if (of_result >= 0) EraseNumber(gather, Attr::kOffsetDims, of_result);
  slices.erase(slices.begin() + dimension);
  gather.Set(Attr::kSliceSizes, std::move(slices));
  for (Attr attr : {Attr::kCollapsedSliceDims, Attr::kStartIndexMap, Attr::kOperandBatchingDims})
    EraseNumber(gather, attr, dimension);
}

}  // namespace hlocts::fuzz
