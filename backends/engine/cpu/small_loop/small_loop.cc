// SPDX-License-Identifier: Apache-2.0
// Assigns memory to the values of a small loop, binds its chains, and runs them.
#include "backends/engine/cpu/small_loop/small_loop.h"

#include <algorithm>
#include <cstring>

namespace hlocts::cpu {
namespace {

constexpr int64_t kSmallBytes = 4096;  // values up to this size get a padded copy
constexpr size_t kInstructionsMax = 500;
constexpr int64_t kMemoryStep = 16384;

bool IsSmall(int64_t bytes) { return bytes > 0 && bytes <= kSmallBytes; }

size_t InstructionCount(const Function& function) {
  size_t count = 0;
  for (const Step& step : function.steps) {
    count += 1 + (step.loop == nullptr ? 0 : static_cast<size_t>(step.loop->register_count()));
  }
  return count;
}

}  // namespace

bool SmallLoop::IsProfitable(const Function& condition, const Function& body) {
  return InstructionCount(condition) + InstructionCount(body) <= kInstructionsMax;
}

SmallLoop::SmallLoop(Run& run, const Function& condition, const Function& body) : run_(run) {
  invariant_leaf_.assign(body.parameter_slots.size(), false);
  for (size_t i = 0; i < invariant_leaf_.size(); ++i)
    invariant_leaf_[i] = body.ForwardsParameter(i);
  condition_ = BoundOf(condition);
  body_ = BoundOf(body);
}

uint8_t* SmallLoop::Cell(int64_t bytes) {
  bytes = Padded(bytes);
  if (bytes > free_bytes_) {
    free_bytes_ = std::max(bytes, kMemoryStep);
    memory_.push_back(std::make_unique<uint8_t[]>(free_bytes_ + kMicroPadding));
    free_ = memory_.back().get();
    free_ += (kMicroPadding - reinterpret_cast<uintptr_t>(free_) % kMicroPadding) % kMicroPadding;
  }
  uint8_t* cell = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return cell;
}

// Binds the function's slots. Small constants get padded copies; temporaries are already padded.
SmallLoop::Bound SmallLoop::BoundOf(const Function& function) {
  Bound bound;
  bound.function = &function;
  uint8_t** slots = run_.slots(function);
  bound.slots.assign(slots, slots + function.slots.size());
  bound.invariant.assign(function.slots.size(), false);
  for (size_t s = 0; s < function.slots.size(); ++s) {
    const Slot& slot = function.slots[s];
    bound.padded.push_back(slot.kind == Slot::Kind::kTemporary || IsSmall(slot.bytes));
    if (slot.kind != Slot::Kind::kConstant) continue;
    bound.invariant[s] = true;
    if (!IsSmall(slot.bytes)) continue;
    bound.slots[s] = Cell(slot.bytes);
    std::memcpy(bound.slots[s], slot.data, static_cast<size_t>(slot.bytes));
  }
  for (size_t i = 0; i < function.parameter_slots.size(); ++i) {
    const int32_t slot = function.parameter_slots[i];
    if (slot >= 0) bound.invariant[slot] = invariant_leaf_[i];
  }
  return bound;
}

void SmallLoop::TakeLeaves(const Leaves& from, bool copy, Leaves& cells) {
  cells = from;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t bytes = body_.function->parameter_types[i].bytes;
    if (!IsSmall(bytes) || from[i] == nullptr) continue;
    cells[i] = Cell(bytes);
    if (copy) std::memcpy(cells[i], from[i], static_cast<size_t>(bytes));
  }
}

// Copies the final state to the caller's leaves.
void SmallLoop::ReturnState(const Leaves (&state)[2], int final_state, Leaves& now, Leaves& next) {
  const std::vector<int32_t>& sources = body_.function->result_source;
  for (size_t i = 0; i < now.size(); ++i) {
    if (invariant_leaf_[i]) continue;
    const int in = sources[i] < 0 ? final_state : 0;
    const int64_t bytes = body_.function->parameter_types[i].bytes;
    if (IsSmall(bytes) && now[i] != nullptr) {
      std::memcpy(now[i], state[in][i], static_cast<size_t>(bytes));
    } else if (in == 1) {
      std::swap(now[i], next[i]);
    }
  }
}

absl::Status SmallLoop::Execute(Leaves& now, Leaves& next) {
  const std::vector<int32_t>& sources = body_.function->result_source;
  const bool alternates =
      std::any_of(sources.begin(), sources.end(), [](int32_t source) { return source < 0; });
  Leaves state[2];
  TakeLeaves(now, true, state[0]);
  TakeLeaves(next, false, state[1]);
  for (size_t i = 0; i < now.size(); ++i) {
    if (sources[i] >= 0) state[1][i] = state[0][i];  // updated in place: both states share the leaf
  }
  // The first test is a separate chain. Each other chain computes one state from the other state.
  Chain test, entered, chains[2];
  entered.Add({MicroOps().end, nullptr, nullptr, &run_.steps_left, 0});
  const int other = alternates ? 1 : 0;
  int final_state = -1;
  int64_t* left = &run_.steps_left;
  MicroBranch start = {&entered.micro, left, 0, &final_state};
  MicroBranch turns[2] = {{&chains[other].micro, left, other, &final_state},
                          {&chains[0].micro, left, 0, &final_state}};
  BindCondition(state[0], start, test);
  BindBackEdge(state[0], state[other], turns[0], chains[0]);
  if (alternates) BindBackEdge(state[1], state[0], turns[1], chains[1]);
  const Registers after[2] = {Settle({}, chains[0]), Settle({}, chains[1])};
  Settle(after[other], chains[0]);
  Settle(after[0], chains[1]);
  Settle({}, test);
  Settle({}, entered);
  chains[0].micro.next = chains[other].ops.data();
  chains[1].micro.next = chains[0].ops.data();
  test.micro.next = entered.ops.data();
  MicroOps().run(test.micro, *left);
  if (status_.ok() && final_state < 0) MicroOps().run(chains[0].micro, *left);
  HLOCTS_RETURN_IF_ERROR(status_);
  if (*left < 0) return run_.ChargeSteps(0);
  ReturnState(state, final_state, now, next);
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
