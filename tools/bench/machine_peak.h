// SPDX-License-Identifier: Apache-2.0
// What the machine gives at most: fused multiply-adds in registers, and copies of memory.
#ifndef HLOCTS_TOOLS_BENCH_MACHINE_PEAK_H_
#define HLOCTS_TOOLS_BENCH_MACHINE_PEAK_H_

namespace hlocts::tools {

// Of all processors together, each taken at its best; flops is 0 where no loop of ours fits.
struct MachinePeak {
  int threads = 1;
  double flops = 0;       // f32 operations a second
  double copy_bytes = 0;  // read and written, a second
};

MachinePeak MeasureMachinePeak();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_MACHINE_PEAK_H_
