// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_fuzz.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "generators/module_generator.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/base/status.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"
#include "tools/bench/bench.h"
#include "tools/bench/fuzz_bench.h"
#include "tools/bench/processor_time.h"
#include "tools/cli/common.h"

namespace hlocts::tools {
namespace {

// The cost of running an engine in another process.

struct WorkerRow {
  int64_t modules = 0;          // small random modules, each loaded and run once
  double alone_seconds = 0;     // per module, with the engine in this process
  double worker_seconds = 0;    // per module, with a worker, sum of both processes
  double bytes_per_second = 0;  // of large arrays, without the engine's own time
  double OverheadSeconds() const { return worker_seconds - alone_seconds; }
};

// Small random modules, on which loading and the first run are measured.
constexpr uint64_t kSmallModulesTried = 1000;  // the number of modules to try
constexpr int64_t kInstructionsMax = 20;

int64_t InstructionCount(const Module& module) {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    count += static_cast<int64_t>(computation->instructions().size());
  }
  return count;
}

// Returns module `number`, or nullopt if it breaks a rule or has more than 20 instructions.
std::optional<generators::Generated> SmallModule(uint64_t number, bool joint_operations) {
  generators::GeneratorOptions options{.instructions = 8, .joint_operations = joint_operations};
  generators::Generated generated = generators::GenerateNumbered(kBenchSeed, number, options);
  if (!generated.broken_rule.empty()) return std::nullopt;
  if (InstructionCount(*generated.module) > kInstructionsMax) return std::nullopt;
  return generated;
}

// The number of rounds. A worker's time has a resolution of 0.01 s; with this number it is accurate
// to a percent.
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

// Returns modules that the engine runs without an error. The cost of an error is irrelevant.
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

// Returns the seconds that this process and its workers need to load and run one module.
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

// Measures `backend` in a worker and, with isolation=none, in this process. Measures processor
// time; for large arrays, the wall time of the best of several runs.
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

// Prints figures together with their goals.
class Printer {
 public:
  explicit Printer(bool json) : json_(json) {}
  void Figure(const std::string& name, double value, double goal, const std::string& beside) {
    bool kept = value >= goal;
    kept_ = kept_ && kept;
    if (json_) {
      nlohmann::ordered_json line = {{"benchmark", "fuzz/" + name},
                                     {"value", value},
                                     {"goal", goal},
                                     {"kept", kept},
                                     {"beside", beside}};
      std::cout << JsonText(line) << std::endl;
      return;
    }
    // Cuts long lists of missing items; only JSON contains all items.
    constexpr size_t kBesideMax = 400;
    bool cut = beside.size() > kBesideMax;
    std::cout << absl::StrFormat("%-28s %12.4g  (goal %g%s)  %s\n", "fuzz/" + name, value, goal,
                                 kept ? "" : ": MISSED",
                                 cut ? beside.substr(0, kBesideMax) + " ..." : beside)
              << std::flush;
  }
  bool kept() const { return kept_; }

