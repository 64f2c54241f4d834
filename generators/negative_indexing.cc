// SPDX-License-Identifier: Apache-2.0
// Breaks rules of gather, scatter and dynamic slices: lists of dimensions do not match.
#include <algorithm>

#include "generators/negative_rows.h"

namespace hlocts::generators {
namespace {

constexpr int64_t kFarAway = 100;  // exceeds the rank of any array

bool SetList(Instruction& i, Attr attr, Sizes list) {
  i.Set(attr, std::move(list));
  return true;
}
template <Attr kAttr>
bool OneFarAway(Instruction& i) {
  Sizes list = i.IntList(kAttr);
  list.push_back(kFarAway);
  return SetList(i, kAttr, std::move(list));
}
template <Attr kAttr>
bool Repeated(Instruction& i) {
  Sizes list = i.IntList(kAttr);
  if (list.size() < 2) return false;
  list[0] = list[1];
  return SetList(i, kAttr, std::move(list));
}
template <Attr kAttr>
bool Descending(Instruction& i) {
  Sizes list = i.IntList(kAttr);
  if (list.size() < 2) return false;
  std::reverse(list.begin(), list.end());
  return SetList(i, kAttr, std::move(list));
}
template <Attr kAttr>
bool OneLess(Instruction& i) {
  Sizes list = i.IntList(kAttr);
  if (list.empty()) return false;
  list.pop_back();
  return SetList(i, kAttr, std::move(list));
}
template <Attr kAttr>
bool Lost(Instruction& i) {
  if (i.IntList(kAttr).empty()) return false;
  i.Remove(kAttr);
  return true;
}

template <int64_t kIndices>
bool VectorsFarAway(Instruction& i) {
  i.Set(Attr::kIndexVectorDim, i.operand(kIndices).shape().rank() + 1);
  return true;
}

bool SliceLargerThanTheOperand(Instruction& i) {
  Sizes sizes = i.IntList(Attr::kSliceSizes);
  if (sizes.empty()) return false;
  sizes[0] = i.operand(0).shape().dimension(0) + 1;
  return SetList(i, Attr::kSliceSizes, std::move(sizes));
}
bool CollapsedOfSizeTwo(Instruction& i) {
  Sizes sizes = i.IntList(Attr::kSliceSizes);
  for (int64_t d : i.IntList(Attr::kCollapsedSliceDims)) {
    if (i.operand(0).shape().dimension(d) < 2) continue;
    sizes[d] = 2;
    return SetList(i, Attr::kSliceSizes, std::move(sizes));
  }
  return false;
}
// Removes the only offset dimension. If there were two, the other one could be out of range, which
// breaks another rule.
bool OffsetsWithoutPlace(Instruction& i) {
  return i.IntList(Attr::kOffsetDims).size() == 1 && SetList(i, Attr::kOffsetDims, {});
}

bool OneStartLess(Instruction& i) {
  // A single remaining start could mean the older form, in which one vector contains all starts.
  if (i.operand_count() < 3 || i.operand(1).shape().rank() != 0) return false;
  i.mutable_operands().pop_back();
  return true;
}
bool OneStartMore(Instruction& i) {
  if (i.operand_count() < 3 || i.operand(2).shape().rank() != 0) return false;
  i.mutable_operands().push_back(i.operands().back());
  return true;
}
bool OneOperandMore(Instruction& i) {
  i.mutable_operands().push_back(i.operands().back());
  return true;
}

}  // namespace

std::vector<BreakRow> IndexingBreaks() {
  return {
      {Opcode::kGather, "gather.6", OneFarAway<Attr::kOffsetDims>},
      {Opcode::kGather, "gather.6", Descending<Attr::kOffsetDims>},
      {Opcode::kGather, "gather.8", OneFarAway<Attr::kCollapsedSliceDims>},
      {Opcode::kGather, "gather.10", OneFarAway<Attr::kStartIndexMap>},
      {Opcode::kGather, "gather.10", OneLess<Attr::kStartIndexMap>},
      {Opcode::kGather, "gather.10", Repeated<Attr::kStartIndexMap>},
      {Opcode::kGather, "gather.17", VectorsFarAway<1>},
      {Opcode::kGather, "gather.16", OneLess<Attr::kSliceSizes>},
      {Opcode::kGather, "gather.7", SliceLargerThanTheOperand},
      {Opcode::kGather, "gather.9", CollapsedOfSizeTwo},
      {Opcode::kGather, "gather.15", OffsetsWithoutPlace},
      {Opcode::kGather, "hlo.gather", Lost<Attr::kStartIndicesBatchingDims>},
      {Opcode::kScatter, "scatter.27", Descending<Attr::kUpdateWindowDims>},
      {Opcode::kScatter, "scatter.29", OneFarAway<Attr::kUpdateWindowDims>},
      {Opcode::kScatter, "scatter.30", Descending<Attr::kInsertedWindowDims>},
      {Opcode::kScatter, "scatter.32", OneFarAway<Attr::kInsertedWindowDims>},
      {Opcode::kScatter, "scatter.35", OneFarAway<Attr::kScatterDimsToOperandDims>},
      {Opcode::kScatter, "scatter.13", Repeated<Attr::kScatterDimsToOperandDims>},
      {Opcode::kScatter, "scatter.34", OneLess<Attr::kScatterDimsToOperandDims>},
      {Opcode::kScatter, "scatter.33", OneLess<Attr::kInsertedWindowDims>},
      {Opcode::kScatter, "scatter.22", VectorsFarAway<1>},
      {Opcode::kScatter, "scatter.2", OneOperandMore},
      {Opcode::kScatter, "hlo.scatter", Lost<Attr::kScatterIndicesBatchingDims>},
      {Opcode::kDynamicSlice, "dynamic_slice.6", OneStartLess},
      {Opcode::kDynamicUpdateSlice, "dynamic_update_slice.10", OneStartMore},
      {Opcode::kReduce, "reduce.2", OneOperandMore},
      {Opcode::kReduceWindow, "reduce_window.6", OneOperandMore},
      {Opcode::kRng, "hlo.arity", OneOperandMore},
  };
}

}  // namespace hlocts::generators
