// SPDX-License-Identifier: Apache-2.0
// Faults that swap comparisons or operands, or call computations with arguments in another order
// (as in openxla/xla#48119, #9431).
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// Exchanges the numbers of a computation's parameters in pairs: 0<->1, 2<->3, ...
bool SwapParameterPairs(Computation* computation) {
  if (computation == nullptr) return false;
  for (const auto& instruction : computation->instructions()) {
    if (!instruction->IsParameter()) continue;
    instruction->set_parameter_number(instruction->parameter_number() ^ 1);
  }
  return true;
}
// Exchanges the two halves of a computation's parameters: accumulators and elements.
bool SwapParameterHalves(Computation* computation) {
  if (computation == nullptr) return false;
  std::vector<Instruction*> parameters = computation->parameters();
  int64_t half = static_cast<int64_t>(parameters.size()) / 2;
  for (Instruction* parameter : parameters) {
    if (parameter == nullptr) return false;
    int64_t number = parameter->parameter_number();
    parameter->set_parameter_number(number < half ? number + half : number - half);
  }
  return half > 0;
}

bool SetDirection(Instruction& compare, absl::string_view from, absl::string_view to) {
  if (compare.WordOr(Attr::kDirection, "") != from) return false;
  compare.Set(Attr::kDirection, Word{std::string(to)});
  return true;
}

// Applies `change` once to each computation that the module's instructions of `opcode` call.
template <typename Change>
void ChangeCalled(Module& module, Opcode opcode, Attr attr, Change&& change) {
  std::vector<Computation*> done;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != opcode) continue;
      Computation* called = instruction->CalledComputation(attr);
      if (called == nullptr || std::find(done.begin(), done.end(), called) != done.end()) continue;
      done.push_back(called);
      change(called);
    }
  }
}

// Compares as an engine does that negates the opposite direction: any comparison with NaN is true.
void NegatedOpposite(FaultSite& site) {
  absl::string_view direction = site.instruction.WordOr(Attr::kDirection, "");
  if (direction != "LT" && direction != "LE" && direction != "GT" && direction != "GE") return;
  if (site.instruction.WordOr(Attr::kType, "") == "TOTALORDER") return;
  const Literal &x = site.operands[0], &y = site.operands[1];
  if (!IsRealFloat(x)) return;
  for (int64_t i = 0; i < x.element_count(); ++i) {
    bool unordered = std::isnan(ReadNumber(x, i)) || std::isnan(ReadNumber(y, i));
    if (unordered) WriteInteger(*site.result, i, 1);
  }
}
void EqualityOfBits(FaultSite& site) {
  absl::string_view direction = site.instruction.WordOr(Attr::kDirection, "");
  if (direction != "EQ" && direction != "NE") return;
  const Literal &x = site.operands[0], &y = site.operands[1];
  for (int64_t i = 0; i < x.element_count(); ++i) {
    WriteInteger(*site.result, i, SameElement(x, i, y, i) == (direction == "EQ"));
  }
}

// Compares integers as if they had the other signedness.
template <bool kToSigned>
void OtherSignedness(FaultSite& site) {
  const Literal &x = site.operands[0], &y = site.operands[1];
  PrimitiveType type = x.element_type();
  absl::string_view direction = site.instruction.WordOr(Attr::kDirection, "");
  if (!IsInteger(type) || IsSigned(type) == kToSigned || direction == "EQ" || direction == "NE") {
    return;
  }
  uint64_t flip = uint64_t{1} << (BitWidth(type) - 1);
  for (int64_t i = 0; i < x.element_count(); ++i) {
    uint64_t a = static_cast<uint64_t>(ReadInteger(x, i));
    uint64_t b = static_cast<uint64_t>(ReadInteger(y, i));
    uint64_t mask = flip | (flip - 1);
    a &= mask, b &= mask;
    if (kToSigned) a ^= flip, b ^= flip;
    bool less = a < b, equal = a == b;
    bool value = direction == "LT"   ? less
                 : direction == "LE" ? less || equal
                 : direction == "GT" ? !less && !equal
                                     : !less;
    WriteInteger(*site.result, i, value);
  }
}

bool SwapOperands(Instruction& instruction, size_t a, size_t b) {
  if (instruction.operands().size() <= std::max(a, b)) return false;
  std::swap(instruction.mutable_operands()[a], instruction.mutable_operands()[b]);
  return true;
}

