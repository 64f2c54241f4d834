// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar_function.h"

#include <algorithm>
#include <cstring>

#include "reference/kernels/loop.h"
#include "reference/recognized.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

constexpr size_t kSlotsOnStack = 96;

// Fills `count` elements of `width` bytes with the first `width` bytes of the slot.
void Splat(const Slot& slot, int width, uint8_t* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) slot.Store(out + i * width, width);
}

}  // namespace

void ScalarFunction::RunSteps(Slot* slots) const {
  for (const Step& step : steps_) {
    const void* operands[3];
    for (int i = 0; i < step.operand_count; ++i) operands[i] = slots[step.operands[i]].bytes.data();
    step.op(operands, slots[step.result].bytes.data(), 1);
  }
}

void ScalarFunction::Run(const Slot* arguments, Slot* results) const {
  Slot on_stack[kSlotsOnStack];
  std::unique_ptr<Slot[]> on_heap;
  Slot* slots = on_stack;
  if (slot_widths_.size() > kSlotsOnStack) {
    on_heap.reset(new Slot[slot_widths_.size()]);
    slots = on_heap.get();
  }
  std::copy(arguments, arguments + argument_types_.size(), slots);
  std::copy(constants_.begin(), constants_.end(), slots + argument_types_.size());
  RunSteps(slots);
  for (size_t i = 0; i < result_slots_.size(); ++i) results[i] = slots[result_slots_[i]];
}

void ScalarFunction::RunBatch(absl::Span<const void* const> arguments,
                              absl::Span<void* const> results, int64_t count) const {
  const int64_t block = std::min(count, kBlock);
  const size_t first_own = argument_types_.size();
  std::vector<Slot> storage((slot_widths_.size() - first_own) * static_cast<size_t>(block));
  std::vector<uint8_t*> columns(slot_widths_.size());
  for (size_t s = first_own; s < slot_widths_.size(); ++s) {
    columns[s] = storage[(s - first_own) * static_cast<size_t>(block)].bytes.data();
    if (s - first_own < constants_.size()) {
      Splat(constants_[s - first_own], slot_widths_[s], columns[s], block);
    }
  }
  for (int64_t at = 0; at < count; at += block) {
    int64_t n = std::min(block, count - at);
    for (size_t s = 0; s < first_own; ++s) {
      columns[s] = static_cast<uint8_t*>(const_cast<void*>(arguments[s])) + at * slot_widths_[s];
    }
    for (const Step& step : steps_) {
      const void* operands[3];
      for (int i = 0; i < step.operand_count; ++i) operands[i] = columns[step.operands[i]];
      step.op(operands, columns[step.result], n);
    }
    // Results that are arguments are copied first: another result may overwrite them.
    std::vector<std::vector<uint8_t>> kept(results.size());
    for (size_t r = 0; r < results.size(); ++r) {
      int32_t slot = result_slots_[r];
      if (static_cast<size_t>(slot) >= first_own || results.size() == 1) continue;
      kept[r].assign(columns[slot], columns[slot] + n * slot_widths_[slot]);
    }
    for (size_t r = 0; r < results.size(); ++r) {
      int width = slot_widths_[result_slots_[r]];
      const uint8_t* from = kept[r].empty() ? columns[result_slots_[r]] : kept[r].data();
      if (n > 0) std::memmove(static_cast<uint8_t*>(results[r]) + at * width, from, n * width);
    }
  }
}

namespace {

// Returns the root if it is a binary operation on both parameters, in either order; else nullptr.
const Instruction* BinaryRootOfParameters(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root == nullptr || root->operand_count() != 2) return nullptr;
  const Instruction &lhs = root->operand(0), &rhs = root->operand(1);
  bool parameters = lhs.IsParameter() && rhs.IsParameter();
  return parameters && lhs.shape().IsScalar() && rhs.shape().IsScalar() ? root : nullptr;
}

}  // namespace

RecognizedReducer Recognize(const Computation& computation) {
  const Instruction* root = BinaryRootOfParameters(computation);
  if (root == nullptr) return RecognizedReducer::kNone;
  const Instruction &lhs = root->operand(0), &rhs = root->operand(1);
  PrimitiveType type = root->shape().element_type();
  bool both = lhs.parameter_number() + rhs.parameter_number() == 1;
  if (!both || lhs.shape().element_type() != type || rhs.shape().element_type() != type) {
    return RecognizedReducer::kNone;
  }
  return RecognizedReducerOf(root->opcode());
}

RecognizedComparator RecognizeComparator(const Computation& computation) {
  RecognizedComparator result;
  const Instruction* root = BinaryRootOfParameters(computation);
  if (root == nullptr || root->opcode() != Opcode::kCompare) return result;
  absl::string_view direction = root->WordOr(Attr::kDirection, "");
  if (direction != "LT" && direction != "GT") return result;
  int64_t lhs = root->operand(0).parameter_number(), rhs = root->operand(1).parameter_number();
  if (lhs / 2 != rhs / 2 || lhs == rhs) return result;
  result.recognized = true;
  result.key = lhs / 2;
  result.descending = (direction == "GT") == (lhs < rhs);
  result.total_order = root->WordOr(Attr::kType, "") == "TOTALORDER";
  return result;
}

}  // namespace hlocts::reference
