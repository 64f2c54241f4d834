// SPDX-License-Identifier: Apache-2.0
// Records the output of a benchmark with the command and the machine (results/bench).
#pragma once

#include <functional>
#include <string>

#include "spec/base/status.h"

namespace hlocts::tools {

// Runs `bench`, which prints JSON lines on std::cout. Writes {command, program, cpu, cores, rows}
// to the file, without names of machines or persons and without paths. Returns the exit status of
// `bench`, or an error if the file cannot be written or a line is not JSON.
absl::StatusOr<int> RecordBench(const std::string& command, const std::string& file,
                                const std::function<int()>& bench);

}  // namespace hlocts::tools
