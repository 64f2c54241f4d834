// SPDX-License-Identifier: Apache-2.0
// Limits of time and memory for work in this process, and how the process ends beyond them.
#pragma once

#include "spec/base/hard_limit.h"
#include "spec/base/status.h"
#include "tools/cli/common.h"

namespace hlocts::tools {

// The time by which our own work on one module must end: --timeout from now, if given.
HardLimit::Clock::time_point HardDeadline(const CommonOptions& options, bool ours = true);

// Makes a failed allocation exit with a message and the exit status of CONTRACT.md.
void LimitMemory();
// Makes an exceeded HardLimit exit in the same way, for subcommands that process one module.
void LimitTime();
// Sets both limits. A process that exceeds one exits silently, with a status that
// StatusOfLimitedChild decodes.
void SetSilentLimits();
// Returns the status of a process that called SetSilentLimits from the result of waitpid:
// kDeadlineExceeded or kResourceExhausted, or kInternal for a signal or another exit status.
absl::Status StatusOfLimitedChild(int status);

}  // namespace hlocts::tools
