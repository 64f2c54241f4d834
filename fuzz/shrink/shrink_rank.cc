// SPDX-License-Identifier: Apache-2.0
// Shrinks ranks: removes dimensions of size 1, and merges adjacent dimensions.
#include <algorithm>
#include <cstring>
#include <set>

#include "fuzz/shrink/gather_rank.h"
#include "fuzz/shrink/size_edits.h"
#include "spec/ir/attributes.h"
#include "spec/ops/groups.h"

namespace hlocts::fuzz {
namespace {

using Sizes = std::vector<int64_t>;

// Returns the same elements in order, with another shape.
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

// Changes the sizes of the entry's leaves, and of broadcasts with the same sizes.
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

// Removes the attribute's entry for one dimension, if it is the default.
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

// Edits an operation whose operand loses a dimension of size 1. Shape inference rejects the
// operation if it needs the dimension.
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

// Merges a dimension with the next one. The size can then be exactly what the failure needs, such
// as 9 elements instead of 2x5.
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
