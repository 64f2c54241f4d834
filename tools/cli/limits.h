// SPDX-License-Identifier: Apache-2.0
// Time and memory that work in this process has passed: how it ends.
#ifndef HLOCTS_TOOLS_CLI_LIMITS_H_
#define HLOCTS_TOOLS_CLI_LIMITS_H_

#include "spec/base/hard_limit.h"
#include "spec/base/status.h"
#include "tools/cli/common.h"

namespace hlocts::tools {

// When work of ours on one module must have ended: --timeout from now, where it is given.
HardLimit::Clock::time_point HardDeadline(const CommonOptions& options, bool ours = true);

// Memory that the system does not give ends the process with a sentence and the exit status of
// CONTRACT.md.
void LimitMemory();
// So does a passed HardLimit: of subcommands that answer for one module.
void LimitTime();
// Both without a sentence, by exit statuses that HowItEnded knows.
void LimitQuietly();
// How a process under LimitQuietly ended, from the status of waitpid: kDeadlineExceeded,
// kResourceExhausted, or kInternal for a signal or another status.
absl::Status HowItEnded(int status);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_LIMITS_H_
