// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_TOOLS_CLI_BATCH_H_
#define HLOCTS_TOOLS_CLI_BATCH_H_

#include "tools/cli/common.h"

namespace hlocts::tools {

// Makes the answer to an entry at which the child process ended: it crashed, or exceeded its time
// limit or memory.
using BatchFailure = std::function<nlohmann::ordered_json(const nlohmann::ordered_json& entry,
                                                          const absl::Status& status)>;
// Is called with each line of an answer, in the parent process.
using BatchObserver =
    std::function<void(const nlohmann::ordered_json& entry, const nlohmann::ordered_json& answer)>;
int RunBatch(const std::string& path, const BatchAnswer& answer, const BatchFailure& failure,
             const BatchObserver& observer = nullptr);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_BATCH_H_
