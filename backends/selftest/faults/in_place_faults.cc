// Buffers: results written where something is still to be read, and values of an earlier time read
// (classes seen in openxla/xla 49176, jax 39625, jax 40830).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

// The result was written into the operand's buffer although somebody reads the operand later.
// Strikes on every opcode: it acts where `opcode` runs and where its operand is read afterwards.
void Overwrite(Strike& strike) {
  for (size_t k = 0; k < strike.operands.size(); ++k) {
    auto at = strike.memory.values.find(&strike.instruction.operand(static_cast<int64_t>(k)));
    if (at != strike.memory.values.end()) strike.operands[k] = at->second;
  }
}
void Remember(Opcode opcode, Strike& strike) {
  strike.memory.values.erase(&strike.instruction);
  if (strike.opcode() != opcode || strike.operands.empty()) return;
  const Instruction& operand = strike.instruction.operand(0);
  if (operand.opcode() == Opcode::kConstant) return;  // never written to
  const Literal& result = strike.result->shape().IsTuple() && opcode == Opcode::kSort
                              ? strike.result->elements()[0]
                              : *strike.result;
  if (strike.operands[0].shape().CompatibleWith(result.shape())) {
    strike.memory.values[&operand] = result;
  }
}

// Moves that run over their own input, element by element from the front.
void ReverseOverItself(Strike& strike) {
  Literal& result = *strike.result;
  const std::vector<int64_t>& along = strike.instruction.IntList(Attr::kDimensions);
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

void TransposeOverItself(Strike& strike) {
  Literal& result = *strike.result;
  const std::vector<int64_t>& sizes = result.shape().dimensions();
  if (sizes.size() != 2 || sizes[0] != sizes[1]) return;
  const int64_t n = sizes[0];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) CopyElement(result, j * n + i, result, i * n + j);
  }
}

// A forward copy to a higher place smears the first element.
void PadSmears(Strike& strike) {
  const PaddingConfig* padding = strike.instruction.Get<PaddingConfig>(Attr::kPadding);
  Literal& result = *strike.result;
  if (padding == nullptr || padding->dimensions.size() != 1) return;
  const PaddingDimension& d = padding->dimensions[0];
  const int64_t count = strike.operands[0].element_count();
  if (d.low <= 0 || d.interior != 0 || d.high < 0 || d.low >= count) return;
  for (int64_t i = d.low; i < count; ++i) CopyElement(result, d.low + i % d.low, result, d.low + i);
}

// An update that is a slice of what it updates reads what it has just written.
void UpdateReadsItself(Strike& strike) {
  const Instruction& update = strike.instruction.operand(1);
  Opcode opcode = update.opcode();
  bool derived = opcode == Opcode::kSlice || opcode == Opcode::kDynamicSlice ||
                 opcode == Opcode::kReshape || opcode == Opcode::kReverse;
  if (!derived || strike.operands[1].element_count() < 2) return;
  Literal& written = strike.operands[1];
  for (int64_t i = 1; i < written.element_count(); ++i) CopyElement(written, 0, written, i);
}

// (a, b) -> (b, a): b's new value is read after a's has been written over it.
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
    if (operand.operand(0).opcode() != Opcode::kParameter) continue;
    int64_t from = operand.IntOr(Attr::kIndex, 0);
    if (from >= i || root->operand(from).shape() != operand.shape()) continue;
    root->mutable_operands()[i] = root->operands()[from];
    changed = true;
  }
  return changed;
}

// Where the body hands an element on unchanged it is not copied, and what the body writes meanwhile
// shows: the second element takes the first one's value when both begin as the same buffer.
void SameBufferTwice(Strike& strike) {
  if (strike.operands.size() != 1) return;
  const Instruction& init = strike.instruction.operand(0);
  if (init.opcode() != Opcode::kTuple || !strike.result->shape().IsTuple()) return;
  std::vector<Literal> elements = strike.result->elements();
  for (int64_t i = 0; i < init.operand_count(); ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if (&init.operand(i) == &init.operand(j)) elements[i] = elements[j];
    }
  }
  *strike.result = Literal::Tuple(std::move(elements));
}

// The first value an instruction ever had, again.
void FirstValueForEver(Strike& strike) {
  if (strike.operands.empty() && strike.opcode() != Opcode::kRng) return;
  auto [at, is_new] = strike.memory.values.try_emplace(&strike.instruction, *strike.result);
  if (!is_new) *strike.result = at->second;
}

