// SPDX-License-Identifier: Apache-2.0
// Shrinks a size in all arrays that have it, or in one dimension of one leaf.
#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "fuzz/shrink/size_edits.h"
#include "spec/infer/infer.h"
#include "spec/ir/index_util.h"
#include "spec/ops/groups.h"

namespace hlocts::fuzz {
namespace {

enum class End : uint8_t { kLeading, kTrailing };

// Makes run-time sizes in `after` smaller than the bound if they were so in `before`.
void FollowBounds(const Literal& before, Literal& after) {
  for (int64_t d = 0; d < after.shape().rank(); ++d) {
    if (!after.shape().is_dynamic_dimension(d)) continue;
    const int64_t size = before.runtime_size(d), bound = after.shape().dimension(d);
    const bool below = size < before.shape().dimension(d);
    after.SetRuntimeSize(d, std::max<int64_t>(0, std::min(size, below ? bound - 1 : bound)));
  }
}

// Returns the corner of `literal` with the sizes of `shape`, at the start or end of each dimension.
Literal Corner(const Literal& literal, const Shape& shape, End end) {
  Literal result(shape);
  int64_t bytes = StorageBytes(shape.element_type());
  std::vector<int64_t> from = RowMajorStrides(literal.shape().dimensions());
  std::vector<int64_t> index(shape.dimensions().size(), 0);
  uint8_t* to = result.mutable_raw_data();
  int64_t skipped = 0;
  for (size_t d = 0; d < index.size() && end == End::kTrailing; ++d)
    skipped += (literal.shape().dimensions()[d] - shape.dimensions()[d]) * from[d];
  for (int64_t i = 0; i < result.element_count(); ++i) {
    std::memcpy(to + i * bytes, literal.raw_data() + (skipped + LinearIndex(index, from)) * bytes,
                bytes);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape.dimensions()[d]) break;
      index[d] = 0;
    }
  }
  FollowBounds(literal, result);
  return result;
}

// Crops `data` to `shape`. Returns `data` if `shape` is invalid, larger, or has another rank.
Literal Cropped(const Literal& data, const Shape& shape, End end) {
  const auto& sizes = data.shape().dimensions();
  const auto& wanted = shape.dimensions();
  const bool alike = data.shape().IsArray() && sizes.size() == wanted.size();
  if (!alike || !VerifyShape(shape).ok()) return data;
  const bool fits = std::equal(sizes.begin(), sizes.end(), wanted.begin(), std::greater_equal<>());
  return fits ? Corner(data, shape, end) : data;
}

// Shrinks the sizes of a leaf, and its literal or argument.
void Resize(Sample& sample, Instruction& leaf, const std::vector<int64_t>& sizes,
            End end = End::kLeading) {
  Shape shape(leaf.shape().element_type(), sizes);
  for (int64_t d = 0; d < shape.rank(); ++d)
    shape.set_dynamic_dimension(d, leaf.shape().is_dynamic_dimension(d));
  shape.mutable_layout() = leaf.shape().layout();
  shape = shape.WithDefaultLayout();
  ChangeData(sample, leaf, [&](const Literal& data) { return Cropped(data, shape, end); });
  leaf.mutable_shape() = std::move(shape);
}

// Changes sizes that are not inferred: those of a reshape, or new dimensions of a broadcast.
void ResizeStated(Instruction& instruction, int64_t from, int64_t to) {
  const bool all = instruction.opcode() == Opcode::kReshape;
  if (!all && instruction.opcode() != Opcode::kBroadcast) return;
  if (!instruction.shape().IsArray()) return;
  const std::vector<int64_t>& dimensions = instruction.IntList(Attr::kDimensions);
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    bool given = std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end();
    if ((all || !given) && instruction.shape().dimension(d) == from)
      instruction.mutable_shape().set_dimension(d, to);
  }
}

// Changes the slice sizes of dynamic-slice and gather.
void ResizeSlices(Instruction& slice, int64_t from, int64_t to) {
  for (Attr attr : {Attr::kDynamicSliceSizes, Attr::kSliceSizes}) {
    std::vector<int64_t> sizes = slice.IntList(attr);
    if (std::find(sizes.begin(), sizes.end(), from) == sizes.end()) continue;
    std::replace(sizes.begin(), sizes.end(), from, to);
    slice.Set(attr, std::move(sizes));
  }
}

// Changes every size `from` of every leaf to `to`; if `slices`, also slice sizes.
void ResizeAll(Sample& sample, int64_t from, int64_t to, bool slices, End end) {
  for (const auto& computation : sample.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      ResizeStated(*instruction, from, to);
      if (slices) ResizeSlices(*instruction, from, to);
      if (!ops::IsSource(instruction->opcode()) || !instruction->shape().IsArray()) continue;
      std::vector<int64_t> sizes = instruction->shape().dimensions();
      std::replace(sizes.begin(), sizes.end(), from, to);
      if (sizes != instruction->shape().dimensions()) Resize(sample, *instruction, sizes, end);
    }
  }
}

// Changes one dimension of one leaf of the entry.
void ResizeDimension(Sample& sample, int64_t index, int64_t dimension, int64_t to, End end) {
  Instruction* leaf = EntryInstruction(sample, index);
  std::vector<int64_t> sizes = leaf->shape().dimensions();
  sizes[dimension] = to;
  Resize(sample, *leaf, sizes, end);
}

bool TrySize(Sample& sample, int64_t from, int64_t to, bool slices, End end,
             const StillFails& still_fails) {
  return TryEdit(
      sample, [=](Sample& s) { ResizeAll(s, from, to, slices, end); }, still_fails);
}

