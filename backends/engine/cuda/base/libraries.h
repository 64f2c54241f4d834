// SPDX-License-Identifier: Apache-2.0
// Library calls as plain data, in the conventions of the libraries: column-major matrices, leading
// dimensions, packed images. If no library supports a plan, a kernel of the engine computes the
// operation. The host device has no libraries.
#pragma once

#include <cstdint>
#include <variant>

namespace hlocts::cuda {

constexpr int kHeuristicsMax = 8;

// Types are values of hl::Type. Sizes, strides and leading dimensions are numbers of elements.
// Plans have no padding bytes, so equal plans have equal bytes.

// cublasLtMatmul: C = op(A) op(B). op(A) is m x k, op(B) k x n, C m x n. Inputs A, B; output C.
struct GemmPlan {
  int32_t type, result;  // type: that of A and B; result: that of C
  int32_t tf32;
  int32_t transpose_a, transpose_b;
  int32_t heuristic;  // index into the algorithms that the library proposes
  int64_t m, n, k, lda, ldb, ldc;
  int64_t batch, stride_a, stride_b, stride_c;
};

// Returns true if cuBLASLt documents that it supports this s8 product with an s32 result ("regular
// IMMA"): A is transposed, B is not, and m, k and all leading dimensions are multiples of 4.
constexpr bool TakesIntegers(const GemmPlan& p) {
  return p.transpose_a != 0 && p.transpose_b == 0 && p.m % 4 == 0 && p.k % 4 == 0 &&
         p.lda % 4 == 0 && p.ldb % 4 == 0 && p.ldc % 4 == 0;
}

// A cudnnConvolutionForward on packed arrays. The inputs are x [N, C, spatial] and w [K, C/groups,
// taps]; the output is y [N, K, spatial]. If channels_last: x [N, spatial, C], w [K, taps,
// C/groups] and y [N, spatial, K].
struct ConvolutionPlan {
  int32_t type, tf32, spatial, flipped;  // flipped: true convolution, else cross-correlation
  int32_t channels_last, reserved;
  int64_t images, channels, features, groups;
  int64_t input[3], taps[3], output[3], padding[3], stride[3], dilation[3];
};

// cub::DeviceRadixSort, ascending and stable. Sorts either f32 keys without values, or unsigned
// keys with 32-bit values. Unsigned keys are compared by bits [0, end_bit). The arrays of keys and
// values in `in` differ from those in `out`.
enum SortKind : int32_t { kSortF32, kSort32, kSort64 };
struct SortPlan {
  int32_t kind, end_bit;
  int64_t count;
};

using LibraryPlan = std::variant<GemmPlan, ConvolutionPlan, SortPlan>;

}  // namespace hlocts::cuda