void AddCalledFaults(std::vector<Fault>& faults) {
  using FC = FaultClass;
  struct Called {
    Opcode opcode;
    Attr attr;
    bool pairs;
    const char* what;
  };
  for (const Called& row :
       {Called{Opcode::kSort, Attr::kToApply, true, "the comparator gets its arguments swapped"},
        Called{Opcode::kReduce, Attr::kToApply, false, "element and accumulator are swapped"},
        Called{Opcode::kReduceWindow, Attr::kToApply, false, "element and accumulator are swapped"},
        Called{Opcode::kScatter, Attr::kToApply, false, "update and current value are swapped"},
        Called{Opcode::kSelectAndScatter, Attr::kSelect, true, "select gets its arguments swapped"},
        Called{Opcode::kMap, Attr::kToApply, true, "operands 0 and 1 are swapped"}}) {
    faults.push_back(
        RewriteFault(absl::StrCat(OpcodeName(row.opcode), ".computation-arguments-swapped"),
                     FC::kComparator, row.opcode, row.what, [row](Module& module) {
                       ChangeCalled(module, row.opcode, row.attr,
                                    row.pairs ? SwapParameterPairs : SwapParameterHalves);
                     }));
  }
}

void AddCompareFaults(std::vector<Fault>& faults) {
  using FC = FaultClass;
  constexpr const char* kMistaken[][2] = {{"LT", "LE"}, {"LE", "LT"}, {"GT", "GE"},
                                          {"GE", "GT"}, {"EQ", "NE"}, {"LT", "GT"}};
  for (const auto& row : kMistaken) {
    faults.push_back(ModuleEditFault(
        absl::StrCat("compare.", row[0], "-as-", row[1]), FC::kComparator, Opcode::kCompare,
        "a direction is read as another", [from = row[0], to = row[1]](Instruction& compare) {
          return SetDirection(compare, from, to);
        }));
  }
  faults.push_back(AfterFault("compare.nan-less-than", FC::kNan, Opcode::kCompare,
                              "x < y computed as not (x >= y): true for NaN", NegatedOpposite));
  faults.push_back(AfterFault("compare.equality-of-bits", FC::kNan, Opcode::kCompare,
                              "EQ and NE compare bits: NaN equals itself, -0 is not 0",
                              EqualityOfBits));
  faults.push_back(AfterFault("compare.unsigned-as-signed", FC::kComparator, Opcode::kCompare,
                              "unsigned integers are ordered as signed", OtherSignedness<true>));
  faults.push_back(AfterFault("compare.signed-as-unsigned", FC::kComparator, Opcode::kCompare,
                              "signed integers are ordered as unsigned", OtherSignedness<false>));
  faults.push_back(ModuleEditFault("compare.total-order-ignored", FC::kComparator, Opcode::kCompare,
                                   "TOTALORDER is ignored", [](Instruction& compare) {
                                     if (compare.WordOr(Attr::kType, "") != "TOTALORDER")
                                       return false;
                                     compare.Remove(Attr::kType);
                                     return true;
                                   }));
}

void AddSwapFaults(std::vector<Fault>& faults) {
  auto add = [&](std::string id, Opcode opcode, size_t a, size_t b, const char* what) {
    faults.push_back(ModuleEditFault(std::move(id), FaultClass::kSwappedOperands, opcode, what,
                                     [a, b](Instruction& i) { return SwapOperands(i, a, b); }));
  };
  for (Opcode opcode :
       {Opcode::kSubtract, Opcode::kDivide, Opcode::kRemainder, Opcode::kPower, Opcode::kAtan2,
        Opcode::kCompare, Opcode::kShiftLeft, Opcode::kShiftRightLogical, Opcode::kComplex,
        Opcode::kDot, Opcode::kConcatenate, Opcode::kTriangularSolve, Opcode::kConvolution}) {
    add(absl::StrCat(OpcodeName(opcode), ".operands-swapped"), opcode, 0, 1,
        "the first two operands are swapped");
  }
  add("select.branches-swapped", Opcode::kSelect, 1, 2, "on_true and on_false are swapped");
  add("clamp.bounds-swapped", Opcode::kClamp, 0, 2, "the bounds are swapped");
  add("tuple.elements-swapped", Opcode::kTuple, 0, 1, "the first two elements are swapped");
  add("scaled-dot.scales-swapped", Opcode::kScaledDot, 2, 3,
      "each operand gets the other's scales");
  add("batch-norm-inference.mean-variance-swapped", Opcode::kBatchNormInference, 3, 4,
      "mean and variance are swapped");
  add("batch-norm-training.scale-offset-swapped", Opcode::kBatchNormTraining, 1, 2,
      "scale and offset are swapped");
}

