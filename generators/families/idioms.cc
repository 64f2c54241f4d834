// SPDX-License-Identifier: Apache-2.0
// Generates combinations that programs contain and compilers rewrite, but that random operations
// rarely form: chains of movements or functions, windows over padded arrays, stencils.
#include <cmath>

#include "generators/families/elementwise.h"
#include "generators/families/reducers.h"
#include "generators/families/windows.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

int64_t RankOf(const Value& term) { return static_cast<int64_t>(term.dims().size()); }

Value* Transposed(ModuleWriter& w, Value* x) {
  Dims order, dims;
  for (int64_t d = 0; d < RankOf(*x); ++d) order.push_back(d);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[w.choose.Below(i)]);
  for (int64_t d : order) dims.push_back(x->dims()[d]);
  Value* moved = w.Emit(Opcode::kTranspose, Shape(x->type(), dims), {x}, Moved(*x));
  moved->instruction->Set(Attr::kDimensions, order);
  return moved;
}

Value* Reversed(ModuleWriter& w, Value* x) {
  Dims along;
  for (int64_t d = 0; d < RankOf(*x); ++d) {
    if (w.choose.Below(2)) along.push_back(d);
  }
  Value* moved = w.Emit(Opcode::kReverse, Shape(x->type(), x->dims()), {x}, Moved(*x));
  moved->instruction->Set(Attr::kDimensions, along);
  return moved;
}

// Merges two dimensions, or inserts a dimension of size 1.
Value* Reshaped(ModuleWriter& w, Value* x) {
  Dims dims = x->dims();
  if (dims.size() > 1 && w.choose.Below(2)) {
    size_t at = w.choose.Below(dims.size() - 1);
    dims[at] *= dims[at + 1];
    dims.erase(dims.begin() + static_cast<int64_t>(at) + 1);
  } else {
    dims.insert(dims.begin() + static_cast<int64_t>(w.choose.Below(dims.size() + 1)), 1);
  }
  return w.Emit(Opcode::kReshape, Shape(x->type(), dims), {x}, Moved(*x));
}

Value* Slice(ModuleWriter& w, Value* x, SliceRanges ranges) {
  Dims dims;
  for (const SliceRange& range : ranges.dimensions) dims.push_back(range.limit - range.start);
  Value* moved = w.Emit(Opcode::kSlice, Shape(x->type(), dims), {x}, Moved(*x));
  moved->instruction->Set(Attr::kSlice, std::move(ranges));
  return moved;
}

// Slices x to the sizes `before` where x is at least as large, or to random sizes.
Value* Sliced(ModuleWriter& w, Value* x, const Dims& before) {
  bool back = before.size() == x->dims().size() && w.choose.Below(3) != 0;
  SliceRanges ranges;
  for (size_t d = 0; d < x->dims().size(); ++d) {
    int64_t size = x->dims()[d],
            to = back && before[d] <= size ? before[d] : w.choose.Range(size > 0 ? 1 : 0, size);
    int64_t start = w.choose.Range(0, size - to);
    ranges.dimensions.push_back({start, start + to, 1});
  }
  return Slice(w, x, std::move(ranges));
}

Dims PaddedDims(const Dims& dims, const PaddingConfig& padding) {
  Dims padded = dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    const PaddingDimension& edges = padding.dimensions[d];
    padded[d] += edges.low + edges.high + edges.interior * std::max<int64_t>(dims[d] - 1, 0);
  }
  return padded;
}

Value* Pad(ModuleWriter& w, Value* x, PaddingConfig padding, Value* value) {
  Value* moved = w.Emit(Opcode::kPad, Shape(x->type(), PaddedDims(x->dims(), padding)), {x, value},
                        Join(x->facts, value->facts));
  moved->instruction->Set(Attr::kPadding, std::move(padding));
  return moved;
}

Value* Padded(ModuleWriter& w, Value* x) {
  PaddingConfig padding;
  for (int64_t size : x->dims()) {
    padding.dimensions.push_back(
        {w.choose.Range(0, 2), w.choose.Range(0, 2), size > 1 && w.choose.OneIn(4) ? 1 : 0});
  }
  if (!w.Fits(PaddedDims(x->dims(), padding))) return x;
  Value* value = w.FindOrMake(x->type(), {}, {w.plan.checked() ? -4.0 : -INFINITY, 4, false});
  return Pad(w, x, std::move(padding), value);
}