 private:
  bool json_, kept_ = true;
};

std::string BaselineText(const RateRow& row) {
  return absl::StrFormat(
      "%d modules in %.1f s, %.1f instructions; %.1f bits checked, %.2f %% inconclusive",
      row.modules, row.seconds, row.instructions_mean, row.bits_checked_mean,
      100 * row.inconclusive_share);
}

double Share(int64_t part, int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

void Generation(bool quick, Printer& print) {
  int64_t modules = quick ? 20'000 : 1'000'000;
  RateRow row = BenchGenerate(kBenchSeed, std::numeric_limits<double>::infinity(), modules);
  print.Figure("generate", row.Rate(), 20'000,
               absl::StrFormat("modules/s, %d modules of %.1f instructions", row.modules,
                               row.instructions_mean));
  print.Figure("valid", Share(row.valid, row.modules), 1, absl::StrCat("of ", row.modules));
}

absl::Status Differential(const std::string& name, const std::string& backend, double goal,
                          bool quick, Printer& print) {
  HLOCTS_ASSIGN_OR_RETURN(RateRow row, BenchDifferential(backend, kBenchSeed, quick ? 3 : 30));
  print.Figure(name, row.Rate(), goal, "modules/s, " + BaselineText(row));
  return absl::OkStatus();
}

// Prints the share of XLA's worker in the time of a campaign on real XLA.
absl::Status Harness(bool quick, Printer& print) {
  HLOCTS_ASSIGN_OR_RETURN(const HarnessRow row, BenchHarness("xla", kBenchSeed, quick ? 40 : 400));
  print.Figure(
      "harness", row.worker_seconds / (row.worker_seconds + row.own_seconds), 1 / 1.05,
      absl::StrFormat("of a campaign is XLA's: %d modules, %.1f s in the worker, %.2f s here",
                      row.modules, row.worker_seconds, row.own_seconds));
  return absl::OkStatus();
}

// Prints the additional cost of the engine `cpu` in another process.
absl::Status Worker(bool quick, Printer& print) {
  HLOCTS_ASSIGN_OR_RETURN(const WorkerRow row, BenchWorker("cpu", quick ? 10 : 50));
  constexpr double kOverheadMax = 60e-6, kGiga = 1e9;
  print.Figure(
      "worker", kOverheadMax / row.OverheadSeconds(), 1,
      absl::StrFormat("of 60 us a module of %d: load and run %.1f us without, %.1f us in a worker",
                      row.modules, 1e6 * row.alone_seconds, 1e6 * row.worker_seconds));
  print.Figure("buffers", row.bytes_per_second / kGiga, 2, "GB/s there and back, f32[67108864]");
  return absl::OkStatus();
}

void Reached(bool quick, Printer& print) {
  // There are goals for one, two and five minutes.
  double minute = quick ? 3 : 60;
  std::vector<ReachRow> rows = BenchReach(kBenchSeed, {minute, 2 * minute, 5 * minute});
  const ReachRow &one = rows[0], &two = rows[1], &five = rows[2];
  print.Figure("cells", static_cast<double>(one.cells), 10'000,
               absl::StrFormat("in %g s, %d modules", minute, one.modules));
  print.Figure("operation-types", Share(two.typed, two.typed_legal), 1,
               absl::StrCat(two.typed, " of ", two.typed_legal, " in ", 2 * minute,
                            " s; not:", two.typed_missing));
  print.Figure("pairs", Share(five.pairs, five.pairs_possible), 0.95,
               absl::StrCat(five.pairs, " of ", five.pairs_possible, " in ", 5 * minute,
                            " s; not:", five.pairs_missing));
}

void Arms(bool quick, Printer& print) {
  std::vector<double> marks = {6};
  if (!quick) marks = {60, 120, 300, 600};
  BenchArms(kBenchSeed, marks, [&](const ArmsRow& row) {
    auto beside = [&](int64_t cells, const char* other, int64_t others) {
      return absl::StrFormat("%d cells, %s %d, in %g s each", cells, other, others, row.seconds);
    };
    print.Figure("swarm", Share(row.swarm, row.fixed), 1.3,
                 beside(row.swarm, "without swarm", row.fixed));
    print.Figure("guided", Share(row.guided, row.swarm), 1.5,
                 beside(row.guided, "unguided", row.swarm));
  });
}

void Mutated(bool quick, Printer& print) {
  print.Figure("mutated-valid", BenchMutatedValid(kBenchSeed, quick ? 1 : 10), 0.98,
               "share of mutated modules");
}

}  // namespace

int RunFuzzBench(const std::string& part, bool quick, bool json) {
  Printer print(json);
  auto wants = [&](const char* name) { return part.empty() || part == name; };
  if (wants("generate")) Generation(quick, print);
  absl::Status status;
  if (wants("differential"))
    status.Update(Differential("differential", "cpu?isolation=none", 1500, quick, print));
  if (wants("isolated")) status.Update(Differential("isolated", "cpu", 1000, quick, print));
  if (wants("worker")) status.Update(Worker(quick, print));
  if (part == "harness") status.Update(Harness(quick, print));  // all other parts work without XLA
  if (!status.ok()) return Fail(status);
  if (wants("reach")) Reached(quick, print);
  if (wants("arms")) Arms(quick, print);
  if (wants("mutated")) Mutated(quick, print);
  return print.kept() ? kExitOk : kExitFailed;
}

}  // namespace hlocts::tools
