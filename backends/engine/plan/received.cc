// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/received.h"

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::plan {

absl::Status CheckReceived(const Module& module, int64_t bytes_max) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->shape().HasUnboundedDimension())
        return Unsupported(instruction->name(), ": the size has no bound");
      if (instruction->opcode() != Opcode::kRecv) continue;
      if (instruction->shape().StorageSizeBytes() <= bytes_max) continue;
      return absl::ResourceExhaustedError(absl::StrCat(
          instruction->name(), ": the received value exceeds the budget of ", bytes_max, " bytes"));
    }
  }
  return absl::OkStatus();
}

}  // namespace hlocts::plan
