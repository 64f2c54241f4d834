#include <cstdlib>
#include <new>

#include "backends/cpu/program.h"

namespace hlocts::cpu {

void Run::Free::operator()(uint8_t* data) const { std::free(data); }

absl::Status Run::Prepare() {
  if (!slots_.empty()) return absl::OkStatus();
  if (program_.arena_bytes > 0) {
    arena_.reset(static_cast<uint8_t*>(std::aligned_alloc(64, program_.arena_bytes)));
    if (arena_ == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for ", program_.arena_bytes, " bytes of temporaries"));
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

absl::Status Run::Execute(const Function& function) {
  uint8_t** mine = slots(function);
  absl::InlinedVector<const uint8_t*, 16> in;
  absl::InlinedVector<uint8_t*, 8> out;
  for (const Step& step : function.steps) {
    in.clear();
    out.clear();
    for (int32_t slot : step.in) in.push_back(slot < 0 ? nullptr : mine[slot]);
    for (int32_t slot : step.out) out.push_back(slot < 0 ? nullptr : mine[slot]);
    HLOCTS_RETURN_IF_ERROR(step.run(*this, in.data(), out.data()));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
