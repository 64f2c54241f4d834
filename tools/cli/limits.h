// SPDX-License-Identifier: Apache-2.0
// Limits of time and memory for work in this process, and the exit of a process that exceeds them.
#pragma once

#include "spec/base/hard_limit.h"
#include "spec/base/status.h"
#include "tools/cli/common.h"

namespace hlocts::tools {

// Returns the time at which work on one module in this process must end (--timeout, if given).
HardLimit::Clock::time_point HardDeadline(const CommonOptions& options, bool ours = true);

// Makes a failed allocation exit with a message and the exit status of CONTRACT.md.
void LimitMemory();
// Makes an exceeded HardLimit exit in the same way. For subcommands that process one module.
void LimitTime();
// Sets both limits. A process that exceeds one of them exits silently; its status is one that
// StatusOfLimitedChild decodes.
void SetSilentLimits();
// Returns the status of a process that called SetSilentLimits, from the result of waitpid:
// kDeadlineExceeded, kResourceExhausted, or kInternal for a signal or another exit status.
absl::Status StatusOfLimitedChild(int status);

}  // namespace hlocts::tools
