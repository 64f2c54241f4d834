// SPDX-License-Identifier: Apache-2.0
// Faults of buffers: results overwrite values that are still needed, or stale values are read (as
// in openxla/xla#49176, jax-ml/jax#39625, #40830).

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// Replaces operands that Remember has recorded as overwritten. Remember records the result of each
// instruction with `opcode` as the new value of its operand, as if both shared a buffer. The engine
// calls both functions for every instruction.
void Overwrite(FaultSite& site) {
  for (size_t k = 0; k < site.operands.size(); ++k) {
    auto at = site.memory.values.find(&site.instruction.operand(static_cast<int64_t>(k)));
    if (at != site.memory.values.end()) site.operands[k] = at->second;
  }
}
void Remember(Opcode opcode, FaultSite& site) {
  site.memory.values.erase(&site.instruction);
  if (site.opcode() != opcode || site.operands.empty()) return;
  const Instruction& operand = site.instruction.operand(0);
  if (operand.IsConstant()) return;  // constants are never overwritten
  const Literal& result = site.result->shape().IsTuple() && opcode == Opcode::kSort
                              ? site.result->elements()[0]
                              : *site.result;
  if (site.operands[0].shape().CompatibleWith(result.shape())) {
    site.memory.values[&operand] = result;
  }
}

// Reverses elements in place, from the front, so the second half reads overwritten elements.
void ReverseOverItself(FaultSite& site) {
  Literal& result = *site.result;
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  const std::vector<int64_t>& sizes = result.shape().dimensions();
  if (along.empty()) return;
  const std::vector<int64_t> strides = RowMajorStrides(sizes);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    int64_t mirror = i, first = along[0];
    for (int64_t d : along) {
      int64_t at = i / strides[d] % sizes[d];
      mirror += (sizes[d] - 1 - 2 * at) * strides[d];
    }
    if (i / strides[first] % sizes[first] > (sizes[first] - 1) / 2) {
      CopyElement(result, mirror, result, i);
    }
  }
}

void TransposeOverItself(FaultSite& site) {
  Literal& result = *site.result;
  const std::vector<int64_t>& sizes = result.shape().dimensions();
  if (sizes.size() != 2 || sizes[0] != sizes[1]) return;
  const int64_t n = sizes[0];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) CopyElement(result, j * n + i, result, i * n + j);
  }
}

// Repeats the first elements, as a forward copy to an overlapping higher address does.
void PadCopiesForward(FaultSite& site) {
  const PaddingConfig* padding = site.instruction.Get<PaddingConfig>(Attr::kPadding);
  Literal& result = *site.result;
  if (padding == nullptr || padding->dimensions.size() != 1) return;
  const PaddingDimension& d = padding->dimensions[0];
  const int64_t count = site.operands[0].element_count();
  if (d.low <= 0 || d.interior != 0 || d.high < 0 || d.low >= count) return;
  for (int64_t i = d.low; i < count; ++i) CopyElement(result, d.low + i % d.low, result, d.low + i);
}

// Repeats the first element of an update that is a slice, reshape or reverse, as if the update
// overlapped the memory to which it is written.
void UpdateReadsItself(FaultSite& site) {
  const Instruction& update = site.instruction.operand(1);
  Opcode opcode = update.opcode();
  bool derived = opcode == Opcode::kSlice || opcode == Opcode::kDynamicSlice ||
                 opcode == Opcode::kReshape || opcode == Opcode::kReverse;
  if (!derived || site.operands[1].element_count() < 2) return;
  Literal& written = site.operands[1];
  for (int64_t i = 1; i < written.element_count(); ++i) CopyElement(written, 0, written, i);
}

// Exchanges carried values, (a, b) -> (b, a), wrongly: the new b is read from a after a has been
// overwritten.
bool CarriedSwap(Instruction& loop) {
  Computation* body = loop.CalledComputation(Attr::kBody);
  if (body == nullptr || body->root() == nullptr || body->root()->opcode() != Opcode::kTuple) {
    return false;
  }
  Instruction* root = body->root();
  bool changed = false;
  for (int64_t i = 1; i < root->operand_count(); ++i) {
    const Instruction& operand = root->operand(i);
    if (operand.opcode() != Opcode::kGetTupleElement) continue;
    if (!operand.operand(0).IsParameter()) continue;
    int64_t from = operand.IntOr(Attr::kIndex, 0);
    if (from >= i || root->operand(from).shape() != operand.shape()) continue;
    root->mutable_operands()[i] = root->operands()[from];
    changed = true;
  }
  return changed;
}

// Makes carried elements with the same initial value share a buffer: the second element gets the
// value that the body writes to the first.
void SameBufferTwice(FaultSite& site) {
  if (site.operands.size() != 1) return;
  const Instruction& init = site.instruction.operand(0);
  if (init.opcode() != Opcode::kTuple || !site.result->shape().IsTuple()) return;
  std::vector<Literal> elements = site.result->elements();
  for (int64_t i = 0; i < init.operand_count(); ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if (&init.operand(i) == &init.operand(j)) elements[i] = elements[j];
    }
  }
  *site.result = Literal::Tuple(std::move(elements));
}

