// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts bench`: measures the figures of results/bench.
#include <cstdio>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/home_folder.h"
#include "suites/suite_files.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_fuzz.h"
#include "tools/bench/bench_record.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct BenchCommandOptions {
  std::vector<std::string> names;
  std::string backend;
  bool quick = false, json = false, unchecked = false;
  std::string record;
};

// The goals of a benchmark (tools/bench/bench.h).
struct Promise {
  const char* name;
  double mean_at_least, mean_at_most, each_at_least;
};
constexpr Promise kPromises[] = {
    {"reference", 10, 1e300, 1},
    {"judge", 0, 6, 0},
};

// Returns true if all goals are met. The goal for the mean applies only to the complete list.
bool Kept(const Promise& promise, const std::vector<BenchRow>& rows, bool whole_list) {
  double mean = GeometricMean(rows);
  bool kept = !whole_list || (mean >= promise.mean_at_least && mean <= promise.mean_at_most);
  for (const BenchRow& row : rows) kept = kept && row.ratio >= promise.each_at_least;
  return kept;
}

void Print(const Promise& promise, const std::vector<BenchRow>& rows, bool kept, bool json) {
  for (const BenchRow& row : rows) {
    if (json) {
      nlohmann::ordered_json line = {{"benchmark", absl::StrCat(promise.name, "/", row.module)},
                                     {"subject_seconds", row.subject_seconds},
                                     {"baseline_seconds", row.baseline_seconds},
                                     {"ratio", row.ratio}};
      std::cout << JsonText(line) << std::endl;
    } else {
      std::printf("%-34s %10.3f ms %10.3f ms %9.2fx\n",
                  absl::StrCat(promise.name, "/", row.module).c_str(), row.subject_seconds * 1e3,
                  row.baseline_seconds * 1e3, row.ratio);
    }
  }
  double mean = GeometricMean(rows);
  if (json) {
    nlohmann::ordered_json line = {
        {"benchmark", promise.name}, {"geometric_mean", mean}, {"kept", kept}};
    std::cout << JsonText(line) << std::endl;
  } else {
    std::printf("%-34s geometric mean %.2fx over %zu modules: %s\n", promise.name, mean,
                rows.size(), kept ? "as stated" : "STATED FIGURE MISSED");
  }
}

void PrintEngineRow(const std::string& title, const EngineBenchRow& row, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"benchmark", absl::StrCat(title, "/", row.module)},
                                         {"best", row.best},
                                         {"median", row.median},
                                         {"other_best", row.other_best},
                                         {"other_median", row.other_median},
                                         {"check", row.check}};
    std::cout << JsonText(line) << std::endl;
    return;
  }
  std::printf("%-34s %10.3f ms %10.3f ms  best %6.2fx  median %6.2fx  %s\n",
              absl::StrCat(title, "/", row.module).c_str(), row.best * 1e3, row.other_best * 1e3,
              row.other_best / row.best, row.other_median / row.median, row.check.c_str());
  std::fflush(stdout);
}

// Compares `engine` with another one. `filter` is part of a module's name or, after "programs/", of
// a program's name. The ratio is the other engine's time over that of `engine`; above 1 is good.
int RunEngine(const std::string& engine, absl::string_view filter,
              const BenchCommandOptions& options) {
  const bool programs = filter == "programs" || absl::ConsumePrefix(&filter, "programs/");
  if (filter == "programs") filter = "";
  const std::string title = programs ? engine + "/programs" : engine;
  BenchOptions bench;
  bench.modules =
      absl::StrCat(suites::HomeFolder(), "/tools/bench/", programs ? "programs" : engine + ".case");
  bench.filter = std::string(filter);
  bench.other = options.backend.empty() ? "xla" : options.backend;
  bench.quick = options.quick;
  bench.unchecked = options.unchecked;
  bench.on_row = [&](const EngineBenchRow& row) { PrintEngineRow(title, row, options.json); };
  const auto rows = BenchEngine(engine, bench);
  if (!rows.ok()) return Fail(rows.status());
  std::vector<BenchRow> best, median;
  bool right = true;
  for (const EngineBenchRow& row : *rows) {
    best.push_back({row.module, row.best, row.other_best, row.other_best / row.best});
    median.push_back({row.module, row.median, row.other_median, row.other_median / row.median});
    right = right && !absl::StrContains(row.check, "WRONG");
  }
  if (options.json) {
    const nlohmann::ordered_json line = {{"benchmark", title},
                                         {"geometric_mean", GeometricMean(best)},
                                         {"geometric_mean_of_medians", GeometricMean(median)}};
    std::cout << JsonText(line) << std::endl;
  } else {
    std::printf("%-34s geometric mean %.2fx, of medians %.2fx over %zu modules\n", title.c_str(),
                GeometricMean(best), GeometricMean(median), best.size());
  }
  return right ? kExitOk : kExitFailed;
}

