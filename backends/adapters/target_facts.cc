// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/target_facts.h"

namespace hlocts::backends {

absl::StatusOr<std::vector<std::string>> TargetFacts(absl::string_view target) {
  if (target.empty()) return std::vector<std::string>{};
  // Rulings 0005 to 0007, 0030; 0060 and 0070 are departures.
  if (target == "xla_cpu") {
    return std::vector<std::string>{"convert.saturate", "integer.division", "shift.saturate",
                                    "rng.xla_layout",   "compare.flush",    "barrier.crossed"};
  }
  return InvalidInput("target: expected xla_cpu, found \"", target, "\"");
}

}  // namespace hlocts::backends
