// SPDX-License-Identifier: Apache-2.0
// Benchmarks over a fixed list of modules (modules/*.hlo), engines in turn in one process, through
// Google Benchmark.
//
// Engines take turns in one run, and a figure is the ratio of best times, which a noisy machine
// distorts least. A row of an engine is judged in the same run (--unchecked: it is not); a wrong
// row, or a missed goal, gives exit status 1. Goals: `reference` is at least as fast as XLA's
// HloEvaluator on each of modules/*.hlo and 10 times as fast in the geometric mean; `judge` costs
// at most 6 evaluations in the geometric mean. New module: a .hlo file in modules/, cpu/ or cuda/;
// new program: a function of programs/lower.py (JAX 0.10.2 lowers it before any pass of XLA; no
// custom calls). Latest figures: results/bench.
#ifndef HLOCTS_TOOLS_BENCH_BENCH_H_
#define HLOCTS_TOOLS_BENCH_BENCH_H_

#include <functional>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

// A row of cpu/* or cuda/*: one of our engines and another one, in turn.
struct EngineBenchRow {
  std::string module;
  double best = 0, median = 0;
  double other_best = 0, other_median = 0;
  std::string check;  // the result of judging the outputs
};

struct BenchOptions {
  std::string folder;  // directory of the .hlo files
  std::string filter;  // substring of a module's name
  std::string other;   // engine to compare with
  bool quick = false;
  bool unchecked = false;                             // outputs are not judged
  std::function<void(const EngineBenchRow&)> on_row;  // as they come
};

struct BenchRow {
  std::string module;
  double subject_seconds = 0;  // best of all repetitions
  double baseline_seconds = 0;
  double ratio = 0;  // as the benchmark states it: above 1 is good
};

// reference/*: the reference against the other engine; ratio = its time / the reference's.
absl::StatusOr<std::vector<BenchRow>> BenchReference(const BenchOptions& options);
// judge/*: acceptance sets and membership against plain evaluation; ratio = judge / evaluation.
absl::StatusOr<std::vector<BenchRow>> BenchJudge(const BenchOptions& options);

absl::StatusOr<std::vector<EngineBenchRow>> BenchEngine(const std::string& engine,
                                                        const BenchOptions& options);

double GeometricMean(const std::vector<BenchRow>& rows);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_BENCH_H_
