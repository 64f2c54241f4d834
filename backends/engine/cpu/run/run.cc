// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "backends/engine/cpu/base/program.h"
#include "spec/base/array_memory.h"

namespace hlocts::cpu {

void Run::Free::operator()(uint8_t* data) const { std::free(data); }

bool Function::ForwardsParameter(size_t leaf) const {
  if (result_source[leaf] != static_cast<int32_t>(leaf)) return false;
  const int32_t slot = parameter_slots[leaf];
  return std::none_of(steps.begin(), steps.end(), [slot](const Step& step) {
    return std::find(step.out.begin(), step.out.end(), slot) != step.out.end();
  });
}

absl::Status Run::Prepare() {
  if (!slots_.empty()) return absl::OkStatus();
  if (program_.arena_bytes > 0) {
    arena_.reset(static_cast<uint8_t*>(AllocateArray(program_.arena_bytes)));
    if (arena_ == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot allocate ", program_.arena_bytes, " bytes of temporaries"));
    }
  }
  for (const auto& function : program_.functions) {
    std::vector<uint8_t*>& slots = slots_.emplace_back(function->slots.size());
    for (size_t s = 0; s < slots.size(); ++s) {
      const Slot& slot = function->slots[s];
      if (slot.kind == Slot::Kind::kConstant) slots[s] = const_cast<uint8_t*>(slot.data);
      if (slot.kind == Slot::Kind::kTemporary) {
        slots[s] = arena_.get() + function->arena_offset + slot.offset;
      }
    }
  }
  return absl::OkStatus();
}

namespace {

constexpr int kGuardByte = 0xa7, kGarbage = 0xfb;

}  // namespace

void Run::SetGuards(const Function& function, const Step& step) {
  uint8_t** mine = slots(function);
  for (int32_t slot : step.out) {
    if (slot < 0) continue;
    const Slot& made = function.slots[slot];
    const size_t bytes = static_cast<size_t>(made.bytes);
    if (made.kind == Slot::Kind::kTemporary) {
      uint8_t* data = arena_.get() + function.arena_offset + made.offset;
      std::memset(data - kGuardBytes, kGuardByte, kGuardBytes);
      std::memset(data + bytes, kGuardByte, kGuardBytes);
    } else if (made.kind != Slot::Kind::kResult) {
      continue;
    }
    const bool in_place = std::any_of(step.in.begin(), step.in.end(), [&](int32_t in) {
      return in >= 0 && mine[in] == mine[slot];
    });
    if (!in_place && bytes > 0) std::memset(mine[slot], kGarbage, bytes);
  }
}

absl::Status Run::CheckGuards(const Function& function, const Step& step) const {
  for (int32_t slot : step.out) {
    if (slot < 0 || function.slots[slot].kind != Slot::Kind::kTemporary) continue;
    const Slot& made = function.slots[slot];
    const uint8_t* data = arena_.get() + function.arena_offset + made.offset;
    for (const uint8_t* zone : {data - kGuardBytes, data + made.bytes}) {
      for (int64_t i = 0; i < kGuardBytes; ++i) {
        if (zone[i] == kGuardByte) continue;
        return absl::InternalError(absl::StrCat(
            "step ", &step - function.steps.data(), " of ", function.name, " wrote ",
            zone < data ? "before" : "beyond", " its result of ", made.bytes, " bytes"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Run::Execute(const Function& function) {
  uint8_t** mine = slots(function);
  absl::InlinedVector<const uint8_t*, 16> in;
  absl::InlinedVector<uint8_t*, 8> out;
  for (const Step& step : function.steps) {
    in.clear();
    out.clear();
    for (int32_t slot : step.in) in.push_back(slot < 0 ? nullptr : mine[slot]);
    for (int32_t slot : step.out) out.push_back(slot < 0 ? nullptr : mine[slot]);
    if (program_.guarded) SetGuards(function, step);
    HLOCTS_RETURN_IF_ERROR(step.run(*this, in.data(), out.data()));
    if (program_.guarded) HLOCTS_RETURN_IF_ERROR(CheckGuards(function, step));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
