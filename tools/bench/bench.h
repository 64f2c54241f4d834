// Benchmarks over a fixed list of modules (modules/*.hlo), engines in turn in one process run, through
// Google Benchmark. Figures are ratios of best times: this is what a noisy machine can tell.
#ifndef HLOCTS_TOOLS_BENCH_BENCH_H_
#define HLOCTS_TOOLS_BENCH_BENCH_H_

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts {

struct BenchOptions {
  std::string folder;  // with the .hlo files
  std::string filter;  // substring of a module's name
  bool quick = false;
  bool json = false;
};

struct BenchRow {
  std::string module;
  double subject_seconds = 0;   // best of all repetitions
  double baseline_seconds = 0;
  double ratio = 0;             // as the benchmark states it: above 1 is good
};

// reference/*: the reference against `baseline` (hlo-evaluator); ratio = baseline / reference.
absl::StatusOr<std::vector<BenchRow>> BenchReference(const BenchOptions& options,
                                                     const std::string& baseline);
// judge/*: acceptance sets and membership against plain evaluation; ratio = judge / evaluation.
absl::StatusOr<std::vector<BenchRow>> BenchJudge(const BenchOptions& options);

double GeometricMean(const std::vector<BenchRow>& rows);

}  // namespace hlocts

#endif  // HLOCTS_TOOLS_BENCH_BENCH_H_
