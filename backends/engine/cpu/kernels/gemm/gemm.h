// SPDX-License-Identifier: Apache-2.0
// The product of strided matrices of the same type.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::kernels {

// The product c[i, j] = sum over p of a[i, p] * b[p, j]. Strides are in elements; c has contiguous
// rows.
template <typename T>
struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_row = 0, a_column = 1;
  const T* b = nullptr;
  int64_t b_row = 0, b_column = 1;
  T* c = nullptr;
  int64_t c_row = 0;
  const DoneCallback* done = nullptr;
};

// Computes the product. The order of additions depends on the sizes only. T is float, double,
// uint32_t or uint64_t.
template <typename T>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<T>& args);

// Returns the estimated time of one product on one thread.
inline double GemmNanoseconds(int64_t m, int64_t n, int64_t k, int bytes) {
  return 50 + static_cast<double>(m) * static_cast<double>(n * k * bytes) / 64;
}

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_H_
