// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/target_facts.h"

#include "spec/targets/targets.h"

namespace hlocts::backends {

absl::StatusOr<std::vector<std::string>> TargetFacts(absl::string_view target) {
  if (target.empty()) return std::vector<std::string>{};
  HLOCTS_ASSIGN_OR_RETURN(const TargetFile file, FindTarget(target));
  return file.Facts();
}

}  // namespace hlocts::backends