bool TryDimension(Sample& sample, int64_t index, int64_t dimension, int64_t to, End end,
                  const StillFails& still_fails) {
  return TryEdit(
      sample, [=](Sample& s) { ResizeDimension(s, index, dimension, to, end); }, still_fails);
}

Shape WithSize(const Shape& shape, int64_t from, int64_t to) {
  Shape changed = shape;
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes())
      elements.push_back(WithSize(element, from, to));
    return Shape::Tuple(std::move(elements));
  }
  for (int64_t d = 0; shape.IsArray() && d < shape.rank(); ++d) {
    if (shape.dimension(d) == from) changed.set_dimension(d, to);
  }
  return changed;
}

// Changes every size `from` of any shape to `to` without shape inference. For invalid modules.
bool TrySizeAsWritten(Sample& sample, int64_t from, int64_t to, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  for (const auto& computation : candidate.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape changed = WithSize(instruction->shape(), from, to);
      if (changed == instruction->shape()) continue;
      const Literal* data = DataOf(candidate, *instruction);
      if (data && !changed.IsArray()) return false;
      if (data && data->shape().dimensions() != instruction->shape().dimensions()) return false;
      if (data) Resize(candidate, *instruction, changed.dimensions());
      instruction->mutable_shape() = changed;
    }
  }
  candidate.module->entry_computation_layout.reset();
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

// Finds a small size that still fails: tries 1 and 2, and then decreases the size in halved steps.
template <typename Try>
bool Descend(int64_t size, const Try& attempt) {
  if (size <= 1) return false;
  for (int64_t small : {int64_t{1}, int64_t{2}}) {
    if (small < size && attempt(size, small)) return true;
  }
  bool progress = false;
  for (int64_t step = size / 2; step > 0;) {
    if (size - step > 0 && attempt(size, size - step)) {
      size -= step;
      progress = true;
    } else {
      step /= 2;
    }
  }
  return progress;
}

// Returns the smaller sizes to try together with another edit.
std::set<int64_t> SmallerThan(int64_t size) {
  std::set<int64_t> sizes;
  for (int64_t smaller : {int64_t{2}, int64_t{4}, size / 2, size - 1}) {
    if (smaller > 0 && smaller < size) sizes.insert(smaller);
  }
  return sizes;
}

std::set<int64_t> SizesOf(const Module& module) {
  std::set<int64_t> sizes;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Opcode opcode = instruction->opcode();
      bool states =
          ops::IsSource(opcode) || ops::IsOneOf(opcode, {Opcode::kBroadcast, Opcode::kReshape});
      if (!states || !instruction->shape().IsArray()) continue;
      for (int64_t size : instruction->shape().dimensions()) sizes.insert(size);
    }
  }
  return sizes;
}

}  // namespace

bool TryEdit(Sample& sample, const SampleEdit& edit, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  edit(candidate);
  candidate.module->entry_computation_layout.reset();
  return InferEdited(*candidate.module, *sample.module) &&
         KeepIfFails(sample, std::move(candidate), still_fails);
}

bool ShrinkDimensions(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (int64_t size : SizesOf(*sample.module)) {
    auto attempt = [&](int64_t from, int64_t to) {
      for (bool slices : {false, true}) {
        for (End end : {End::kLeading, End::kTrailing})
          if (TrySize(sample, from, to, slices, end, still_fails)) return true;
      }
      return false;
    };
    progress = Descend(size, attempt) || progress;
  }
  for (size_t i = 0; i < sample.module->entry()->instructions().size(); ++i) {
    int64_t index = static_cast<int64_t>(i);
    const Instruction* leaf = EntryInstruction(sample, index);
    if (!ops::IsSource(leaf->opcode()) || !leaf->shape().IsArray()) continue;
    // Looks up the leaf again: an accepted candidate replaces the module, and `leaf` is then stale.
    for (int64_t d = 0; d < EntryInstruction(sample, index)->shape().rank(); ++d) {
      int64_t size = EntryInstruction(sample, index)->shape().dimension(d);
      progress = Descend(size,
                         [&](int64_t, int64_t to) {
                           return TryDimension(sample, index, d, to, End::kLeading, still_fails) ||
                                  TryDimension(sample, index, d, to, End::kTrailing, still_fails);
                         }) ||
                 progress;
    }
  }
  return progress;
}

std::vector<SampleEdit> SizeEdits(const Sample& sample) {
  std::vector<SampleEdit> edits;
  for (int64_t from : SizesOf(*sample.module)) {
    for (int64_t to : SmallerThan(from))
      edits.push_back([=](Sample& s) { ResizeAll(s, from, to, true, End::kLeading); });
  }
  for (const auto& leaf : sample.module->entry()->instructions()) {
    if (!ops::IsSource(leaf->opcode()) || !leaf->shape().IsArray()) continue;
    const int64_t index = leaf->index();
    for (int64_t d = 0; d < leaf->shape().rank(); ++d) {
      for (int64_t to : SmallerThan(leaf->shape().dimension(d)))
        edits.push_back([=](Sample& s) { ResizeDimension(s, index, d, to, End::kLeading); });
    }
  }
  return edits;
}

bool ShrinkSizesAsWritten(Sample& sample, const StillFails& still_fails) {
  std::set<int64_t> sizes;
  for (const auto& computation : sample.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Shape& leaf : LeafShapes(instruction->shape()))
        if (leaf.IsArray()) sizes.insert(leaf.dimensions().begin(), leaf.dimensions().end());
    }
  }
  bool progress = false;
  for (int64_t size : sizes) {
    auto attempt = [&](int64_t from, int64_t to) {
      return TrySizeAsWritten(sample, from, to, still_fails);
    };
    progress = Descend(size, attempt) || progress;
  }
  return progress;
}

}  // namespace hlocts::fuzz
