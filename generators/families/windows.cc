// SPDX-License-Identifier: Apache-2.0
// Generates reduce-window and select-and-scatter, with strides, padding and dilations.
#include "generators/families/windows.h"

#include "generators/families/reducers.h"
#include "generators/op_generators.h"
#include "spec/ops/groups.h"

namespace hlocts::generators {

WindowDimension DrawWindowDimension(ModuleWriter& w, int64_t size_max) {
  WindowDimension window;
  window.size = w.choose.Range(1, std::max<int64_t>(1, size_max));
  if (w.choose.OneIn(3)) window.stride = w.choose.Range(2, 3);
  if (w.choose.OneIn(3)) {
    window.padding_low = w.choose.Range(-1, 2);
    window.padding_high = w.choose.Range(-1, 2);
  }
  if (w.choose.OneIn(6)) window.window_dilation = 2;
  if (w.choose.OneIn(6)) window.base_dilation = 2;
  return window;
}

int64_t WindowedSize(int64_t base, const WindowDimension& window) {
  int64_t dilated = base > 0 ? (base - 1) * window.base_dilation + 1 : 0;
  int64_t padded = std::max<int64_t>(dilated + window.padding_low + window.padding_high, 0);
  int64_t extent = (window.size - 1) * window.window_dilation + 1;
  return padded == 0 || extent > padded ? 0 : (padded - extent) / window.stride + 1;
}

bool GenerateReduceWindow(ModuleWriter& w, Opcode) {
  if (w.scalars_only()) return false;
  PrimitiveType type = w.DrawType(~TypeSet{0});
  const ReducerRow* row = type == PrimitiveType::kInvalid ? nullptr : DrawReducer(w, type);
  if (!row) return false;
  Dims base = w.DrawDims(1, 3), dims;
  Window window;
  int64_t count = 1;
  for (int64_t size : base) {
    window.dimensions.push_back(DrawWindowDimension(w, std::min<int64_t>(size, 4)));
    count *= window.dimensions.back().size;
    dims.push_back(WindowedSize(size, window.dimensions.back()));
  }
  if (!w.Fits(dims)) return false;
  if (row->opcode == Opcode::kAdd && IsOpenSum(w, type, static_cast<double>(count))) return false;
  Start start = DrawStart(w, *row, count);
  Value* operand = w.FindOrMake(type, base, ReducerRequirement(w, *row, type, start.count));
  Value* init = InitOf(w, *row, type, start);
  // A window may contain only padding; its result is then the initial value.
  ValueFacts values = start.neutral ? operand->facts : Join(operand->facts, init->facts);
  ValueFacts facts = ops::IsRingOperation(row->opcode)
                         ? ReducedFacts(w, *row, type, values, start.count)
                         : ValueFacts();
  Value* reduced =
      w.Emit(Opcode::kReduceWindow, Shape(type, dims), {operand, init}, w.Satisfy(type, facts));
  reduced->instruction->Set(Attr::kWindow, window);
  reduced->instruction->Set(Attr::kToApply, w.Reducer(row->opcode, type));
  return true;
}

namespace {

// Returns the computation a <= b or a >= b; complex numbers compare by their real parts.
Computation* Selector(ModuleWriter& w, PrimitiveType type) {
  Shape scalar = Shape::Scalar(type);
  return w.Define("select", {{scalar, {}}, {scalar, {}}}, [&](const Terms& p) {
    Terms compared = p;
    for (Value*& one : compared) {
      if (IsComplex(type)) one = w.Emit(Opcode::kReal, Shape::Scalar(ComponentType(type)), {one});
    }
    Value* compare = w.Emit(Opcode::kCompare, Shape::Scalar(PrimitiveType::kPred), compared);
    compare->instruction->Set(Attr::kDirection, Word{w.choose.Below(2) ? "LE" : "GE"});
    return compare;
  });
}

}  // namespace

bool GenerateSelectAndScatter(ModuleWriter& w, Opcode) {
  if (w.scalars_only()) return false;
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kSelectAndScatter));
  if (type == PrimitiveType::kInvalid) return false;
  // It is open which of several equal elements, or of complex numbers, is selected. Types of few
  // values often have equal elements.
  const bool open = IsComplex(type) || WholeRange(type).high - WholeRange(type).low < 4;
  if (open && !w.choose.OneIn(8)) return false;
  Dims base = w.DrawDims(1, 3), dims;
  Window window;
  int64_t count = 1;
  for (int64_t size : base) {
    WindowDimension dimension = DrawWindowDimension(w, std::min<int64_t>(size, 3));
    dimension.window_dilation = dimension.base_dilation = 1;
    // Every window must contain an element of the operand, not only padding.
    dimension.padding_low = std::clamp<int64_t>(dimension.padding_low, 0, dimension.size - 1);
    dimension.padding_high = std::clamp<int64_t>(dimension.padding_high, 0, dimension.size - 1);
    window.dimensions.push_back(dimension);
    dims.push_back(WindowedSize(size, dimension));
    count *= dimension.size;
  }
  if (IsOpenSum(w, type, static_cast<double>(count))) return false;
  ReducerRow add = {Opcode::kAdd, 0};
  Requirement demand = ReducerRequirement(w, add, type, count + 1);
  Value* operand = w.FindOrMake(type, base);
  Value* source = w.FindOrMake(type, dims, demand);
  Value* init = w.ScalarConstant(type, WholeRange(type).low > 0 ? 1 : 0);
  Value* scattered = w.Emit(Opcode::kSelectAndScatter, Shape(type, base), {operand, source, init},
                            ReducedFacts(w, add, type, source->facts, count + 1));
  scattered->instruction->Set(Attr::kWindow, window);
  scattered->instruction->Set(Attr::kSelect, Selector(w, type));
  scattered->instruction->Set(Attr::kScatter, w.Reducer(Opcode::kAdd, type));
  return true;
}

}  // namespace hlocts::generators
