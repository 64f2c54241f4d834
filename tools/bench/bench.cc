// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

#include "absl/strings/match.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "generators/arguments.h"
#include "spec/files/file_io.h"
#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"
#include "suites/case.h"

namespace hlocts::tools {
namespace {

constexpr double kSecondsPerBenchmark = 0.2;
constexpr double kSecondsQuick = 0.02;
constexpr int kRepetitions = 3;

struct BenchModule {
  std::string name;
  std::unique_ptr<Module> module;
  backends::ExecuteRequest request;
};

absl::StatusOr<std::vector<BenchModule>> LoadModules(const BenchOptions& options) {
  std::vector<BenchModule> modules;
  HLOCTS_ASSIGN_OR_RETURN(const auto texts, ModuleTexts(options));
  for (const auto& [name, text] : texts) {
    HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, ParseModuleFile(name, text));
    HLOCTS_RETURN_IF_ERROR(VerifyModule(*loaded.module));
    const std::vector<Shape> shapes = backends::ArgumentLeafShapes(*loaded.module);
    modules.push_back({name, std::move(loaded.module), {}});
    modules.back().request.arguments = {generators::GenerateArguments(shapes, kBenchSeed)};
  }
  return modules;
}

// Stores the best time of each benchmark; the caller prints the table.
class BestTimes : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      auto [entry, first] = best.emplace(run.run_name.function_name, seconds);
      if (!first) entry->second = std::min(entry->second, seconds);
    }
  }
  std::map<std::string, double> best;
};

// Runs once and returns the elapsed seconds, or a negative number after an error.
using Timed = std::function<double()>;

void Register(const std::string& name, const BenchOptions& options, Timed timed) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [timed = std::move(timed)](benchmark::State& state) {
                                 for (auto _ : state) {
                                   double seconds = timed();
                                   if (seconds < 0) {
                                     state.SkipWithError("execution failed");
                                     break;
                                   }
                                   state.SetIterationTime(seconds);
                                 }
                               })
      ->UseManualTime()
      ->MinTime(options.quick ? kSecondsQuick : kSecondsPerBenchmark)
      ->Repetitions(options.quick ? 1 : kRepetitions);
}

std::map<std::string, double> RunRegistered() {
  int argc = 2;
  // Repetitions are interleaved: both engines then run under the same load.
  char program[] = "hlocts", flag[] = "--benchmark_enable_random_interleaving=true";
  char* argv[] = {program, flag, nullptr};
  benchmark::Initialize(&argc, argv);
  BestTimes times;
  benchmark::RunSpecifiedBenchmarks(&times);
  benchmark::ClearRegisteredBenchmarks();
  return times.best;
}

// Returns the processor time of this thread. Judge and reference run on it.
double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double Elapsed(const std::function<bool()>& work) {
  double start = ThreadSeconds();
  if (!work()) return -1;
  return ThreadSeconds() - start;
}

Timed TimeExecution(std::shared_ptr<backends::Executable> executable,
                    const backends::ExecuteRequest& request) {
  return [executable, &request] {
    auto result = executable->Execute(request);
    return result.ok() ? result->seconds : -1.0;
  };
}

std::vector<BenchRow> Rows(const std::vector<BenchModule>& modules,
                           const std::map<std::string, double>& best, bool baseline_over_subject) {
  std::vector<BenchRow> rows;
  for (const BenchModule& one : modules) {
    auto subject = best.find("subject/" + one.name), baseline = best.find("baseline/" + one.name);
    if (subject == best.end() || baseline == best.end()) continue;
    BenchRow row{one.name, subject->second, baseline->second, 0};
    row.ratio = baseline_over_subject ? row.baseline_seconds / row.subject_seconds
                                      : row.subject_seconds / row.baseline_seconds;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<BenchRow>> BenchReference(const BenchOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<BenchModule> modules, LoadModules(options));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> reference,
                          backends::MakeBackend("reference"));
  // Each module gets its own worker, because a worker keeps only one module loaded.
  std::vector<std::unique_ptr<backends::Backend>> workers;
  for (const BenchModule& one : modules) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Executable> subject,
                            reference->Load(*one.module, {}));
    Register("subject/" + one.name, options, TimeExecution(std::move(subject), one.request));
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> worker,
                            backends::MakeBackend(options.other));
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Executable> other,
                            worker->Load(*one.module, {}));
    workers.push_back(std::move(worker));
    Register("baseline/" + one.name, options, TimeExecution(std::move(other), one.request));
  }
  return Rows(modules, RunRegistered(), true);
}

absl::StatusOr<std::vector<BenchRow>> BenchJudge(const BenchOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<BenchModule> modules, LoadModules(options));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> reference,
                          backends::MakeBackend("reference"));
  for (const BenchModule& one : modules) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Executable> loaded,
                            reference->Load(*one.module, {}));
    std::shared_ptr<backends::Executable> executable = std::move(loaded);
    HLOCTS_ASSIGN_OR_RETURN(backends::ExecuteResult result, executable->Execute(one.request));
    Register("baseline/" + one.name, options, [executable, &one] {
      return Elapsed([&] { return executable->Execute(one.request).ok(); });
    });
    Register("subject/" + one.name, options, [&one, outputs = result.outputs] {
      return Elapsed([&] {
        backends::Differ differ(*one.module, one.request, {});
        return differ.JudgeOutputs(outputs).kind == Outcome::kPass;
      });
    });
  }
  return Rows(modules, RunRegistered(), false);
}

absl::StatusOr<std::map<std::string, std::string>> ModuleTexts(const BenchOptions& options) {
  std::map<std::string, std::string> texts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.modules, error)) {
    if (entry.path().extension() != ".hlo") continue;
    HLOCTS_ASSIGN_OR_RETURN(texts[entry.path().stem()], ReadFile(entry.path()));
  }
  if (std::filesystem::is_regular_file(options.modules, error)) {
    HLOCTS_ASSIGN_OR_RETURN(const auto cases, suites::LoadCases(options.modules));
    for (const suites::Case& one : cases) texts[one.name()] = one.module_text;
  }
  std::erase_if(texts, [&](auto& text) { return !absl::StrContains(text.first, options.filter); });
  if (texts.empty())
    return InvalidInput(options.modules, ": expected a benchmark ", options.filter,
                        " (a release has none: run it in the source tree)");
  return texts;
}

double GeometricMean(const std::vector<BenchRow>& rows) {
  double sum = 0;
  for (const BenchRow& row : rows) sum += std::log(row.ratio);
  return rows.empty() ? std::numeric_limits<double>::quiet_NaN()
                      : std::exp(sum / static_cast<double>(rows.size()));
}

}  // namespace hlocts::tools