Value* Repeated(ModuleWriter& w, Value* x) {
  Dims dims = x->dims(), dimensions;
  size_t at = w.choose.Below(dims.size() + 1);
  for (size_t d = 0; d < dims.size(); ++d)
    dimensions.push_back(static_cast<int64_t>(d < at ? d : d + 1));
  dims.insert(dims.begin() + static_cast<int64_t>(at), w.choose.Range(1, 3));
  if (!w.Fits(dims)) return x;
  Value* moved = w.Emit(Opcode::kBroadcast, Shape(x->type(), dims), {x}, Moved(*x));
  moved->instruction->Set(Attr::kDimensions, dimensions);
  return moved;
}

// Concatenates two arrays, or returns `x` if the result is too large.
Value* Concatenated(ModuleWriter& w, Value* x, Value* other, int64_t dimension) {
  Dims dims = x->dims();
  dims[dimension] += other->dims()[dimension];
  if (!w.Fits(dims)) return x;
  Value* moved = w.Emit(Opcode::kConcatenate, Shape(x->type(), dims), {x, other},
                        Join(x->facts, other->facts));
  moved->instruction->Set(Attr::kDimensions, Dims{dimension});
  return moved;
}

Value* Joined(ModuleWriter& w, Value* x) {
  Value* other = w.choose.Below(2) ? x : w.FindOrMake(x->type(), x->dims());
  return Concatenated(w, x, other, w.choose.Range(0, RankOf(*x) - 1));
}

// Reduces windows of sizes one to three, with the identity as initial value.
Value* Windowed(ModuleWriter& w, Value* x) {
  static constexpr Opcode kOpcodes[] = {Opcode::kAdd, Opcode::kMaximum};
  Opcode opcode = kOpcodes[w.choose.Below(2)];
  ReducerRow row = {opcode, RowOf(opcode).types};
  Window window;
  Dims dims;
  int64_t count = 1;
  for (int64_t size : x->dims()) {
    window.dimensions.push_back(DrawWindowDimension(w, std::min<int64_t>(size, 3)));
    dims.push_back(WindowedSize(size, window.dimensions.back()));
    count *= window.dimensions.back().size;
  }
  bool ordered =
      IsInteger(x->type()) || (IsFloat(x->type()) && x->type() != PrimitiveType::kF8E8M0FNU);
  if (!ordered || !w.Fits(dims)) return x;
  Requirement demand = ReducerRequirement(w, row, x->type(), count);
  if (w.plan.checked() && !x->facts.Within(demand.low, demand.high)) return x;
  ValueFacts facts =
      opcode == Opcode::kAdd ? ReducedFacts(w, row, x->type(), x->facts, count) : ValueFacts();
  Value* init = w.ScalarConstant(x->type(), Identity(row, x->type()));
  Value* made =
      w.Emit(Opcode::kReduceWindow, Shape(x->type(), dims), {x, init}, w.Satisfy(x->type(), facts));
  made->instruction->Set(Attr::kWindow, window);
  made->instruction->Set(Attr::kToApply, w.Reducer(opcode, x->type()));
  return made;
}

Value* Move(ModuleWriter& w, Value* x, const Dims& before) {
  if (x->dims().empty()) return Repeated(w, x);
  switch (w.choose.Below(9)) {
    case 0:
      return Transposed(w, x);
    case 1:
      return Reversed(w, x);
    case 2:
      return Reshaped(w, x);
    case 3:
      return Padded(w, x);
    case 4:
      return Repeated(w, x);
    case 5:
      return Joined(w, x);
    case 6:
      return Windowed(w, x);
    default:
      return Sliced(w, x, before);
  }
}

bool ChainOfMoves(ModuleWriter& w) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Value* x = w.FindOrMake(type, w.DrawDims());
  Dims before;
  for (int64_t length = w.choose.Range(2, 3); length > 0; --length) {
    Dims now = x->dims();
    x = Move(w, x, before);
    before = now;
  }
  return true;
}

// Emits f(g(x)); some pairs are inverse functions.
bool ChainOfFunctions(ModuleWriter& w) {
  static const auto* const kUnary = [] {
    auto* opcodes = new std::vector<Opcode>();
    for (Opcode opcode : GeneratedOpcodes()) {
      if (RowOf(opcode).family == Family::kElementwiseUnary) opcodes->push_back(opcode);
    }
    return opcodes;
  }();
  Opcode inner = w.choose.Pick(*kUnary), outer = w.choose.Pick(*kUnary);
  TypeSet types = RowOf(inner).types & RowOf(outer).types;
  PrimitiveType type = w.DrawType(types);
  if (type == PrimitiveType::kInvalid) return false;
  Value* x =
      ApplyUnary(w, inner, w.FindOrMake(type, w.DrawDims(), RequirementOfUnary(w, inner, type)));
  if (!x || !Contains(RowOf(outer).types, x->type())) return x != nullptr;
  ApplyUnary(w, outer, w.Checked(x, RequirementOfUnary(w, outer, x->type())));
  return true;
}

