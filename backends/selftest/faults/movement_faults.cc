// SPDX-License-Identifier: Apache-2.0
// Faults that move elements to the wrong position (as in openxla/xla#34260, jax-ml/jax#39486,
// #40588).
#include <algorithm>

#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {
namespace {

bool InversePermutation(Instruction& transpose) {
  const std::vector<int64_t> old = transpose.IntList(Attr::kDimensions);
  std::vector<int64_t> inverse(old.size());
  for (size_t i = 0; i < old.size(); ++i) inverse[old[i]] = static_cast<int64_t>(i);
  transpose.Set(Attr::kDimensions, inverse);
  return inverse != old;
}

bool ReverseDimensionList(Instruction& instruction) {
  std::vector<int64_t> list = instruction.IntList(Attr::kDimensions);
  std::reverse(list.begin(), list.end());
  instruction.Set(Attr::kDimensions, list);
  return list.size() > 1;
}

// Broadcasts as numpy does: the operand's dimensions become the last ones of the result.
bool TrailingDimensions(Instruction& broadcast) {
  int64_t rank = broadcast.operand(0).shape().rank(), first = broadcast.shape().rank() - rank;
  std::vector<int64_t> list;
  for (int64_t d = 0; d < rank; ++d) list.push_back(first + d);
  bool changed = list != broadcast.IntList(Attr::kDimensions);
  broadcast.Set(Attr::kDimensions, list);
  return changed;
}

bool FirstDimensionOnly(Instruction& reverse) {
  std::vector<int64_t> list = reverse.IntList(Attr::kDimensions);
  if (list.size() < 2) return false;
  list.resize(1);
  reverse.Set(Attr::kDimensions, list);
  return true;
}

bool SliceOneEarlier(Instruction& slice) {
  auto* ranges = Attribute<SliceRanges>(slice, Attr::kSlice);
  if (ranges == nullptr) return false;
  for (SliceRange& range : ranges->dimensions) {
    if (range.start > 0) --range.start, --range.limit;
  }
  return true;
}

// Lets strided slices end on the last element of the range instead of starting on the first.
bool SliceFromTheEnd(Instruction& slice) {
  auto* ranges = Attribute<SliceRanges>(slice, Attr::kSlice);
  if (ranges == nullptr) return false;
  bool changed = false;
  for (SliceRange& range : ranges->dimensions) {
    int64_t length = range.limit - range.start;
    if (range.stride <= 1 || length <= 0) continue;
    int64_t shift = (length - 1) % range.stride;
    range.start += shift;
    changed = changed || shift > 0;
  }
  return changed;
}

void ColumnMajorReshape(FaultSite& site) {
  const Literal& operand = site.operands[0];
  Literal& result = *site.result;
  if (operand.has_runtime_sizes() || result.shape().IsTuple()) return;
  auto column_major = [](const std::vector<int64_t>& sizes) {
    std::vector<int64_t> order;
    std::vector<int64_t> reversed(sizes.rbegin(), sizes.rend());
    const std::vector<int64_t> strides = RowMajorStrides(sizes);
    ForEachIndex(reversed, [&](absl::Span<const int64_t> index) {
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[index.size() - 1 - d];
      order.push_back(at);
    });
    return order;
  };
  std::vector<int64_t> from = column_major(operand.shape().dimensions());
  std::vector<int64_t> to = column_major(result.shape().dimensions());
  for (size_t i = 0; i < from.size() && i < to.size(); ++i) {
    CopyElement(operand, from[i], result, to[i]);
  }
}

// Reverses the order of the smaller elements that make up one larger element.
void OtherByteOrder(FaultSite& site) {
  const Literal& operand = site.operands[0];
  Literal& result = *site.result;
  int64_t wide = BitWidth(operand.element_type()), narrow = BitWidth(result.element_type());
  if (narrow == 0 || wide <= narrow) return;
  int64_t parts = wide / narrow;
  if (result.element_count() % parts != 0) return;
  const Literal right = result;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    CopyElement(right, i - i % parts + (parts - 1 - i % parts), result, i);
  }
}
void OtherByteOrderJoined(FaultSite& site) {
  Literal& operand = site.operands[0];
  int64_t narrow = BitWidth(operand.element_type());
  int64_t wide = BitWidth(site.instruction.shape().element_type());
  if (narrow == 0 || wide <= narrow || operand.has_runtime_sizes()) return;
  int64_t parts = wide / narrow;
  const Literal right = operand;
  if (operand.element_count() % parts != 0) return;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    CopyElement(right, i - i % parts + (parts - 1 - i % parts), operand, i);
  }
}

void ScalesInReverse(FaultSite& site) { ReverseElements(site.operands[2]); }

void CounterIn8Bits(FaultSite& site) {
  Literal& result = *site.result;
  if (IsComplex(result.element_type())) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    double value = ReadNumber(result, i);
    if (value > 127) WriteNumber(result, i, static_cast<double>(static_cast<int64_t>(value) % 128));
  }
}
void CounterFromOne(FaultSite& site) {
  Literal& result = *site.result;
  if (IsComplex(result.element_type())) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    WriteNumber(result, i, ReadNumber(result, i) + 1);
  }
}

void FirstPredicateForAll(FaultSite& site) {
  Literal& predicate = site.operands[0];
  for (int64_t i = 1; i < predicate.element_count(); ++i) CopyElement(predicate, 0, predicate, i);
}
void FirstBoundForAll(FaultSite& site) {
  for (size_t k : {size_t{0}, size_t{2}}) {
    Literal& bound = site.operands[k];
    for (int64_t i = 1; i < bound.element_count(); ++i) CopyElement(bound, 0, bound, i);
  }
}

