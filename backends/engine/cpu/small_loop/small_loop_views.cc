// SPDX-License-Identifier: Apache-2.0
// Slices of a small loop that are not copied: whoever reads one is told where it stands.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/moves/box_move.h"
#include "backends/engine/cpu/small_loop/small_loop.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kViewBytes = 1024;  // less is copied as fast as told

bool HasSlot(absl::Span<const int32_t> slots, int32_t slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

// Whether a step finds `slot` by one address that it looks up each time.
bool ReadsByAddress(const Step& step, int32_t slot) {
  if (step.loop == nullptr) return true;
  const auto& registers = step.loop->registers();
  return std::all_of(registers.begin(), registers.end(), [&](const LoopProgram::Register& reg) {
    return reg.array < 0 || step.in[reg.array] != slot || reg.kind == LoopProgram::Kind::kDirect;
  });
}

}  // namespace

// The array stays as it is until the slice has been read for the last time.
bool SmallLoop::StandsInPlace(const Function& function, size_t number) {
  const Step& step = function.steps[number];
  if (step.box == nullptr || !step.box->reads() || step.box->run_bytes() < kViewBytes) return false;
  const int32_t array = step.in[0], slice = step.out[0];
  const Slot::Kind kind = function.slots[array].kind;
  if (function.slots[slice].kind != Slot::Kind::kTemporary ||
      (kind != Slot::Kind::kParameter && kind != Slot::Kind::kConstant)) {
    return false;
  }
  bool written = false;
  for (size_t s = number + 1; s < function.steps.size(); ++s) {
    const Step& later = function.steps[s];
    written = written || HasSlot(later.out, array);
    if (HasSlot(later.out, slice)) return false;
    if (HasSlot(later.in, slice) && (written || !ReadsByAddress(later, slice))) return false;
  }
  return true;
}

// Its readers are bound to a place where nothing ever lies, which tells them apart.
void SmallLoop::BindView(Bound& bound, const Step& step, Chain& chain) {
  const int32_t slot = step.out[0];
  memory_.emplace_back(new uint8_t[step.box->run_bytes()]);
  bound.slots[slot] = memory_.back().get();
  bound.padded[slot] = false;
  ViewCall& view = views_.emplace_back();
  view.call = &CallOf(bound, step);
  view.stand_in = bound.slots[slot];
  view.first_call = calls_.size(), view.first_step = steps_.size();
  BindThunk(
      [](void* context) {
        const ViewCall& v = *static_cast<const ViewCall*>(context);
        const uint8_t* at = v.call->step->box->PlaceOf(v.call->in.data());
        for (const ViewCall::Reader& reader : v.readers) {
          const uint8_t* stands = at + reader.at;
          std::memcpy(reader.place, &stands, sizeof(stands));
        }
        return true;
      },
      &view, chain);
}

void SmallLoop::FindReaders(ViewCall& view) {
  const int64_t bytes = view.call->step->box->run_bytes();
  const auto look = [&](const void* at, void* place) {
    const auto* read = static_cast<const uint8_t*>(at);
    if (read >= view.stand_in && read < view.stand_in + bytes) {
      view.readers.push_back({place, read - view.stand_in});
    }
  };
  for (size_t c = view.first_call; c < calls_.size(); ++c) {
    MicroCall& call = calls_[c];
    for (const void** place : {&call.a, &call.b, &call.c}) look(*place, place);
  }
  for (size_t s = view.first_step; s < steps_.size(); ++s) {
    for (const uint8_t*& place : steps_[s].in) look(place, &place);
  }
}

}  // namespace hlocts::cpu
