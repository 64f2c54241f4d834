// SPDX-License-Identifier: Apache-2.0
// Assigns memory to the arrays of a function: results, buffers reused in place, and temporaries.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/engine/cpu/compile/function_builder.h"
#include "backends/engine/plan/arena.h"

namespace hlocts::cpu {
namespace {

StepFunction CopyStep(int64_t bytes) {
  return [bytes](Run&, In in, Out out) {
    if (bytes > 0 && in[0] != out[0]) std::memcpy(out[0], in[0], static_cast<size_t>(bytes));
    return absl::OkStatus();
  };
}

}  // namespace

// Assigns a separate buffer to every result leaf: the buffer in which it was computed, or a copy.
void FunctionBuilder::PlaceResults(AliasMode donation_mode) {
  function_.result_source.assign(graph_.results.size(), -1);
  for (size_t r = 0; r < graph_.results.size(); ++r) {
    const int32_t buffer = buffer_of_[graph_.results[r]];
    if (buffer < 0) continue;  // a token
    const Buffer& source = buffers_[buffer];
    const int32_t number = static_cast<int32_t>(r);
    const bool stays = donation_mode == AliasMode::kAnyLeaf ||
                       (donation_mode == AliasMode::kSameLeaf && source.parameter == number);
    if (source.kind == Buffer::Kind::kParameter && stays) {
      function_.result_source[r] = source.parameter;
    } else if (source.kind == Buffer::Kind::kWritten && source.result < 0) {
      buffers_[buffer].result = number;
    } else {
      Draft copy;
      copy.step.run = CopyStep(source.bytes);
      copy.in = {buffer};
      const plan::ArrayType type = graph_.type(graph_.results[r]);
      copy.out = {NewBuffer(type)};
      buffers_[copy.out[0]].result = number;
      drafts_.push_back(std::move(copy));
    }
  }
}

void FunctionBuilder::FindLifetimes() {
  const int32_t end = static_cast<int32_t>(drafts_.size());
  for (int32_t s = 0; s < end; ++s) {
    for (int32_t buffer : drafts_[s].in) {
      if (buffer >= 0) buffers_[buffer].last = s;
    }
    for (int32_t buffer : drafts_[s].out) {
      if (buffer < 0) continue;
      buffers_[buffer].first = s;
      buffers_[buffer].last = std::max(buffers_[buffer].last, s);
    }
  }
  for (Buffer& buffer : buffers_) {
    if (buffer.result >= 0) buffer.last = end;
    const bool is_result = buffer.kind == Buffer::Kind::kParameter &&
                           std::find(function_.result_source.begin(), function_.result_source.end(),
                                     buffer.parameter) != function_.result_source.end();
    if (is_result) buffer.last = end;
  }
}

int32_t FunctionBuilder::StorageOf(int32_t buffer) const {
  while (buffers_[buffer].storage >= 0) buffer = buffers_[buffer].storage;
  return buffer;
}

bool FunctionBuilder::ReuseInputBuffer(int32_t out, int32_t in, int32_t step,
                                       const std::vector<std::pair<int, int>>& aliases) {
  if (out < 0 || in < 0 || buffers_[in].last != step || buffers_[out].bytes != buffers_[in].bytes ||
      buffers_[out].bytes == 0) {
    return false;
  }
  const int32_t storage = StorageOf(in);
  Buffer& memory = buffers_[storage];
  if (memory.kind == Buffer::Kind::kConstant) return false;
  if (memory.kind == Buffer::Kind::kParameter) {
    const std::pair<int, int> pair = {memory.parameter, buffers_[out].result};
    if (std::find(aliases.begin(), aliases.end(), pair) == aliases.end()) return false;
    function_.result_source[pair.second] = pair.first;
  } else {
    memory.result = std::max(memory.result, buffers_[out].result);
  }
  buffers_[out].storage = storage;
  memory.last = std::max(memory.last, buffers_[out].last);
  return true;
}

// Lets results reuse the memory of operands that no later step reads.
void FunctionBuilder::ReuseInPlace(const std::vector<std::pair<int, int>>& aliases) {
  for (int32_t s = 0; s < static_cast<int32_t>(drafts_.size()); ++s) {
    Draft& draft = drafts_[s];
    std::vector<bool> given(draft.out.size(), false), taken(draft.in.size(), false);
    for (const auto& [result, operand] : draft.step.in_place) {
      const int32_t in = draft.in[operand], out = draft.out[result];
      if (given[result] || taken[operand] || in < 0) continue;
      const auto same = std::count_if(draft.in.begin(), draft.in.end(), [&](int32_t other) {
        return other >= 0 && StorageOf(other) == StorageOf(in);
      });
      if (same > 1) continue;
      given[result] = taken[operand] = ReuseInputBuffer(out, in, s, aliases);
    }
  }
}

int32_t FunctionBuilder::SlotOf(int32_t buffer) {
  if (buffer < 0) return -1;
  const int32_t storage = StorageOf(buffer);
  if (slot_of_[storage] >= 0) return slot_of_[storage];
  const Buffer& memory = buffers_[storage];
  Slot slot;
  slot.data = memory.data;
  slot.bytes = memory.bytes;
  slot.kind = memory.kind == Buffer::Kind::kParameter  ? Slot::Kind::kParameter
              : memory.kind == Buffer::Kind::kConstant ? Slot::Kind::kConstant
              : memory.result >= 0                     ? Slot::Kind::kResult
                                                       : Slot::Kind::kTemporary;
  function_.slots.push_back(slot);
  return slot_of_[storage] = static_cast<int32_t>(function_.slots.size()) - 1;
}

absl::Status FunctionBuilder::PlaceTemporaries() {
  slot_of_.assign(buffers_.size(), -1);
  const int64_t guard = compiler_.options().guard ? kGuardBytes : 0;
  std::vector<plan::Lifetime> lifetimes;
  std::vector<int32_t> owners;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const int32_t buffer = static_cast<int32_t>(b);
    // A value that is internal to a step needs no memory of the function.
    const bool is_used = buffers_[b].first >= 0 || buffers_[b].kind != Buffer::Kind::kWritten;
    if (!is_used || StorageOf(buffer) != buffer) continue;
    const int32_t slot = SlotOf(buffer);
    if (function_.slots[slot].kind != Slot::Kind::kTemporary) continue;
    lifetimes.push_back({buffers_[b].bytes + 2 * guard, buffers_[b].first, buffers_[b].last});
    owners.push_back(slot);
  }
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].first < lifetimes[b].first; });
  std::vector<plan::Lifetime> sorted;
  for (size_t i : order) sorted.push_back(lifetimes[i]);
  HLOCTS_ASSIGN_OR_RETURN(const plan::ArenaPlan arena,
                          plan::PlanArena(sorted, compiler_.options().memory_bytes_max));
  for (size_t i = 0; i < order.size(); ++i) {
    function_.slots[owners[order[i]]].offset = arena.offsets[i] + guard;
  }
  function_.temporary_bytes = arena.bytes;
  return absl::OkStatus();
}

// Replaces the buffers in steps by slots.
void FunctionBuilder::NumberSlots() {
  for (plan::ValueId parameter : graph_.parameters) {
    function_.parameter_slots.push_back(SlotOf(buffer_of_[parameter]));
  }
  function_.result_slots.assign(graph_.results.size(), -1);
  for (size_t b = 0; b < buffers_.size(); ++b) {
    if (buffers_[b].result >= 0) {
      function_.result_slots[buffers_[b].result] = SlotOf(static_cast<int32_t>(b));
    }
  }
  for (Draft& draft : drafts_) {
    Step step;
    step.run = std::move(draft.step.run);
    const auto& loop = draft.step.rows.loop;
    // SmallLoop does not support loops with assembled pieces.
    if (loop != nullptr && !loop->HasPieces()) step.loop = loop;
    step.elements = draft.step.rows.elements;
    step.box = std::move(draft.step.box);
    for (int32_t buffer : draft.in) step.in.push_back(SlotOf(buffer));
    for (int32_t buffer : draft.out) step.out.push_back(SlotOf(buffer));
    function_.steps.push_back(std::move(step));
  }
}

}  // namespace hlocts::cpu