// Runs the benchmark of the reference or of the judge. The goal is a ratio of times.
int RunPromise(const Promise& promise, const std::string& filter,
               const BenchCommandOptions& options) {
  BenchOptions bench;
  bench.modules = suites::HomeFolder() + "/tools/bench/modules.case";
  bench.other = options.backend.empty() ? "hlo-evaluator" : options.backend;
  bench.filter = filter;
  bench.quick = options.quick;
  auto rows = std::string(promise.name) == "judge" ? BenchJudge(bench) : BenchReference(bench);
  if (!rows.ok()) return Fail(rows.status());
  const bool kept = Kept(promise, *rows, bench.filter.empty());
  Print(promise, *rows, kept, options.json);
  return kept ? kExitOk : kExitFailed;
}

int RunOne(const std::string& text, const BenchCommandOptions& options) {
  const std::pair<std::string, std::string> name = absl::StrSplit(text, absl::MaxSplits('/', 1));
  if (name.first == "cpu" || name.first == "cuda")
    return RunEngine(name.first, name.second, options);
  if (name.first == "fuzz") return RunFuzzBench(name.second, options.quick, options.json);
  for (const Promise& row : kPromises)
    if (name.first == row.name) return RunPromise(row, name.second, options);
  return Fail(InvalidInput("bench: expected reference, judge, cpu, cuda or fuzz, found ", text));
}

// Runs the benchmarks. Stops at an unknown name, but not at a missed goal.
int RunBench(const BenchCommandOptions& options) {
  std::vector<std::string> names = options.names;
  if (names.empty() && IsInstalled()) names = {"fuzz"};
  if (names.empty()) names = {"reference", "judge"};
  int exit_status = kExitOk;
  for (const std::string& text : names) {
    const int status = RunOne(text, options);
    if (status != kExitOk && status != kExitFailed) return status;
    if (status != kExitOk) exit_status = status;
  }
  return exit_status;
}

int RunAndRecord(BenchCommandOptions options) {
  if (options.record.empty()) return RunBench(options);
  options.json = true;
  std::string command = absl::StrCat("hlocts bench ", absl::StrJoin(options.names, " "));
  if (options.quick) command += " --quick";
  const auto status =
      RecordBench(command, options.record, [&options] { return RunBench(options); });
  return status.ok() ? *status : Fail(status.status());
}

}  // namespace

Command BenchCommand() {
  return {"bench", "measure speed: the figures of results/bench", [](Flags& flags) {
            auto options = std::make_shared<BenchCommandOptions>();
            flags.Positional("NAME", &options->names,
                             "fuzz (default in a release); in a source tree also reference and "
                             "judge (default there), judge/dot, cpu, cpu/programs and cuda");
            flags.Add("--backend", &options->backend,
                      "engine to compare with (reference: hlo-evaluator, cpu and cuda: xla)");
            flags.Add("--quick", &options->quick, "run one short repetition");
            flags.Add("--unchecked", &options->unchecked,
                      "cpu, cuda: measure times only, do not judge outputs");
            flags.Add("--json", &options->json, "print JSON lines");
            flags.Add("--record", &options->record, "JSON file to write: rows and machine");
            return [options] { return RunAndRecord(*options); };
          }};
}

}  // namespace hlocts::tools