void FirstValueForEver(FaultSite& site) {
  if (site.operands.empty() && site.opcode() != Opcode::kRng) return;
  auto [at, is_new] = site.memory.values.try_emplace(&site.instruction, *site.result);
  if (!is_new) *site.result = at->second;
}

void ValueOfTimeBefore(FaultSite& site) {
  Literal now = *site.result;
  auto [at, is_new] = site.memory.values.try_emplace(&site.instruction, now);
  if (is_new) return;
  *site.result = at->second;
  at->second = now;
}

// Returns the first call's result for every call of a computation.
void FirstCallForAll(FaultSite& site) {
  const Computation* callee = site.instruction.called_computations().empty()
                                  ? nullptr
                                  : site.instruction.called_computations()[0];
  if (callee == nullptr || callee->root() == nullptr) return;
  auto [at, is_new] = site.memory.values.try_emplace(callee->root(), *site.result);
  if (!is_new) *site.result = at->second;
}

// Returns zeros for the elements that no update writes, as if the operand had not been copied.
void UnwrittenIsZero(FaultSite& site) {
  if (site.opcode() == Opcode::kScatter && site.operands.size() != 3) return;
  site.operands[0] = Literal(site.operands[0].shape());
}

constexpr SiteFault kInPlaceSites[] = {
    {"reverse.over-itself", FaultClass::kInPlace, Opcode::kReverse,
     "done in place without a temporary: the second half mirrors the new first half",
     ReverseOverItself, false},
    {"transpose.over-itself", FaultClass::kInPlace, Opcode::kTranspose,
     "a square matrix transposed in place without a temporary", TransposeOverItself, false},
    {"pad.forward-copy-smears", FaultClass::kInPlace, Opcode::kPad,
     "copied forward over its own input", PadCopiesForward, false},
    {"dynamic-update-slice.reads-itself", FaultClass::kInPlace, Opcode::kDynamicUpdateSlice,
     "an update that is part of another fusion of the operand reads cells already written",
     UpdateReadsItself, true},
    {"while.same-buffer-twice", FaultClass::kInPlace, Opcode::kWhile,
     "one value carried twice shares one buffer", SameBufferTwice, false},
    {"dynamic-update-slice.rest-unwritten", FaultClass::kStaleBuffer, Opcode::kDynamicUpdateSlice,
     "elements outside the update are not copied", UnwrittenIsZero, true},
    {"scatter.rest-unwritten", FaultClass::kStaleBuffer, Opcode::kScatter,
     "elements that no update reaches are not copied", UnwrittenIsZero, true},
    {"call.first-result-for-all", FaultClass::kStaleBuffer, Opcode::kCall,
     "a computation called twice returns its first result", FirstCallForAll, false},
    {"fusion.first-result-for-all", FaultClass::kStaleBuffer, Opcode::kFusion,
     "a fused computation used twice returns its first result", FirstCallForAll, false},
    {"conditional.first-result-for-ever", FaultClass::kStaleBuffer, Opcode::kConditional,
     "evaluated again, it returns its first result", FirstValueForEver, false},
    {"multiply.hoisted-from-loop", FaultClass::kStaleBuffer, Opcode::kMultiply,
     "treated as loop-invariant: keeps its first value", FirstValueForEver, false},
    {"dynamic-slice.hoisted-from-loop", FaultClass::kStaleBuffer, Opcode::kDynamicSlice,
     "treated as loop-invariant: keeps its first value", FirstValueForEver, false},
    {"add.value-of-trip-before", FaultClass::kStaleBuffer, Opcode::kAdd,
     "in a loop it returns the value of the previous iteration", ValueOfTimeBefore, false},
    {"rng.same-numbers-again", FaultClass::kStaleBuffer, Opcode::kRng,
     "in a loop the same random numbers are repeated", FirstValueForEver, false},
    {"all-reduce.value-of-time-before", FaultClass::kStaleBuffer, Opcode::kAllReduce,
     "the send buffer is refilled too late", ValueOfTimeBefore, false},
};

}  // namespace

void AddInPlaceFaults(std::vector<Fault>& faults) {
  for (Opcode opcode : {Opcode::kDynamicUpdateSlice, Opcode::kScatter, Opcode::kSort, Opcode::kAdd,
                        Opcode::kMultiply, Opcode::kNegate, Opcode::kExponential, Opcode::kSelect,
                        Opcode::kReverse, Opcode::kWhile, Opcode::kAllReduce}) {
    Fault fault{.id = absl::StrCat(OpcodeName(opcode), ".overwrites-live-operand"),
                .fault_class = FaultClass::kInPlace,
                .what = "works in place although its first operand is read again later",
                .before = Overwrite,
                .after = [opcode](FaultSite& site) { Remember(opcode, site); }};
    faults.push_back(std::move(fault));
  }
  for (const SiteFault& row : kInPlaceSites) faults.push_back(SiteFaultOf(row, row.id));
  faults.push_back(ModuleEditFault(
      "while.carried-swap-overwritten", FaultClass::kInPlace, Opcode::kWhile,
      "carried values that are swapped: the second is read after it was overwritten", CarriedSwap));
}

}  // namespace hlocts::backends
