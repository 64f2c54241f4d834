// SPDX-License-Identifier: Apache-2.0
// Generates dynamic-slice, dynamic-update-slice, gather and scatter, with indices of every integer
// type, most of them in bounds.

#include "generators/families/reducers.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

constexpr PrimitiveType kIndexTypes[] = {
    PrimitiveType::kS32, PrimitiveType::kS64, PrimitiveType::kU32, PrimitiveType::kU8,
    PrimitiveType::kS8,  PrimitiveType::kU16, PrimitiveType::kS16, PrimitiveType::kU64};
constexpr int kIndexWeights[] = {10, 3, 2, 2, 2, 1, 1, 1};

PrimitiveType DrawIndexType(ModuleWriter& w) {
  return kIndexTypes[w.choose.Weighted(kIndexWeights)];
}

// Draws a size above the largest index of type s8.
int64_t DrawLongSize(ModuleWriter& w) { return w.choose.Range(129, 160); }
bool Long(ModuleWriter& w) { return 4 * w.plan.elements_max >= 160 && w.choose.OneIn(8); }

Terms StartIndices(ModuleWriter& w, const Dims& dims, const Dims& sizes) {
  Terms starts;
  PrimitiveType type = DrawIndexType(w);
  for (size_t d = 0; d < dims.size(); ++d) starts.push_back(w.Index(type, dims[d] - sizes[d]));
  return starts;
}

// The operand dimensions that an index vector selects, and those that remain in the windows.
struct Windows {
  Dims operand, sizes;  // sizes of the operand and of a window
  Dims dropped;         // collapsed or inserted dimensions; their window size is 1
  Dims kept;            // the other dimensions
  Dims named;           // operand dimensions that an index vector selects, in its order
  Dims indices;         // sizes of the indices, with the index vector dimension
  Dims batch;           // sizes of the indices, without the index vector dimension
  int64_t vector_dimension = 0;
  Dims operand_batching, indices_batching;
};

void DrawNamed(ModuleWriter& w, Windows& windows) {
  for (size_t d = 0; d < windows.operand.size(); ++d) {
    int64_t number = static_cast<int64_t>(d);
    bool batching = !windows.operand_batching.empty() && windows.operand_batching[0] == number;
    if (!batching && w.choose.Below(4) != 0) windows.named.push_back(number);
  }
  for (size_t i = windows.named.size(); i > 1; --i) {
    std::swap(windows.named[i - 1], windows.named[w.choose.Below(i)]);
  }
}

// Draws a batching dimension, which the operand and the indices share.
void DrawBatching(ModuleWriter& w, Windows& windows) {
  if (windows.operand.empty() || windows.batch.empty() || !w.choose.OneIn(5)) return;
  int64_t of_operand = w.choose.Range(0, static_cast<int64_t>(windows.operand.size()) - 1);
  int64_t of_batch = w.choose.Range(0, static_cast<int64_t>(windows.batch.size()) - 1);
  windows.batch[of_batch] = windows.operand[of_operand];
  windows.operand_batching = {of_operand};
  windows.indices_batching = {of_batch};
}

void DrawWindowSizes(ModuleWriter& w, Windows& windows) {
  for (size_t d = 0; d < windows.operand.size(); ++d) {
    int64_t number = static_cast<int64_t>(d), size = windows.operand[d];
    bool batching = !windows.operand_batching.empty() && windows.operand_batching[0] == number;
    bool drop = batching || w.choose.Below(2) == 0;
    windows.sizes.push_back(size == 0 ? 0 : drop ? 1 : w.choose.Range(1, size));
    if (!batching && drop) windows.dropped.push_back(number);
    if (!batching && !drop) windows.kept.push_back(number);
  }
}

Windows DrawWindows(ModuleWriter& w) {
  Windows windows;
  windows.operand = Long(w) ? Dims{DrawLongSize(w)} : w.DrawDims(0, 3);
  for (int64_t rank = w.choose.Range(0, 2); rank > 0; --rank) windows.batch.push_back(w.DrawSize());
  DrawBatching(w, windows);
  DrawWindowSizes(w, windows);
  DrawNamed(w, windows);
  windows.vector_dimension = w.choose.Range(0, static_cast<int64_t>(windows.batch.size()));
  windows.indices = windows.batch;
  int64_t length = static_cast<int64_t>(windows.named.size());
  bool implicit = length == 1 && w.choose.Below(2) == 0;  // no index vector dimension
  if (implicit) {
    windows.vector_dimension = static_cast<int64_t>(windows.batch.size());
  } else {
    windows.indices.insert(windows.indices.begin() + windows.vector_dimension, length);
  }
  // Batching dimensions are numbered in the shape that includes the index vector dimension.
  for (int64_t& d : windows.indices_batching)
    d += !implicit && d >= windows.vector_dimension ? 1 : 0;
  return windows;
}

// Returns the sizes of the result or updates: batch sizes in order, window sizes randomly placed.
Dims Interleave(ModuleWriter& w, const Windows& windows, Dims* window_places) {
  Dims dims;
  size_t batch = 0, kept = 0;
  while (batch < windows.batch.size() || kept < windows.kept.size()) {
    bool window =
        kept < windows.kept.size() && (batch == windows.batch.size() || w.choose.Below(2));
    if (window) {
      window_places->push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(windows.sizes[windows.kept[kept++]]);
    } else {
      dims.push_back(windows.batch[batch++]);
    }
  }
  return dims;
}

