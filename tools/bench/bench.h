// SPDX-License-Identifier: Apache-2.0
// Benchmarks over a fixed list of modules (modules.case), through Google Benchmark.
//
// Engines take turns in one process and one run. A figure is the ratio of best times, which noise
// of the machine affects least. The outputs of an engine are judged in the same run (unless
// --unchecked); a wrong output or a missed goal causes exit status 1. Goals: `reference` is at
// least as fast as XLA's HloEvaluator on each module, and 10 times as fast in the geometric mean;
// `judge` costs at most 6 evaluations in the geometric mean. To add a module, add a @case to
// modules.case, cpu.case or cuda.case. To add a program, add a function to programs/lower.py (JAX
// 0.10.2 lowers it; no pass of XLA runs; no custom calls). Latest figures: results/bench.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

// A benchmark cpu/* or cuda/*, which compares an engine of this project with another one.
struct EngineBenchRow {
  std::string module;
  double best = 0, median = 0;
  double other_best = 0, other_median = 0;
  std::string check;  // the result of judging the outputs
};

struct BenchOptions {
  std::string modules;  // a case file, or a directory of .hlo files
  std::string filter;   // substring of a module's name
  std::string other;    // the engine to compare with
  bool quick = false;
  bool unchecked = false;                             // true: outputs are not judged
  std::function<void(const EngineBenchRow&)> on_row;  // called for each finished row
};

struct BenchRow {
  std::string module;
  double subject_seconds = 0;  // best of all repetitions
  double baseline_seconds = 0;
  double ratio = 0;  // defined by each benchmark
};

// Returns the text of each selected module, by name, or an error if none is selected.
absl::StatusOr<std::map<std::string, std::string>> ModuleTexts(const BenchOptions& options);

// Runs reference/*: compares the reference with another engine. ratio = other / reference time.
absl::StatusOr<std::vector<BenchRow>> BenchReference(const BenchOptions& options);
// Runs judge/*: compares judging outputs with evaluation. ratio = judging time / evaluation time.
absl::StatusOr<std::vector<BenchRow>> BenchJudge(const BenchOptions& options);

absl::StatusOr<std::vector<EngineBenchRow>> BenchEngine(const std::string& engine,
                                                        const BenchOptions& options);

double GeometricMean(const std::vector<BenchRow>& rows);

// The seed of all modules and arguments. It is fixed: the figures of two builds measure equal work.
inline constexpr uint64_t kBenchSeed = 1;

}  // namespace hlocts::tools
