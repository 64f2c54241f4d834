// SPDX-License-Identifier: Apache-2.0
// Calls of the toolkit's libraries as plain data, in the libraries' own conventions (column-major
// matrices, leading dimensions, packed images). The host has none of them: a plan that no library
// supports becomes a general kernel.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_BASE_LIBRARIES_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_BASE_LIBRARIES_H_

#include <cstdint>
#include <variant>

namespace hlocts::cuda {

constexpr int kHeuristicsMax = 8;

// Types are numbers of hl::Type. All sizes, strides and leading dimensions count elements. Plans
// have no padding, so that equal ones have equal bytes.

// cublasLtMatmul: C = op(A) op(B) with op(A) m x k, op(B) k x n, C m x n. in: A, B; out: C.
struct GemmPlan {
  int32_t type, result;  // of A and B; of C
  int32_t tf32;
  int32_t transpose_a, transpose_b;
  int32_t heuristic;  // index among the library's proposed algorithms
  int64_t m, n, k, lda, ldb, ldc;
  int64_t batch, stride_a, stride_b, stride_c;
};

// The documented condition of s8 products with s32 results ("regular IMMA"): A transposed, B not,
// m, k and all leading dimensions multiples of 4.
constexpr bool TakesIntegers(const GemmPlan& p) {
  return p.transpose_a != 0 && p.transpose_b == 0 && p.m % 4 == 0 && p.k % 4 == 0 &&
         p.lda % 4 == 0 && p.ldb % 4 == 0 && p.ldc % 4 == 0;
}

// cudnnConvolutionForward on packed arrays: N C spatial, K C/groups taps, N K spatial;
// channels_last: N spatial C, K taps C/groups, N spatial K. in: x, w; out: y.
struct ConvolutionPlan {
  int32_t type, tf32, spatial, flipped;  // flipped: convolution, not cross-correlation
  int32_t channels_last, reserved;
  int64_t images, channels, features, groups;
  int64_t input[3], taps[3], output[3], padding[3], stride[3], dilation[3];
};

// cub::DeviceRadixSort, ascending by the bits [0, end_bit) of unsigned keys, with 32-bit values; or
// f32 keys without values. in: keys, values; out: keys, values. Stable; in and out are distinct.
enum SortKind : int32_t { kSortF32, kSort32, kSort64 };
struct SortPlan {
  int32_t kind, end_bit;
  int64_t count;
};

using LibraryPlan = std::variant<GemmPlan, ConvolutionPlan, SortPlan>;

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_BASE_LIBRARIES_H_