// Reverses the order of rows whose first keys are equal.
void TiesReversed(FaultSite& site) {
  if (!site.instruction.BoolOr(Attr::kIsStable, false)) return;
  std::vector<Literal> columns = FlattenLeaves(*site.result);
  const std::vector<int64_t>& sizes = columns[0].shape().dimensions();
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  if (along.empty() || columns.size() < 2) return;
  const int64_t stride = RowMajorStrides(sizes)[along[0]], n = sizes[along[0]];
  for (int64_t base = 0; base < columns[0].element_count(); ++base) {
    if (base / stride % n != 0) continue;
    for (int64_t i = 0; i + 1 < n; ++i) {
      int64_t a = base + i * stride, b = a + stride;
      if (!SameElement(columns[0], a, columns[0], b)) continue;
      for (Literal& column : columns) {
        Literal first = column;
        CopyElement(column, b, column, a);
        CopyElement(first, a, column, b);
      }
      ++i;
    }
  }
  *site.result = Literal::Tuple(std::move(columns));
}

// Moves only the keys.
void ValuesStay(FaultSite& site) {
  if (!site.result->shape().IsTuple()) return;
  std::vector<Literal> columns = site.result->elements();
  for (size_t k = 1; k < columns.size(); ++k) columns[k] = site.operands[k];
  *site.result = Literal::Tuple(std::move(columns));
}

// Does not move the last element of each row.
void LastStays(FaultSite& site) {
  if (site.result->shape().IsTuple()) return;
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  const std::vector<int64_t>& sizes = site.result->shape().dimensions();
  if (along.empty() || sizes[along[0]] < 2) return;
  const int64_t stride = RowMajorStrides(sizes)[along[0]], n = sizes[along[0]];
  Literal operand = site.operands[0];
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    if (i / stride % n == n - 1) CopyElement(operand, i, *site.result, i);
  }
}

void EditTopK(FaultSite& site, void (*edit)(Literal& values, Literal& indices, int64_t k)) {
  if (!site.result->shape().IsTuple() || site.result->elements().size() != 2) return;
  std::vector<Literal> parts = site.result->elements();
  if (parts[0].shape().rank() == 0) return;
  edit(parts[0], parts[1], parts[0].shape().dimensions().back());
  *site.result = Literal::Tuple(std::move(parts));
}
void TopKAscending(Literal& values, Literal& indices, int64_t k) {
  for (Literal* part : {&values, &indices}) {
    const Literal right = *part;
    for (int64_t i = 0; i < right.element_count(); ++i) {
      CopyElement(right, i - i % k + (k - 1 - i % k), *part, i);
    }
  }
}
void TopKIndexFromOne(Literal&, Literal& indices, int64_t) {
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    WriteInteger(indices, i, ReadInteger(indices, i) + 1);
  }
}
void TopKIndexIn8Bits(Literal&, Literal& indices, int64_t) {
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    WriteInteger(indices, i, ReadInteger(indices, i) & 0xff);
  }
}

}  // namespace

void AddOrderFaults(std::vector<Fault>& faults) {
  AddCalledFaults(faults);
  AddCompareFaults(faults);
  AddSwapFaults(faults);
}

void AddSortFaults(std::vector<Fault>& faults) {
  using FC = FaultClass;
  faults.push_back(AfterFault("sort.stable-ties-reversed", FC::kComparator, Opcode::kSort,
                              "is_stable is ignored", TiesReversed));
  faults.push_back(AfterFault("sort.values-stay", FC::kComparator, Opcode::kSort,
                              "only the first operand is sorted", ValuesStay));
  faults.push_back(AfterFault("sort.last-element-stays", FC::kComparator, Opcode::kSort,
                              "rows are sorted without their last element", LastStays));
  faults.push_back(ModuleEditFault("sort.last-dimension-always", FC::kComparator, Opcode::kSort,
                                   "sorts along the last dimension", [](Instruction& sort) {
                                     const Shape& shape = sort.operand(0).shape();
                                     sort.Set(Attr::kDimensions,
                                              std::vector<int64_t>{shape.rank() - 1});
                                     return shape.rank() > 1;
                                   }));
  faults.push_back(AfterFault("topk.ascending", FC::kComparator, Opcode::kTopk,
                              "the largest element is last",
                              [](FaultSite& site) { EditTopK(site, TopKAscending); }));
  faults.push_back(AfterFault("topk.index-from-one", FC::kComparator, Opcode::kTopk,
                              "indices count from 1",
                              [](FaultSite& site) { EditTopK(site, TopKIndexFromOne); }));
  faults.push_back(AfterFault("topk.index-in-8-bits", FC::kIndexType, Opcode::kTopk,
                              "indices are kept in 8 bits",
                              [](FaultSite& site) { EditTopK(site, TopKIndexIn8Bits); }));
  faults.push_back(ModuleEditFault("topk.smallest", FC::kComparator, Opcode::kTopk,
                                   "largest is read inverted", [](Instruction& topk) {
                                     topk.Set(Attr::kLargest, !topk.BoolOr(Attr::kLargest, true));
                                     return true;
                                   }));
}

}  // namespace hlocts::backends