// Returns the indices. If callers drew operand and indices in one expression, the order of the two
// draws would depend on the compiler.
Value* IndicesOf(ModuleWriter& w, const Windows& windows) {
  Requirement demand;
  if (!w.choose.OneIn(4)) {
    int64_t last = 0;
    for (int64_t d : windows.named) last = std::max(last, windows.operand[d] - windows.sizes[d]);
    demand = {0, static_cast<double>(last), false};
  }
  return w.FindOrMake(DrawIndexType(w), windows.indices, demand);
}

}  // namespace

bool GenerateDynamicSlice(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1), operand_dims = dims;
  for (int64_t& size : operand_dims) size += w.choose.Range(0, 3);
  if (dims.size() == 1 && dims[0] < 129 && Long(w)) operand_dims[0] = DrawLongSize(w) + dims[0];
  if (!w.Fits(operand_dims)) return false;
  Terms operands = {w.FindOrMake(type, operand_dims)};
  Terms starts = StartIndices(w, operand_dims, dims);
  operands.insert(operands.end(), starts.begin(), starts.end());
  ValueFacts facts = operands[0]->facts;
  facts.unique = false;
  Value* slice = w.Emit(Opcode::kDynamicSlice, Shape(type, dims), operands, facts);
  slice->instruction->Set(Attr::kDynamicSliceSizes, dims);
  return true;
}

bool GenerateDynamicUpdateSlice(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = Long(w) ? Dims{DrawLongSize(w)} : w.DrawDims(1), update_dims = dims;
  for (int64_t& size : update_dims) size = w.choose.Range(size > 0 ? 1 : 0, size);
  Terms operands = {w.FindOrMake(type, dims), w.FindOrMake(type, update_dims)};
  Terms starts = StartIndices(w, dims, update_dims);
  operands.insert(operands.end(), starts.begin(), starts.end());
  w.Emit(Opcode::kDynamicUpdateSlice, Shape(type, dims), operands,
         Join(operands[0]->facts, operands[1]->facts));
  return true;
}

bool GenerateGather(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  Windows windows = DrawWindows(w);
  Dims places, dims = Interleave(w, windows, &places);
  if (!w.Fits(dims) || !w.Fits(windows.indices)) return false;
  // From an operand without elements, no slice with elements can be taken.
  if (ElementsOf(windows.operand) == 0 && ElementsOf(dims) != 0) return false;
  Value* operand = w.FindOrMake(type, windows.operand);
  Value* indices = IndicesOf(w, windows);
  ValueFacts facts = operand->facts;
  facts.unique = false;
  Instruction* gather =
      w.Emit(Opcode::kGather, Shape(type, dims), {operand, indices}, facts)->instruction;
  gather->Set(Attr::kOffsetDims, places);
  gather->Set(Attr::kCollapsedSliceDims, windows.dropped);
  gather->Set(Attr::kStartIndexMap, windows.named);
  if (!windows.operand_batching.empty()) {
    gather->Set(Attr::kOperandBatchingDims, windows.operand_batching);
    gather->Set(Attr::kStartIndicesBatchingDims, windows.indices_batching);
  }
  gather->Set(Attr::kIndexVectorDim, windows.vector_dimension);
  gather->Set(Attr::kSliceSizes, windows.sizes);
  if (ElementsOf(windows.batch) <= 1 && w.choose.OneIn(3))
    gather->Set(Attr::kIndicesAreSorted, true);
  return true;
}

bool GenerateScatter(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  const ReducerRow* row = DrawReducer(w, type);
  if (!row) return false;
  Windows windows = DrawWindows(w);
  Dims places, dims = Interleave(w, windows, &places);
  if (!w.Fits(dims) || !w.Fits(windows.indices)) return false;
  int64_t count = ElementsOf(windows.batch) + 1;  // number of updates, plus the operand
  if (row->opcode == Opcode::kAdd && IsOpenSum(w, type, static_cast<double>(count))) return false;
  Requirement demand = ReducerRequirement(w, *row, type, count);
  Value* operand = w.FindOrMake(type, windows.operand, demand);
  Value* indices = IndicesOf(w, windows);
  Value* updates = w.FindOrMake(type, dims, demand);
  ValueFacts facts = ReducedFacts(w, *row, type, Join(operand->facts, updates->facts), count);
  Instruction* scatter =
      w.Emit(Opcode::kScatter, Shape(type, windows.operand), {operand, indices, updates}, facts)
          ->instruction;
  scatter->Set(Attr::kUpdateWindowDims, places);
  scatter->Set(Attr::kInsertedWindowDims, windows.dropped);
  scatter->Set(Attr::kScatterDimsToOperandDims, windows.named);
  if (!windows.operand_batching.empty()) {
    scatter->Set(Attr::kInputBatchingDims, windows.operand_batching);
    scatter->Set(Attr::kScatterIndicesBatchingDims, windows.indices_batching);
  }
  scatter->Set(Attr::kIndexVectorDim, windows.vector_dimension);
  bool single = ElementsOf(windows.batch) <= 1;
  if (single && w.choose.OneIn(3)) scatter->Set(Attr::kIndicesAreSorted, true);
  if (single && w.choose.OneIn(3)) scatter->Set(Attr::kUniqueIndices, true);
  // The computation combines two values, or returns the update, which overwrites the operand.
  scatter->Set(Attr::kToApply,
               w.choose.OneIn(3) ? w.OverwriteComputation(type) : w.Reducer(row->opcode, type));
  return true;
}

}  // namespace hlocts::generators
