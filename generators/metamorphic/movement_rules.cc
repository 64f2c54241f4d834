// SPDX-License-Identifier: Apache-2.0
// Rules that replace a movement of elements by other operations with the same result.
#include <algorithm>

#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

Dims Inverse(const Dims& permutation) {
  Dims inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

bool IsArrayOfRank(const Site& s, int64_t least) {
  return s.shape().IsArray() && s.rank() >= least;
}

Instruction* Reversed(Site& s, Instruction* operand, const Dims& dimensions) {
  return s.Make(Opcode::kReverse, {operand}, {{Attr::kDimensions, dimensions}});
}

Instruction* Padded(Site& s, Instruction* operand, int64_t dimension, PaddingDimension padding) {
  PaddingConfig config;
  config.dimensions.resize(static_cast<size_t>(operand->shape().rank()));
  config.dimensions[static_cast<size_t>(dimension)] = padding;
  Instruction* value = s.Number(operand->shape().element_type(), 1);
  return s.Make(Opcode::kPad, {operand, value}, {{Attr::kPadding, std::move(config)}});
}

// Returns the `count` elements start, start + step, ... of one dimension.
Instruction* Gathered(Site& s, Instruction* operand, int64_t dimension, int64_t start, int64_t step,
                      int64_t count) {
  constexpr PrimitiveType kIndex = PrimitiveType::kS32;
  Instruction* places = s.Iota(kIndex, {count}, 0);
  const Shape shape = places->shape();
  places = s.Make(Opcode::kMultiply, {places, s.Splat(shape, static_cast<double>(step))});
  places = s.Make(Opcode::kAdd, {places, s.Splat(shape, static_cast<double>(start))});
  const Dims rest = Without(Iotas(operand->shape().rank()), dimension);
  return s.Make(Opcode::kGather, {operand, places},
                {{Attr::kOffsetDims, rest},
                 {Attr::kCollapsedSliceDims, Dims{dimension}},
                 {Attr::kStartIndexMap, Dims{dimension}},
                 {Attr::kIndexVectorDim, int64_t{1}},
                 {Attr::kSliceSizes, With(operand->shape().dimensions(), dimension, 1)}});
}

Operands Starts(Site& s, const Dims& starts) {
  Operands made;
  for (int64_t start : starts) {
    made.push_back(s.Opaque(PrimitiveType::kS32, static_cast<double>(start)));
  }
  return made;
}

Instruction* DynamicSliced(Site& s, Instruction* operand, const Operands& starts,
                           const Dims& sizes) {
  Operands operands = {operand};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return s.Make(Opcode::kDynamicSlice, operands, {{Attr::kDynamicSliceSizes, sizes}});
}

Instruction* Updated(Site& s, Instruction* operand, Instruction* update, const Operands& starts) {
  Operands operands = {operand, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return s.Make(Opcode::kDynamicUpdateSlice, operands);
}

// Returns the shape with another layout, which does not affect values (ruling 0081).
Shape WithOrder(const Shape& shape, const Dims& minor_to_major) {
  Shape result = shape.WithoutLayout().WithDefaultLayout();
  result.mutable_layout()->minor_to_major = minor_to_major;
  return result;
}

}  // namespace

bool TransposeAndBack(Site& s) {
  if (!IsArrayOfRank(s, 2)) return false;
  Dims permutation = Shuffled(s.choose, s.rank());
  return s.Use(s.Transpose(s.Transpose(s.at, permutation), Inverse(permutation)));
}

bool TransposeOperands(Site& s) {
  if (!s.IsElementwise() || s.rank() < 2) return false;
  Dims permutation = Shuffled(s.choose, s.rank()), sizes;
  for (int64_t d : permutation) sizes.push_back(s.dims()[static_cast<size_t>(d)]);
  Operands operands;
  for (Instruction* one : s.at->operands()) operands.push_back(s.Transpose(one, permutation));
  return s.Use(s.Transpose(s.Again(operands, Shape(s.type(), sizes)), Inverse(permutation)));
}

bool ReverseTwice(Site& s) {
  if (!IsArrayOfRank(s, 1)) return false;
  Dims dimensions = {s.choose.Range(0, s.rank() - 1)};
  return s.Use(Reversed(s, Reversed(s, s.at, dimensions), dimensions));
}

bool ReverseOperands(Site& s) {
  if (!s.IsElementwise() || s.rank() < 1) return false;
  Dims dimensions = Iotas(s.choose.Range(1, s.rank()));
  Operands operands;
  for (Instruction* one : s.at->operands()) operands.push_back(Reversed(s, one, dimensions));
  return s.Use(Reversed(s, s.Again(operands, Shape(s.type(), s.dims())), dimensions));
}

bool AddUnitDimension(Site& s) {
  if (!s.shape().IsArray()) return false;
  Dims sizes = s.dims();
  sizes.insert(sizes.begin() + s.choose.Range(0, s.rank()), 1);
  return s.Use(s.Reshape(s.Reshape(s.at, sizes), s.dims()));
}

bool PadInsideThenSlice(Site& s) {
  if (!IsArrayOfRank(s, 1)) return false;
  int64_t d = s.choose.Range(0, s.rank() - 1), size = s.shape().dimension(d);
  if (size == 0) return false;
  PaddingDimension padding = {s.choose.Range(0, 2), s.choose.Range(0, 2), s.choose.Range(1, 2)};
  Instruction* padded = Padded(s, s.at, d, padding);
  SliceRanges ranges;
  for (int64_t whole : s.dims()) ranges.dimensions.push_back({0, whole, 1});
  int64_t step = padding.interior + 1;
  ranges.dimensions[static_cast<size_t>(d)] = {padding.low, padding.low + (size - 1) * step + 1,
                                               step};
  return s.Use(s.Make(Opcode::kSlice, {padded}, {{Attr::kSlice, ranges}}));
}

bool PadThenUnpad(Site& s) {
  if (!IsArrayOfRank(s, 1)) return false;
  int64_t d = s.choose.Range(0, s.rank() - 1);
  PaddingDimension padding = {s.choose.Range(0, 3), s.choose.Range(0, 3), 0};
  return s.Use(Padded(s, Padded(s, s.at, d, padding), d, {-padding.low, -padding.high, 0}));
}

bool ComputeInTwoParts(Site& s) {
  if (!s.IsElementwise() || s.rank() < 1) return false;
  int64_t d = s.choose.Range(0, s.rank() - 1), size = s.shape().dimension(d);
  if (size < 2) return false;
  int64_t cut = s.choose.Range(1, size - 1);
  Operands parts;
  for (auto [start, limit] : {std::pair{int64_t{0}, cut}, std::pair{cut, size}}) {
    Operands operands;
    for (Instruction* one : s.at->operands()) operands.push_back(s.Slice(one, d, start, limit));
    parts.push_back(s.Again(operands, Shape(s.type(), With(s.dims(), d, limit - start))));
  }
  return s.Use(s.Concatenate(parts, d));
}

bool SliceAsDynamicSlice(Site& s) {
  if (s.opcode() != Opcode::kSlice || s.rank() < 1) return false;
  Dims starts;
  for (const SliceRange& range : s.at->Get<SliceRanges>(Attr::kSlice)->dimensions) {
    if (range.stride != 1) return false;
    starts.push_back(range.start);
  }
  return s.Use(DynamicSliced(s, s.operand(0), Starts(s, starts), s.dims()));
}

bool SliceAsGather(Site& s) {
  if (s.opcode() != Opcode::kSlice || s.rank() < 1) return false;
  SliceRanges ranges = *s.at->Get<SliceRanges>(Attr::kSlice);
  int64_t d = s.choose.Range(0, s.rank() - 1);
  SliceRange& chosen = ranges.dimensions[static_cast<size_t>(d)];
  const SliceRange gathered = chosen;
  if (s.operand(0)->shape().dimension(d) == 0) return false;
  chosen = {0, s.operand(0)->shape().dimension(d), 1};
  Instruction* rest = s.Make(Opcode::kSlice, {s.operand(0)}, {{Attr::kSlice, ranges}});
  return s.Use(Gathered(s, rest, d, gathered.start, gathered.stride, s.shape().dimension(d)));
}

bool ReverseAsGather(Site& s) {
  if (s.opcode() != Opcode::kReverse || s.at->IntList(Attr::kDimensions).empty()) return false;
  Dims dimensions = s.at->IntList(Attr::kDimensions);
  int64_t d = dimensions.back(), size = s.shape().dimension(d);
  if (size == 0) return false;
  dimensions.pop_back();
  Instruction* rest = Reversed(s, s.operand(0), dimensions);
  return s.Use(Gathered(s, rest, d, size - 1, -1, size));
}

bool GatherInOrder(Site& s) {
  if (!IsArrayOfRank(s, 1)) return false;
  int64_t d = s.choose.Range(0, s.rank() - 1), size = s.shape().dimension(d);
  return size > 0 && s.Use(Gathered(s, s.at, d, 0, 1, size));
}

bool ConcatenateThenSlice(Site& s) {
  if (!IsArrayOfRank(s, 1)) return false;
  int64_t d = s.choose.Range(0, s.rank() - 1), size = s.shape().dimension(d);
  int64_t start = s.choose.Range(0, 1) * size;
  return s.Use(s.Slice(s.Concatenate({s.at, s.at}, d), d, start, start + size));
}

bool ConcatenateAsUpdates(Site& s) {
  if (s.opcode() != Opcode::kConcatenate) return false;
  int64_t d = s.at->IntList(Attr::kDimensions)[0], start = 0;
  Instruction* whole = s.Splat(Shape(s.type(), s.dims()), 1);
  for (Instruction* part : s.at->operands()) {
    whole = Updated(s, whole, part, Starts(s, With(Dims(s.dims().size(), 0), d, start)));
    start += part->shape().dimension(d);
  }
  return s.Use(whole);
}

// The slice and the update clamp an out-of-range start in the same way.
bool UpdateWithOwnSlice(Site& s) {
  if (!IsArrayOfRank(s, 1)) return false;
  Dims starts, sizes;
  for (int64_t size : s.dims()) {
    sizes.push_back(s.choose.Range(0, size));
    starts.push_back(s.choose.Range(-1, size + 1));
  }
  Operands places = Starts(s, starts);
  return s.Use(Updated(s, s.at, DynamicSliced(s, s.at, places, sizes), places));
}

namespace {

std::optional<int64_t> KnownInteger(const Site& s, const Instruction& instruction) {
  const Literal* literal = s.Known(instruction);
  if (!literal || !literal->shape().IsScalar()) return std::nullopt;
  switch (literal->element_type()) {
    case PrimitiveType::kS8:
      return literal->data<int8_t>()[0];
    case PrimitiveType::kS16:
      return literal->data<int16_t>()[0];
    case PrimitiveType::kS32:
      return literal->data<int32_t>()[0];
    case PrimitiveType::kS64:
      return literal->data<int64_t>()[0];
    case PrimitiveType::kU8:
      return literal->data<uint8_t>()[0];
    case PrimitiveType::kU32:
      return literal->data<uint32_t>()[0];
    default:
      return std::nullopt;
  }
}

}  // namespace

bool UpdateAsSelect(Site& s) {
  if (s.opcode() != Opcode::kDynamicUpdateSlice || s.at->operand_count() != s.rank() + 2)
    return false;
  Instruction* update = s.operand(1);
  Instruction* inside = s.Splat(Shape(PrimitiveType::kPred, update->shape().dimensions()), 1);
  PaddingConfig config;
  for (int64_t d = 0; d < s.rank(); ++d) {
    std::optional<int64_t> start = KnownInteger(s, *s.operand(d + 2));
    if (!start) return false;
    int64_t last_start = s.shape().dimension(d) - update->shape().dimension(d);
    int64_t low = std::clamp<int64_t>(*start, 0, last_start);
    config.dimensions.push_back({low, last_start - low, 0});
  }
  Attributes padding = {{Attr::kPadding, config}};
  Instruction* moved = s.Make(Opcode::kPad, {update, s.Number(s.type(), 1)}, padding);
  Instruction* mask = s.Make(Opcode::kPad, {inside, s.Number(PrimitiveType::kPred, 0)}, padding);
  return s.Use(s.Make(Opcode::kSelect, {mask, moved, s.operand(0)}));
}

bool BroadcastThenSlice(Site& s) {
  if (!s.shape().IsArray()) return false;
  int64_t count = s.choose.Range(1, 3), chosen = s.choose.Range(0, count - 1);
  Dims sizes = s.dims(), places = Iotas(s.rank());
  sizes.insert(sizes.begin(), count);
  for (int64_t& place : places) ++place;
  Instruction* many = s.Broadcast(s.at, sizes, places);
  return s.Use(s.Reshape(s.Slice(many, 0, chosen, chosen + 1), s.dims()));
}

// Multiplies by the identity matrix. Not for floats: adding zeros loses the sign of -0.
bool OneHotDot(Site& s) {
  constexpr int64_t kSizeMax = 64;
  if (!IsArrayOfRank(s, 1) || !IsInteger(s.type()) || s.dims()[0] > kSizeMax ||
      !Contains(RowOf(Opcode::kDot).types, s.type())) {
    return false;
  }
  Dims square = {s.dims()[0], s.dims()[0]};
  Instruction* column = s.Iota(PrimitiveType::kS32, square, 1);
  Instruction* same = s.Compare(s.Iota(PrimitiveType::kS32, square, 0), "EQ", column);
  return s.Use(s.Make(Opcode::kDot, {s.Convert(same, s.type()), s.at},
                      {{Attr::kLhsContractingDims, Dims{1}}, {Attr::kRhsContractingDims, Dims{0}}},
                      Shape(s.type(), s.dims())));
}

bool PermuteLayoutAndBack(Site& s) {
  if (!s.shape().IsArray() || s.rank() < 2) return false;
  Instruction* moved =
      s.Make(Opcode::kCopy, {s.at}, {}, WithOrder(s.shape(), Shuffled(s.choose, s.rank())));
  return s.Use(
      s.Make(Opcode::kCopy, {moved}, {}, WithOrder(s.shape(), MajorToMinorOrder(s.rank()))));
}

// Changes the layout of an intermediate value, which is not observable.
bool RelabelLayout(Site& s) {
  if (!s.shape().IsArray() || s.rank() < 2 || IsCarrier(*s.at) || s.IsRoot()) return false;
  if (s.opcode() == Opcode::kBitcast || s.opcode() == Opcode::kGetTupleElement) return false;
  for (const auto& user : s.at->parent()->instructions()) {
    for (const Instruction* operand : user->operands()) {
      if (operand == s.at && user->opcode() == Opcode::kBitcast) return false;
    }
  }
  s.at->mutable_shape() = WithOrder(s.shape(), Shuffled(s.choose, s.rank()));
  return s.Done();
}

bool FlattenAndBack(Site& s) {
  if (!s.shape().IsArray()) return false;
  return s.Use(s.Reshape(s.Reshape(s.at, {s.shape().ElementCount()}), s.dims()));
}

// Aliases the result with a parameter that is not donated, which is not observable (ruling 0068).
bool AliasOutput(Site& s) {
  Instruction* root = s.module.entry()->root();
  if (!s.module.input_output_alias.empty() || s.at != root || !root->shape().IsArray())
    return false;
  for (const Instruction* parameter : s.module.entry()->parameters()) {
    if (parameter == root || parameter->shape() != root->shape()) continue;
    s.module.input_output_alias.push_back({{}, parameter->parameter_number(), {}, false});
    return s.Done();
  }
  return false;
}

}  // namespace hlocts::generators
