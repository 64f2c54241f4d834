// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/worker_bench.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "spec/text/parser.h"
#include "tools/bench/processor_time.h"
#include "tools/bench/small_modules.h"

namespace hlocts::tools {
namespace {

// The number of rounds after which a worker's time, measured to a hundredth of a second, is
// accurate to a percent.
constexpr int kRounds = 100;
constexpr int64_t kLargeElements = int64_t{1} << 26;  // 256 MiB of f32
constexpr int kLargeRuns = 5;

absl::StatusOr<std::unique_ptr<backends::Backend>> Started(const std::string& name) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine, backends::MakeBackend(name));
  const backends::BackendInfo info = engine->info();
  if (!info.available) return absl::UnavailableError(info.error.Text());
  return engine;
}

struct SmallRun {
  std::unique_ptr<Module> module;
  backends::ExecuteRequest request;
};

// Returns the modules that the engine runs without an error: the cost of an error is irrelevant.
std::vector<SmallRun> SmallRuns(backends::Backend& engine, int64_t modules) {
  std::vector<SmallRun> runs;
  for (uint64_t number = 0; number < kSmallModulesTried; ++number) {
    if (static_cast<int64_t>(runs.size()) == modules) break;
    std::optional<generators::Generated> made = SmallModule(number, false);
    if (!made) continue;
    SmallRun run = {std::move(made->module), {}};
    run.request.arguments = {std::move(made->arguments)};
    const backends::RunOutcome outcome = RunModule(engine, *run.module, {}, run.request);
    if (outcome.has_values()) runs.push_back(std::move(run));
  }
  return runs;
}

// The seconds of this process and its workers for one load and run.
double SecondsOfModule(backends::Backend& engine, const std::vector<SmallRun>& runs) {
  const double start = OwnSeconds() + WorkerSeconds();
  for (int round = 0; round < kRounds; ++round) {
    for (const SmallRun& run : runs) RunModule(engine, *run.module, {}, run.request);
  }
  return (OwnSeconds() + WorkerSeconds() - start) / (kRounds * static_cast<double>(runs.size()));
}

absl::StatusOr<double> LargeBuffers(backends::Backend& engine) {
  const std::string array = absl::StrCat("f32[", kLargeElements, "]");
  HLOCTS_ASSIGN_OR_RETURN(
      std::unique_ptr<Module> module,
      ParseModule(absl::StrCat("HloModule large\nENTRY e { x = ", array,
                               " parameter(0)\n ROOT r = ", array, " negate(x) }")));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Executable> loaded, engine.Load(*module, {}));
  backends::ExecuteRequest request;
  request.arguments.emplace_back();
  request.arguments[0].emplace_back(Shape(PrimitiveType::kF32, {kLargeElements}));
  double best = 0;
  for (int run = 0; run < kLargeRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    HLOCTS_ASSIGN_OR_RETURN(backends::ExecuteResult result, loaded->Execute(request));
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
    const double both_ways = 2.0 * sizeof(float) * kLargeElements;
    best = std::max(best, both_ways / (all.count() - result.seconds));
  }
  return best;
}

}  // namespace

absl::StatusOr<WorkerRow> BenchWorker(const std::string& backend, int64_t modules) {
  HLOCTS_ASSIGN_OR_RETURN(auto alone, Started(backend + "?isolation=none"));
  HLOCTS_ASSIGN_OR_RETURN(auto worker, Started(backend));
  WorkerRow row;
  {
    const OnOneCore on_one_core;
    const std::vector<SmallRun> runs = SmallRuns(*alone, modules);
    row.modules = static_cast<int64_t>(runs.size());
    if (runs.empty()) return absl::InternalError("none of the small modules could be run");
    SecondsOfModule(*worker, runs);  // both engines are warm now
    row.alone_seconds = SecondsOfModule(*alone, runs);
    row.worker_seconds = SecondsOfModule(*worker, runs);
  }
  HLOCTS_ASSIGN_OR_RETURN(row.bytes_per_second, LargeBuffers(*worker));
  return row;
}

}  // namespace hlocts::tools
