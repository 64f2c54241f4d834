// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/engine_turns.h"

#include <algorithm>
#include <chrono>

namespace hlocts::tools {
namespace {

constexpr int64_t kRunsPerTurn = 5;
constexpr int kTurnsMin = 3, kTurnsMax = 200;

absl::Status TakeTurn(TimedEngine& engine, const backends::ExecuteRequest& request) {
  HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult result,
                          engine.executable->Execute(request));
  if (static_cast<int64_t>(result.seconds_of_runs.size()) != request.runs)
    return absl::InternalError("an engine that does not repeat runs");
  engine.seconds.insert(engine.seconds.end(), result.seconds_of_runs.begin(),
                        result.seconds_of_runs.end());
  return absl::OkStatus();
}

}  // namespace

double TimedEngine::best() const { return *std::min_element(seconds.begin(), seconds.end()); }

double TimedEngine::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

absl::Status TakeTurns(absl::Span<TimedEngine* const> engines, backends::ExecuteRequest request,
                       double budget) {
  using Clock = std::chrono::steady_clock;
  request.runs = kRunsPerTurn;
  const auto end = Clock::now() + std::chrono::duration<double>(budget);
  for (int turn = 0; turn < kTurnsMin || (Clock::now() < end && turn < kTurnsMax); ++turn) {
    for (TimedEngine* engine : engines) HLOCTS_RETURN_IF_ERROR(TakeTurn(*engine, request));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::tools