constexpr Opcode kArithmetic[] = {Opcode::kMultiply, Opcode::kAdd, Opcode::kSubtract,
                                  Opcode::kMaximum};

// Emits f(a) op f(b) or f(x op x), e.g. products of exponentials or roots of squares.
bool FunctionsAndArithmetic(ModuleWriter& w) {
  static constexpr Opcode kFunctions[] = {Opcode::kExponential, Opcode::kLog,    Opcode::kSqrt,
                                          Opcode::kRsqrt,       Opcode::kNegate, Opcode::kAbs,
                                          Opcode::kTanh,        Opcode::kCbrt};
  Opcode function = w.choose.Pick(kFunctions), arithmetic = w.choose.Pick(kArithmetic);
  PrimitiveType type = w.DrawType(RowOf(function).types & RowOf(arithmetic).types);
  if (type == PrimitiveType::kInvalid || IsComplex(type)) return false;
  Dims dims = w.DrawDims();
  bool function_first = w.choose.Below(2) != 0;
  if (!function_first) {
    Value* x = w.FindOrMake(type, dims);
    Value* combined = ApplyArithmetic(w, arithmetic, x, x);
    return ApplyUnary(w, function, w.Checked(combined, RequirementOfUnary(w, function, type))) !=
           nullptr;
  }
  Value* a =
      ApplyUnary(w, function, w.FindOrMake(type, dims, RequirementOfUnary(w, function, type)));
  Value* b =
      ApplyUnary(w, function, w.FindOrMake(type, dims, RequirementOfUnary(w, function, type)));
  if (!a || !b) return false;
  ApplyArithmetic(w, arithmetic, a, b);
  return true;
}

bool ConvertRoundTrip(ModuleWriter& w) {
  TypeSet types = RowOf(Opcode::kConvert).types &
                  ~(TypeBit(PrimitiveType::kC64) | TypeBit(PrimitiveType::kC128));
  PrimitiveType type = w.DrawType(types), other = w.DrawType(types);
  if (type == PrimitiveType::kInvalid) return false;
  w.Convert(w.Convert(w.FindOrMake(type, w.DrawDims()), other), type);
  return true;
}

// Emits select(a < b, a, b), which is another way to write a minimum or maximum.
bool SelectedByComparison(ModuleWriter& w) {
  static constexpr absl::string_view kDirections[] = {"LT", "GT", "LE", "GE", "EQ", "NE"};
  PrimitiveType type = w.DrawType(RowOf(Opcode::kRemainder).types);
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  Value *a = w.FindOrMake(type, dims), *b = w.FindOrMake(type, dims);
  Value* compare =
      w.Emit(Opcode::kCompare, Shape(PrimitiveType::kPred, dims), {a, b}, RangeFacts(0, 1, true));
  compare->instruction->Set(Attr::kDirection, Word{std::string(w.choose.Pick(kDirections))});
  if (w.choose.Below(2)) std::swap(a, b);
  w.Emit(Opcode::kSelect, Shape(type, dims), {compare, a, b}, Join(a->facts, b->facts));
  return true;
}

// Pads one dimension with zeros. Negative amounts remove elements.
Value* PaddedBy(ModuleWriter& w, Value* x, int64_t dimension, int64_t low, int64_t high) {
  PaddingConfig padding;
  padding.dimensions.resize(x->dims().size());
  padding.dimensions[dimension] = {low, high, 0};
  return Pad(w, x, std::move(padding), w.ScalarConstant(x->type(), 0));
}

// The forms in which front ends move an array along a dimension: those of jnp.roll and its
// transposes, of jnp.diff, and of shifts by padding.
enum class MoveForm : uint8_t {
  kRotation,  // the last elements, then the others
  kSum,       // gradient of a rotation: two parts are padded to the full size and added
  kDoubled,   // rotation by a run-time number: a slice of two concatenated copies
  kFilled,    // zeros enter at one end
  kInner,     // only the elements that have a neighbour
};
struct MoveStyle {
  MoveForm form;
  bool by_padding;  // parts are cut out by negative padding, as in the gradient of a pad
};

MoveStyle DrawMoveStyle(ModuleWriter& w) {
  static constexpr MoveForm kForms[] = {MoveForm::kRotation, MoveForm::kRotation, MoveForm::kSum,
                                        MoveForm::kDoubled,  MoveForm::kFilled,   MoveForm::kInner};
  const MoveForm form = w.choose.Pick(kForms);
  return {form, w.choose.Below(2) != 0};
}

