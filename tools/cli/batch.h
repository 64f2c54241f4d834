// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/cli/common.h"

namespace hlocts::tools {

// Returns the answer to an entry on which the child process crashed or exceeded its time or memory
// limit.
using BatchFailure = std::function<nlohmann::ordered_json(const nlohmann::ordered_json& entry,
                                                          const absl::Status& status)>;
// Called in the parent process for each line of an answer.
using BatchObserver =
    std::function<void(const nlohmann::ordered_json& entry, const nlohmann::ordered_json& answer)>;
// Returns diff's and judge's answer without a verdict. Uses `profile` if the entry names none.
nlohmann::ordered_json ErrorLine(const std::string& profile, const nlohmann::ordered_json& entry,
                                 const absl::Status& status);
int RunBatch(const std::string& path, const BatchAnswer& answer, const BatchFailure& failure,
             const BatchObserver& observer = nullptr);

}  // namespace hlocts::tools
