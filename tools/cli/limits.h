// SPDX-License-Identifier: Apache-2.0
// Limits of time and memory for work in this process, and how it ends at them.
#ifndef HLOCTS_TOOLS_CLI_LIMITS_H_
#define HLOCTS_TOOLS_CLI_LIMITS_H_

#include "spec/base/hard_limit.h"
#include "spec/base/status.h"
#include "tools/cli/common.h"

namespace hlocts::tools {

// The time at which our own work on one module must have ended: --timeout from now, where it is
// given.
HardLimit::Clock::time_point HardDeadline(const CommonOptions& options, bool ours = true);

// After this call a failed allocation ends the process with a message and the exit status of
// CONTRACT.md.
void LimitMemory();
// The same for a passed HardLimit: for subcommands that answer for one module.
void LimitTime();
// Both without a message, with exit statuses that HowItEnded knows.
void LimitQuietly();
// How a process under LimitQuietly ended, from the status of waitpid: kDeadlineExceeded,
// kResourceExhausted, or kInternal for a signal or another status.
absl::Status HowItEnded(int status);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_LIMITS_H_
