// SPDX-License-Identifier: Apache-2.0
// The benchmark `hlocts bench fuzz`, which prints the figures of results/bench/fuzz.txt.
#pragma once

#include <string>

namespace hlocts::tools {

// Runs one part: generate, differential, isolated, worker, harness, reach, arms or mutated; "" runs
// all parts but harness. Returns the exit status.
int RunFuzzBench(const std::string& part, bool quick, bool json);

}  // namespace hlocts::tools
