// SPDX-License-Identifier: Apache-2.0
// The product of strided matrices with elements of the same type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

namespace hlocts::kernels {

// Groups of adjacent terms of a sum, which AVX-512 multiplies and adds together. PairBf16 is two
// bf16, added in f32 with subnormals as zeros. QuadInt8 is four 8-bit integers, unsigned in `a` and
// signed in `b`, added modulo 2^32. No matrix of numbers has one of these element types.
using PairBf16 = int32_t;
using QuadInt8 = char32_t;

template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, PairBf16>, float,
                                 std::conditional_t<std::is_same_v<T, QuadInt8>, uint32_t, T>>;
template <typename T>
inline constexpr bool kIsGroup = !std::is_same_v<T, SumOf<T>>;

// The product c[i, j] = sum over p of a[i, p] * b[p, j]. Strides are in elements. Rows of c are
// contiguous. If `adds`, the product is added to c.
template <typename T>
struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_row = 0, a_column = 1;
  const T* b = nullptr;
  int64_t b_row = 0, b_column = 1;
  SumOf<T>* c = nullptr;
  int64_t c_row = 0;
  bool adds = false;
};

// Computes the product. The order of additions depends only on sizes. T is float, double, uint32_t,
// uint64_t, or a type of groups that the processor multiplies.
template <typename T>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<T>& args);

// Returns the estimated time of one product on one thread, in nanoseconds.
inline double GemmNanoseconds(int64_t m, int64_t n, int64_t k, int bytes) {
  return 50 + static_cast<double>(m) * static_cast<double>(n * k * bytes) / 64;
}

}  // namespace hlocts::kernels
