// SPDX-License-Identifier: Apache-2.0
// Benchmarks over a fixed list of modules (modules/*.hlo), engines in turn in one process run,
// through Google Benchmark. Figures are ratios of best times: this is what a noisy machine can
// tell.
#ifndef HLOCTS_TOOLS_BENCH_BENCH_H_
#define HLOCTS_TOOLS_BENCH_BENCH_H_

#include <functional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "spec/accuracy/profile.h"
#include "spec/base/status.h"

namespace hlocts::tools {

// cpu/*: the CPU engine and XLA:CPU in turn; kept_best is XLA in a process whose C library keeps
// the memory that is given back (its outputs need no fresh pages).
struct CpuBenchRow {
  std::string module;
  double cpu_best = 0, cpu_median = 0;
  double xla_best = 0, xla_median = 0;
  double kept_best = 0;
  double flops = 0, bytes = 0;  // of dots and convolutions; of arguments and outputs
  std::string check;            // of CheckOutputs
};

struct BenchOptions {
  std::string folder;  // with the .hlo files
  std::string filter;  // substring of a module's name
  std::string other;   // engine to compare with; empty: hlo-evaluator, of cpu xla
  bool quick = false;
  bool json = false;
  std::function<void(const CpuBenchRow&)> on_row;  // of cpu, as they come
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

absl::StatusOr<std::vector<CpuBenchRow>> BenchCpu(const BenchOptions& options);

// Random modules of at most 20 instructions: seconds of load and first run, and of a later run;
// medians over the modules. XLA's include the pipe to its worker in the first, not in the second.
struct LatencyRow {
  int64_t modules = 0;
  double cpu_load = 0, cpu_second = 0, xla_load = 0, xla_second = 0;
  double ratio = 0;  // median of xla_load / cpu_load
};
absl::StatusOr<LatencyRow> BenchCpuLatency();

// "judged" by the reference's acceptance sets, and how many bits that checked of an element. Where
// they leave the outputs open (long chains of roundings), the distance to the other's outputs under
// its name, where they are near, and the same of pieces of the module, which `engine` runs
// (`subject` may not run after that). Begins with WRONG when it is.
absl::StatusOr<std::string> CheckOutputs(const Module& module,
                                         const backends::ExecuteRequest& request,
                                         backends::Backend& engine, backends::Executable& subject,
                                         backends::Executable& other, const std::string& name,
                                         Profile profile = Profile::kDefault);

double GeometricMean(const std::vector<BenchRow>& rows);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_BENCH_H_