// Returns `size` elements of one dimension, from `start` on.
Value* Part(ModuleWriter& w, Value* x, int64_t dimension, int64_t start, int64_t size,
            bool by_padding) {
  if (by_padding) return PaddedBy(w, x, dimension, -start, start + size - x->dims()[dimension]);
  SliceRanges ranges;
  for (int64_t whole : x->dims()) ranges.dimensions.push_back({0, whole, 1});
  ranges.dimensions[dimension] = {start, start + size, 1};
  return Slice(w, x, std::move(ranges));
}

Value* SliceOfDoubled(ModuleWriter& w, Value* x, int64_t dimension) {
  Terms operands = {Concatenated(w, x, x, dimension)};
  for (int64_t d = 0; d < RankOf(*x); ++d) {
    operands.push_back(d == dimension ? w.Index(PrimitiveType::kS32, x->dims()[d])
                                      : w.ScalarConstant(PrimitiveType::kS32, 0));
  }
  Value* moved =
      w.Emit(Opcode::kDynamicSlice, Shape(x->type(), x->dims()), operands, Moved(*operands[0]));
  moved->instruction->Set(Attr::kDynamicSliceSizes, x->dims());
  return moved;
}

// Moves the elements along one dimension by `by` places, to higher indices.
Value* MovedBy(ModuleWriter& w, Value* x, int64_t dimension, int64_t by, MoveStyle style) {
  const int64_t size = x->dims()[dimension], rest = size - by;
  if (style.form == MoveForm::kDoubled) return SliceOfDoubled(w, x, dimension);
  if (style.form == MoveForm::kFilled)
    return by <= rest ? PaddedBy(w, x, dimension, by, -by) : PaddedBy(w, x, dimension, -rest, rest);
  if (style.form == MoveForm::kInner) {
    const int64_t ends = std::min<int64_t>(2, size - 1);
    return Part(w, x, dimension, std::min(by, ends), size - ends, style.by_padding);
  }
  Value* last = Part(w, x, dimension, rest, by, style.by_padding);
  Value* first = Part(w, x, dimension, 0, rest, style.by_padding);
  if (style.form == MoveForm::kRotation) return Concatenated(w, last, first, dimension);
  last = PaddedBy(w, last, dimension, 0, rest);
  return ApplyArithmetic(w, Opcode::kAdd, last, PaddedBy(w, first, dimension, by, 0));
}

// Draws by how many places elements move: mostly one, in either direction.
int64_t DrawPlaces(ModuleWriter& w, int64_t size) {
  const int64_t places = std::min(w.choose.OneIn(3) ? w.choose.Range(0, 3) : 1, size);
  return w.choose.Below(2) ? size - places : places;
}

// Combines an array that was moved along a dimension with the original or with another moved copy,
// as stencils, finite differences and their gradients do.
bool Stencil(ModuleWriter& w) {
  Opcode arithmetic = w.choose.Pick(kArithmetic);
  PrimitiveType type = w.DrawType(GeneratedTypes(arithmetic));
  if (type == PrimitiveType::kInvalid) return false;
  Value* x = w.FindOrMake(type, w.DrawDims(1));
  Dims long_dimensions;
  for (int64_t d = 0; d < RankOf(*x); ++d) {
    if (x->dims()[d] > 1) long_dimensions.push_back(d);
  }
  if (long_dimensions.empty()) return false;
  const int64_t dimension = w.choose.Pick(long_dimensions), size = x->dims()[dimension];
  MoveStyle style = DrawMoveStyle(w);
  const int64_t by = DrawPlaces(w, size);
  Value *moved = MovedBy(w, x, dimension, by, style), *other = x;
  if (!w.choose.OneIn(4)) {
    if (w.choose.OneIn(4)) style = DrawMoveStyle(w);
    other = MovedBy(w, x, dimension, w.choose.Below(2) ? size - by : DrawPlaces(w, size), style);
  }
  if (w.choose.OneIn(4)) {
    Concatenated(w, moved, other, dimension);
  } else if (moved->dims() == other->dims()) {
    ApplyArithmetic(w, arithmetic, moved, other);
  }
  return true;
}

}  // namespace

bool GenerateIdiom(ModuleWriter& w) {
  static constexpr bool (*kMoves[])(ModuleWriter&) = {ChainOfMoves, Stencil};
  static constexpr bool (*kIdioms[])(ModuleWriter&) = {
      ChainOfMoves,     ChainOfMoves,        Stencil, ChainOfFunctions, FunctionsAndArithmetic,
      ConvertRoundTrip, SelectedByComparison};
  return (w.plan.moves_only ? w.choose.Pick(kMoves) : w.choose.Pick(kIdioms))(w);
}

}  // namespace hlocts::generators
