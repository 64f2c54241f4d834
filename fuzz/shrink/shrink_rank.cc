// SPDX-License-Identifier: Apache-2.0
// Shrinks ranks: removes dimensions of size 1, and merges adjacent dimensions.
#include <algorithm>
#include <cstring>
#include <set>

#include "fuzz/shrink/shrinker.h"
#include "fuzz/shrink/size_edits.h"
#include "fuzz/triage/sample.h"
#include "spec/ir/attributes.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/ops/groups.h"

namespace hlocts::fuzz {
namespace {

// Edits of a gather whose operand loses a dimension of size 1.

using Sizes = std::vector<int64_t>;

// Returns the position of `number` in a list attribute, or -1.
int64_t PositionIn(const Instruction& gather, Attr attr, int64_t number) {
  const Sizes& list = gather.IntList(attr);
  auto found = std::find(list.begin(), list.end(), number);
  return found == list.end() ? -1 : found - list.begin();
}

// Removes the dimension from a list attribute, and renumbers the dimensions after it.
void EraseNumber(Instruction& gather, Attr attr, int64_t dimension) {
  if (!gather.Has(attr)) return;
  Sizes list = gather.IntList(attr);
  std::erase(list, dimension);
  for (int64_t& number : list) number -= number > dimension;
  gather.Set(attr, std::move(list));
}

// Returns the result dimension of the offsets along this operand dimension, or -1.
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

// Returns the literal without the elements whose index along `dimension` is `dropped`.
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

// Removes coordinate `position` from all index vectors.
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

// Removes the dimension from the slice sizes, the result and the index vectors. If `square`, an
// array of n index vectors with n elements each also loses one vector and so stays square. The
// caller edits the operand and infers the shapes again.
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

// Returns a literal of another shape with the same elements in the same order.
Literal Restated(const Literal& literal, const Shape& shape) {
  Literal restated(shape);
  if (restated.raw_size() != literal.raw_size()) return literal;
  std::memcpy(restated.mutable_raw_data(), literal.raw_data(), literal.raw_size());
  return restated;
}

bool IsLeafOf(const Instruction& instruction, const Sizes& sizes) {
  return ops::IsGiven(instruction.opcode()) && instruction.shape().IsArray() &&
         !instruction.shape().is_dynamic() && instruction.shape().dimensions() == sizes;
}

// Changes the sizes of leaves and broadcasts of the entry from `from` to `to`.
void Restate(Sample& sample, const Sizes& from, const Sizes& to) {
  for (const auto& instruction : sample.module->entry()->instructions()) {
    const Shape& was = instruction->shape();
    const bool repeats = instruction->opcode() == Opcode::kBroadcast && was.dimensions() == from;
    if (!repeats && !IsLeafOf(*instruction, from)) continue;
    const Shape shape = Shape(was.element_type(), to).WithDefaultLayout();
    ChangeData(sample, *instruction, [&](const Literal& data) { return Restated(data, shape); });
    instruction->mutable_shape() = shape;
  }
}

// Removes the attribute's entry for one dimension if that entry is the default.
template <typename Config, typename Entry>
void EraseEntry(Instruction& instruction, Attr attr, size_t dimension, const Entry& plain) {
  const Config* config = instruction.Get<Config>(attr);
  if (config == nullptr || dimension >= config->dimensions.size()) return;
  if (!(config->dimensions[dimension] == plain)) return;
  Config erased = *config;
  erased.dimensions.erase(erased.dimensions.begin() + static_cast<std::ptrdiff_t>(dimension));
  instruction.Set(attr, erased);
}

// Renumbers the dimensions after the removed one.
void Renumber(Instruction& instruction, int64_t dimension) {
  if (!instruction.Has(Attr::kDimensions)) return;
  Sizes numbers = instruction.IntList(Attr::kDimensions);
  if (instruction.opcode() == Opcode::kReverse) std::erase(numbers, dimension);
  for (int64_t& number : numbers) number -= number > dimension;
  instruction.Set(Attr::kDimensions, std::move(numbers));
}

void EraseSliceSize(Instruction& slice, size_t dimension) {
  Sizes sizes = slice.IntList(Attr::kDynamicSliceSizes);
  const size_t index = dimension + 1;
  if (dimension >= sizes.size() || slice.operands().size() <= index) return;
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
  slice.Set(Attr::kDynamicSliceSizes, std::move(sizes));
  auto& operands = slice.mutable_operands();
  operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(index));
}

// Edits an operation whose operand loses a dimension of size 1. If the operation needs this
// dimension, shape inference later rejects the candidate.
void EraseDimension(Sample& sample, Instruction& instruction, size_t dimension, bool square) {
  EraseEntry<Window>(instruction, Attr::kWindow, dimension, WindowDimension{});
  EraseEntry<PaddingConfig>(instruction, Attr::kPadding, dimension, PaddingDimension{});
  EraseEntry<SliceRanges>(instruction, Attr::kSlice, dimension, SliceRange{0, 1, 1});
  if (instruction.opcode() == Opcode::kDynamicSlice) EraseSliceSize(instruction, dimension);
  if (instruction.opcode() == Opcode::kGather)
    EraseGathered(sample, instruction, static_cast<int64_t>(dimension), square);
  Renumber(instruction, static_cast<int64_t>(dimension));
}

void Erase(Sample& sample, const Sizes& sizes, size_t dimension, bool square) {
  for (const auto& instruction : sample.module->entry()->instructions()) {
    const bool takes = instruction->operand_count() > 0 &&
                       instruction->operand(0).shape().IsArray() &&
                       instruction->operand(0).shape().dimensions() == sizes;
    if (takes) EraseDimension(sample, *instruction, dimension, square);
  }
  Sizes fewer = sizes;
  fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(dimension));
  Restate(sample, sizes, fewer);
}

// Merges a dimension with the next one. The size of an array can then be exactly what the failure
// needs, e.g. 9 elements instead of 2x5.
void Merge(Sample& sample, const Sizes& sizes, size_t dimension) {
  Sizes merged = sizes;
  merged[dimension + 1] *= merged[dimension];
  merged[dimension] = 1;
  Restate(sample, sizes, merged);
}

bool ShrinkOneRank(Sample& sample, const StillFails& still_fails) {
  std::set<Sizes> all;
  for (const auto& leaf : sample.module->entry()->instructions()) {
    if (leaf->shape().IsArray() && IsLeafOf(*leaf, leaf->shape().dimensions()))
      all.insert(leaf->shape().dimensions());
  }
  for (const Sizes& sizes : all) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      const bool two = d + 1 < sizes.size() && sizes[d] > 1 && sizes[d + 1] > 1;
      if (sizes[d] != 1 && !two) continue;
      for (bool square : {false, true}) {
        const SampleEdit edit = [&](Sample& s) {
          two ? Merge(s, sizes, d) : Erase(s, sizes, d, square);
        };
        if (TryEdit(sample, edit, still_fails)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool ShrinkRank(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  while (ShrinkOneRank(sample, still_fails)) progress = true;
  return progress;
}

}  // namespace hlocts::fuzz
