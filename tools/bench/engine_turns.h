// SPDX-License-Identifier: Apache-2.0
// Engines that run the same request in turn, so that both see the same weather.
#ifndef HLOCTS_TOOLS_BENCH_ENGINE_TURNS_H_
#define HLOCTS_TOOLS_BENCH_ENGINE_TURNS_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "backends/backend.h"

namespace hlocts::tools {

struct TimedEngine {
  std::unique_ptr<backends::Executable> executable;
  std::vector<double> seconds;  // of all runs

  double best() const;
  double median() const;
};

// Turns of five runs, one right after the other: caches and threads are then as in a caller's loop.
// Three turns each, and more until `budget` seconds are over.
absl::Status TakeTurns(absl::Span<TimedEngine* const> engines, backends::ExecuteRequest request,
                       double budget);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_ENGINE_TURNS_H_
