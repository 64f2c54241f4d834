// SPDX-License-Identifier: Apache-2.0
// Selects the arrays that an emitted loop loads before it computes (LoopAll of device/kernels.h).
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/device/program.h"

namespace hlocts::cuda {

// Arrays that a loop reads at the position that it writes, `many` adjacent elements at a time.
// Their number is limited, so that registers remain for other values.
class Packs {
 public:
  Packs(absl::Span<const hl::Instr> code, int many);
  bool Has(const hl::Instr& load) const;
  // Returns the member functions of Written that LoopAll calls.
  std::string Text() const;
  absl::Span<const hl::Instr> loads() const { return loads_; }
  static std::string Name(const hl::Instr& load);

 private:
  const int many_;
  std::vector<hl::Instr> loads_;
};

}  // namespace hlocts::cuda