// What the instruction gave the time before.
void ValueOfTimeBefore(Strike& strike) {
  Literal now = *strike.result;
  auto [at, is_new] = strike.memory.values.try_emplace(&strike.instruction, now);
  if (is_new) return;
  *strike.result = at->second;
  at->second = now;
}

// One computation called twice gives the first call's result.
void FirstCallForAll(Strike& strike) {
  const Computation* callee = strike.instruction.called_computations().empty()
                                  ? nullptr
                                  : strike.instruction.called_computations()[0];
  if (callee == nullptr || callee->root() == nullptr) return;
  auto [at, is_new] = strike.memory.values.try_emplace(callee->root(), *strike.result);
  if (!is_new) *strike.result = at->second;
}

// Elements that no update writes hold what the buffer held before: zeros.
void UnwrittenIsZero(Strike& strike) {
  if (strike.opcode() == Opcode::kScatter && strike.operands.size() != 3) return;
  strike.operands[0] = Literal(strike.operands[0].shape());
}

struct Row {
  const char* id;
  FaultClass fault_class;
  Opcode opcode;
  const char* what;
  void (*strike)(Strike&);
  bool before;
};
constexpr Row kRows[] = {
    {"reverse.over-itself", FaultClass::kInPlace, Opcode::kReverse,
     "done in place without a temporary: the second half mirrors the new first half",
     ReverseOverItself, false},
    {"transpose.over-itself", FaultClass::kInPlace, Opcode::kTranspose,
     "a square matrix transposed in place without a temporary", TransposeOverItself, false},
    {"pad.forward-copy-smears", FaultClass::kInPlace, Opcode::kPad,
     "copied forward over its own input", PadSmears, false},
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
     "a computation called twice gives its first result", FirstCallForAll, false},
    {"fusion.first-result-for-all", FaultClass::kStaleBuffer, Opcode::kFusion,
     "a fused computation used twice gives its first result", FirstCallForAll, false},
    {"conditional.first-result-for-ever", FaultClass::kStaleBuffer, Opcode::kConditional,
     "evaluated again it gives its first result", FirstValueForEver, false},
    {"multiply.hoisted-from-loop", FaultClass::kStaleBuffer, Opcode::kMultiply,
     "taken for loop-invariant: keeps its first value", FirstValueForEver, false},
    {"dynamic-slice.hoisted-from-loop", FaultClass::kStaleBuffer, Opcode::kDynamicSlice,
     "taken for loop-invariant: keeps its first value", FirstValueForEver, false},
    {"add.value-of-trip-before", FaultClass::kStaleBuffer, Opcode::kAdd,
     "in a loop it gives the trip before's value", ValueOfTimeBefore, false},
    {"rng.same-numbers-again", FaultClass::kStaleBuffer, Opcode::kRng,
     "in a loop the same random numbers come again", FirstValueForEver, false},
    {"all-reduce.value-of-time-before", FaultClass::kStaleBuffer, Opcode::kAllReduce,
     "the send buffer is refilled too late", ValueOfTimeBefore, false},
};

}  // namespace

void AddInPlaceFaults(std::vector<Fault>& faults) {
  for (Opcode opcode : {Opcode::kDynamicUpdateSlice, Opcode::kScatter, Opcode::kSort, Opcode::kAdd,
                        Opcode::kMultiply, Opcode::kNegate, Opcode::kExponential, Opcode::kSelect,
                        Opcode::kReverse, Opcode::kWhile, Opcode::kAllReduce}) {
    Fault fault;
    fault.id = absl::StrCat(OpcodeName(opcode), ".overwrites-live-operand");
    fault.fault_class = FaultClass::kInPlace;
    fault.what = "works in place although its first operand is read again later";
    fault.before = Overwrite;
    fault.after = [opcode](Strike& strike) { Remember(opcode, strike); };
    faults.push_back(std::move(fault));
  }
  for (const Row& row : kRows) {
    Fault fault{row.id, row.fault_class, row.what, {row.opcode}};
    (row.before ? fault.before : fault.after) = row.strike;
    faults.push_back(std::move(fault));
  }
  Fault swap{"while.carried-swap-overwritten", FaultClass::kInPlace,
             "carried values that trade places: the second is read after it was overwritten",
             {Opcode::kWhile}};
  swap.surgery = CarriedSwap;
  faults.push_back(std::move(swap));
}

}  // namespace hlocts
