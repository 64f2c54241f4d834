// SPDX-License-Identifier: Apache-2.0
// cpu/ops: modules of one operation on the CPU engine and on XLA:CPU, in turn.
#ifndef HLOCTS_TOOLS_BENCH_OP_BENCH_H_
#define HLOCTS_TOOLS_BENCH_OP_BENCH_H_

#include <memory>

#include "tools/bench/bench.h"
#include "tools/bench/op_modules.h"

namespace hlocts::tools {

// One worker of each engine for all modules: its memory is warm, XLA's outputs need no fresh pages.
class OpBench {
 public:
  static absl::StatusOr<OpBench> Start();
  // Times and judges one module.
  absl::StatusOr<CpuBenchRow> Measure(const OpModule& op, bool quick);

 private:
  std::unique_ptr<backends::Backend> cpu_, xla_;
};

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_OP_BENCH_H_
