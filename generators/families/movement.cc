// SPDX-License-Identifier: Apache-2.0
// Generates operations that move elements. Draws the sizes of the result first, and derives
// operands and attributes from them.
#include <numeric>

#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

Dims Shuffled(ModuleWriter& w, int64_t rank) {
  Dims order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[w.choose.Below(i)]);
  return order;
}

Dims Subset(ModuleWriter& w, int64_t rank) {
  Dims subset;
  for (int64_t d = 0; d < rank; ++d) {
    if (w.choose.Below(2)) subset.push_back(d);
  }
  return subset;
}

// Returns other sizes with the same number of elements.
Dims Refactored(ModuleWriter& w, const Dims& dims) {
  int64_t rest = ElementsOf(dims);
  Dims result;
  for (int64_t rank = w.choose.Range(0, 3); rank > 0 && rest > 0; --rank) {
    int64_t factor = 1 + static_cast<int64_t>(w.choose.Below(8));
    if (w.choose.Below(4) == 0 || factor > rest || rest % factor != 0) factor = 1;
    result.push_back(factor);
    rest /= factor;
  }
  if (rest != 1 || result.empty())
    result.insert(result.begin() + w.choose.Below(result.size() + 1), rest);
  return result;
}

// Returns [start:limit:stride] with `size` elements. Sets *operand_size to a size that contains it.
SliceRange DrawRange(ModuleWriter& w, int64_t size, int64_t* operand_size) {
  int64_t start = w.choose.OneIn(3) ? w.choose.Range(1, 2) : 0;
  int64_t stride = w.choose.OneIn(3) ? w.choose.Range(2, 3) : 1;
  int64_t limit = size == 0 ? start : start + (size - 1) * stride + 1;
  // A limit before the next selected element does not change the slice.
  if (size > 0 && stride > 1) limit += w.choose.Range(0, stride - 1);
  *operand_size = limit + (w.choose.OneIn(3) ? w.choose.Range(1, 2) : 0);
  return {start, limit, stride};
}

PaddingDimension DrawPadding(ModuleWriter& w, int64_t size, int64_t* operand_size) {
  int64_t interior = w.choose.OneIn(3) ? w.choose.Range(1, 2) : 0;
  int64_t most = interior == 0 ? size + 2 : size / (interior + 1) + 2;
  *operand_size = w.choose.Range(0, most);
  int64_t total = size - *operand_size - interior * std::max<int64_t>(*operand_size - 1, 0);
  int64_t low = w.choose.Range(-2, 2);
  return {low, total - low, interior};
}

}  // namespace

bool GenerateBroadcast(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1);
  Dims dimensions = Subset(w, static_cast<int64_t>(dims.size())), operand_dims;
  for (int64_t d : dimensions) operand_dims.push_back(dims[d]);
  Value* operand = w.FindOrMake(type, operand_dims);
  Value* broadcast = w.Emit(Opcode::kBroadcast, Shape(type, dims), {operand}, Moved(*operand));
  broadcast->instruction->Set(Attr::kDimensions, dimensions);
  return true;
}

bool GenerateReshape(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  Value* operand = w.FindOrMake(type, dims);
  w.Emit(Opcode::kReshape, Shape(type, Refactored(w, dims)), {operand}, Moved(*operand));
  return true;
}

bool GenerateTranspose(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1);
  Dims permutation = Shuffled(w, static_cast<int64_t>(dims.size())), operand_dims(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) operand_dims[permutation[i]] = dims[i];
  Value* operand = w.FindOrMake(type, operand_dims);
  Value* transpose = w.Emit(Opcode::kTranspose, Shape(type, dims), {operand}, Moved(*operand));
  transpose->instruction->Set(Attr::kDimensions, permutation);
  return true;
}

bool GenerateReverse(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1);
  Value* operand = w.FindOrMake(type, dims);
  Value* reverse = w.Emit(Opcode::kReverse, Shape(type, dims), {operand}, Moved(*operand));
  reverse->instruction->Set(Attr::kDimensions, Subset(w, static_cast<int64_t>(dims.size())));
  return true;
}

bool GenerateSlice(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1), operand_dims(dims.size());
  SliceRanges ranges;
  for (size_t d = 0; d < dims.size(); ++d) {
    ranges.dimensions.push_back(DrawRange(w, dims[d], &operand_dims[d]));
  }
  if (!w.Fits(operand_dims)) return false;
  Value* operand = w.FindOrMake(type, operand_dims);
  Value* slice = w.Emit(Opcode::kSlice, Shape(type, dims), {operand}, Moved(*operand));
  slice->instruction->Set(Attr::kSlice, std::move(ranges));
  return true;
}

bool GeneratePad(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1), operand_dims(dims.size());
  PaddingConfig padding;
  for (size_t d = 0; d < dims.size(); ++d) {
    padding.dimensions.push_back(DrawPadding(w, dims[d], &operand_dims[d]));
  }
  if (!w.Fits(operand_dims)) return false;
  Value* operand = w.FindOrMake(type, operand_dims);
  Value* value = w.FindOrMake(type, {});
  Value* pad =
      w.Emit(Opcode::kPad, Shape(type, dims), {operand, value}, Join(operand->facts, value->facts));
  pad->instruction->Set(Attr::kPadding, std::move(padding));
  return true;
}

bool GenerateConcatenate(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims(1);
  int64_t dimension = w.choose.Range(0, static_cast<int64_t>(dims.size()) - 1);
  int64_t rest = dims[dimension];
  Terms operands;
  ValueFacts facts;
  for (int64_t left = w.choose.Range(1, 4); left > 0; --left) {
    Dims part = dims;
    part[dimension] = left == 1 ? rest : w.choose.Range(0, rest);
    rest -= part[dimension];
    operands.push_back(w.FindOrMake(type, part));
    const ValueFacts& next = operands.back()->facts;
    facts = operands.size() == 1 ? Moved(*operands[0]) : Join(facts, next);
  }
  Value* concatenate = w.Emit(Opcode::kConcatenate, Shape(type, dims), operands, facts);
  concatenate->instruction->Set(Attr::kDimensions, Dims{dimension});
  return true;
}

bool GenerateCopy(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  Value* operand = w.FindOrMake(type, dims);
  w.Emit(opcode, Shape(type, dims), {operand}, operand->facts);
  return true;
}

bool GenerateIota(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeBit(PrimitiveType::kPred));
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  Dims dims = w.DrawDims(1);
  int64_t dimension = w.choose.Range(0, static_cast<int64_t>(dims.size()) - 1);
  double last = static_cast<double>(std::max<int64_t>(dims[dimension] - 1, 0));
  // iota rounds or wraps numbers that a narrow type cannot represent.
  if (w.plan.checked() && last > w.Limit(type)) return false;
  Value* iota =
      w.Emit(Opcode::kIota, Shape(type, dims), {}, w.Satisfy(type, RangeFacts(0, last, true)));
  iota->instruction->Set(Attr::kIotaDimension, dimension);
  return true;
}

}  // namespace hlocts::generators
