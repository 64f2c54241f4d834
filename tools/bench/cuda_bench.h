// SPDX-License-Identifier: Apache-2.0
// hlocts bench cuda: the CUDA engine on a GPU, beside what the GPU can do: copies, and libraries
// called directly; and beside another engine where one is named.
#ifndef HLOCTS_TOOLS_BENCH_CUDA_BENCH_H_
#define HLOCTS_TOOLS_BENCH_CUDA_BENCH_H_

#include "tools/bench/bench.h"

namespace hlocts::tools {

struct CudaBenchRow {
  std::string module;
  double best = 0, median = 0;   // seconds on the device, arguments there
  double bytes_per_second = 0;   // arguments and outputs over `best`
  double copy_share = 0;         // of the bandwidth of a copy; 0 for the copy itself
  double direct_seconds = 0;     // of the library at its best, called directly; 0: no such row
  double other_seconds = 0;      // of the other engine; 0: none is named
  double goal = 0, reached = 0;  // a share that is aimed at, 0: none, and what came out
  std::string check;             // "judged", or the distance to the CPU engine's outputs
  bool kept() const { return reached >= goal && check.find("WRONG") == std::string::npos; }
};

// Rows of small random modules: load and first run of one, and a campaign's modules each second;
// those whose names contain `filter`.
absl::Status BenchCudaSmall(backends::Backend& backend, const std::string& filter, bool quick,
                            const std::function<void(CudaBenchRow)>& add);

struct CudaBenchOptions {
  bool quick = false;      // 3 rounds, not 20
  bool unchecked = false;  // times alone
  // Products and convolutions of f32 may be computed in TF32, on both sides, and are judged by the
  // relaxed profile. Without it nobody does.
  bool relaxed = false;
  std::string other;  // a backend, "" for none
};

// The copy first, small modules, then the modules of all folders; everybody's times are of the same
// number of rounds. Unavailable where there is no device.
absl::StatusOr<std::vector<CudaBenchRow>> BenchCuda(
    const std::vector<std::string>& folders, const std::string& filter,
    const CudaBenchOptions& options, const std::function<void(const CudaBenchRow&)>& on_row);

// What is aimed at for the module of this name: of copies for what memory bounds, of the library
// for the others.
struct CudaGoal {
  const char* module;
  bool of_library;
  double share;
};
absl::Span<const CudaGoal> CudaGoals();

// As a module that asks for no precision.
void DropOperandPrecision(Module& module);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_CUDA_BENCH_H_