// Places the second operand one element early, over the last element of the first.
void SecondPartOneEarly(FaultSite& site) {
  if (site.operands.size() < 2 || site.operands[0].shape().rank() != 1) return;
  Literal& result = *site.result;
  int64_t at = site.operands[0].element_count();
  if (at == 0) return;
  for (int64_t i = at - 1; i + 1 < result.element_count(); ++i) {
    CopyElement(result, i + 1, result, i);
  }
}

// Drops the run-time sizes, so that padding becomes elements.
void BoundForSize(FaultSite& site) {
  if (site.opcode() == Opcode::kGetDimensionSize) {
    const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
    if (along.empty()) return;
    WriteInteger(*site.result, 0, site.operands[0].shape().dimension(along[0]));
  } else if (IsArrayType(site.result->element_type())) {
    site.result->ClearRuntimeSizes();
  }
}

void ConjugateLost(FaultSite& site) {
  Literal& result = *site.result;
  if (!IsFloat(result.element_type())) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    WriteNumber(result, i, -ReadNumber(result, i));
  }
}

struct SurgeryRow {
  const char* id;
  Opcode opcode;
  const char* what;
  bool (*module_edit)(Instruction&);
};
constexpr SurgeryRow kSurgeries[] = {
    {"transpose.inverse-permutation", Opcode::kTranspose, "the permutation is inverted",
     InversePermutation},
    {"broadcast.dimensions-reversed", Opcode::kBroadcast,
     "operand dimensions are matched in reverse order", ReverseDimensionList},
    {"broadcast.trailing-dimensions", Opcode::kBroadcast, "dimensions are aligned at the end",
     TrailingDimensions},
    {"reverse.first-dimension-only", Opcode::kReverse, "only one of several dimensions is reversed",
     FirstDimensionOnly},
    {"slice.one-early", Opcode::kSlice, "starts one element early", SliceOneEarlier},
    {"slice.strided-from-the-end", Opcode::kSlice, "strides are counted from the end",
     SliceFromTheEnd},
    {"concatenate.reversed", Opcode::kConcatenate, "operands are concatenated in reverse order",
     [](Instruction& i) {
       std::reverse(i.mutable_operands().begin(), i.mutable_operands().end());
       return i.operand_count() > 1;
     }},
    {"iota.first-dimension", Opcode::kIota, "counts along the first dimension",
     [](Instruction& i) {
       i.Set(Attr::kIotaDimension, int64_t{0});
       return true;
     }},
    {"iota.last-dimension", Opcode::kIota, "counts along the last dimension",
     [](Instruction& i) {
       i.Set(Attr::kIotaDimension, i.shape().rank() - 1);
       return true;
     }},
    {"real.gives-imaginary", Opcode::kReal, "the wrong component",
     [](Instruction& i) {
       i.set_opcode(Opcode::kImag);
       return true;
     }},
    {"get-tuple-element.next", Opcode::kGetTupleElement, "elements are counted from 1",
     [](Instruction& i) {
       i.Set(Attr::kIndex, i.IntOr(Attr::kIndex, 0) + 1);
       return true;
     }},
};

constexpr SiteFault kMovementSites[] = {
    {"reshape.column-major", FaultClass::kMovement, Opcode::kReshape,
     "elements are counted first dimension fastest", ColumnMajorReshape, false},
    {"bitcast-convert.byte-order-split", FaultClass::kMovement, Opcode::kBitcastConvert,
     "the high part of a wide element is first", OtherByteOrder, false},
    {"bitcast-convert.byte-order-joined", FaultClass::kMovement, Opcode::kBitcastConvert,
     "the first of the parts becomes the high one", OtherByteOrderJoined, true},
    {"scaled-dot.scales-in-reverse", FaultClass::kMovement, Opcode::kScaledDot,
     "a block gets the scale of another", ScalesInReverse, true},
    {"iota.in-8-bits", FaultClass::kMovement, Opcode::kIota, "the counter has 8 bits",
     CounterIn8Bits, false},
    {"iota.from-one", FaultClass::kMovement, Opcode::kIota, "counts from 1", CounterFromOne, false},
    {"select.first-predicate-for-all", FaultClass::kMovement, Opcode::kSelect,
     "one predicate decides for the whole array", FirstPredicateForAll, true},
    {"clamp.first-bound-for-all", FaultClass::kMovement, Opcode::kClamp,
     "array bounds are read as scalars", FirstBoundForAll, true},
    {"concatenate.second-part-one-early", FaultClass::kMovement, Opcode::kConcatenate,
     "the second operand overlaps the first by one", SecondPartOneEarly, false},
    {"get-dimension-size.gives-bound", FaultClass::kMovement, Opcode::kGetDimensionSize,
     "the bound instead of the size at run time", BoundForSize, false},
    {"set-dimension-size.ignored", FaultClass::kMovement, Opcode::kSetDimensionSize,
     "the size at run time is not kept", BoundForSize, false},
    {"imag.conjugated", FaultClass::kMovement, Opcode::kImag,
     "the sign of the imaginary part is lost", ConjugateLost, false},
};

}  // namespace

void AddMovementFaults(std::vector<Fault>& faults) {
  for (const SurgeryRow& row : kSurgeries) {
    faults.push_back(
        ModuleEditFault(row.id, FaultClass::kMovement, row.opcode, row.what, row.module_edit));
  }
  for (const SiteFault& row : kMovementSites) faults.push_back(SiteFaultOf(row, row.id));
}

}  // namespace hlocts::backends
