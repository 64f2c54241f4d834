// SPDX-License-Identifier: Apache-2.0
// What the toolkit's libraries are asked to do, as plain data in their own conventions
// (column-major matrices, leading dimensions, packed images), so that the same description goes to
// a library on a GPU, and on the host to loops that do what its documentation says.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_BASE_LIBRARIES_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_BASE_LIBRARIES_H_

#include <cstdint>

namespace hlocts::cuda {

enum class Library : int32_t { kCublasLt, kCublas, kCusolver, kCufft, kCudnn, kCub };
constexpr int kLibraryCount = 6;
constexpr const char* kLibraryNames[kLibraryCount] = {"cuBLASLt", "cuBLAS", "cuSOLVER",
                                                      "cuFFT",    "cuDNN",  "CUB"};

constexpr int kHeuristicsMax = 8;

// Types are numbers of hl::Type. All sizes, strides and leading dimensions count elements. Plans
// have no holes, so that equal ones have equal bytes.

// cublasLtMatmul: C = op(A) op(B) with op(A) m x k, op(B) k x n, C m x n. in: A, B; out: C.
struct GemmPlan {
  int32_t type, result;  // of A and B; of C
  int32_t tf32;
  int32_t transpose_a, transpose_b;
  int32_t heuristic;  // which of the algorithms that the library proposes, 0: the first
  int64_t m, n, k, lda, ldb, ldc;
  int64_t batch, stride_a, stride_b, stride_c;
};

// What its documentation asks of s8 products with s32 results ("regular IMMA"): A transposed, B
// not, m, k and all leading dimensions multiples of 4.
constexpr bool TakesIntegers(const GemmPlan& p) {
  return p.transpose_a != 0 && p.transpose_b == 0 && p.m % 4 == 0 && p.k % 4 == 0 &&
         p.lda % 4 == 0 && p.ldb % 4 == 0 && p.ldc % 4 == 0;
}

// cublas<t>trsm: op(A) X = B or X op(A) = B, X in place of B, which is m x n. in: A, addresses of
// the batch's As; out: B, addresses of the Bs. Addresses only where batch > 1.
enum Transposition : int32_t { kAsIs, kTransposed, kAdjoint };
struct TriangularPlan {
  int32_t type, right, upper, transposition, unit, reserved;
  int64_t m, n, lda, ldb, batch, stride_a, stride_b;
};

// cusolverDn<t>potrf in place; the other triangle is kept. out: A, s32 for each matrix (0: it has a
// factor), addresses of the As (batch > 1).
struct CholeskyPlan {
  int32_t type, upper;
  int64_t n, lda, batch, stride;
};

// cuFFT, unscaled, from one array to another: element (i, j) of transform b lies at b * distance +
// (i * n[1] + j) * stride; of the real transforms the complex side has n / 2 + 1 entries in the
// last dimension. in: data, which a C2R may overwrite; out: result.
enum FftKind : int32_t { kFftForward, kFftInverse, kFftFromReal, kFftToReal };
struct FftPlan {
  int32_t kind, is_double, rank, reserved;
  int64_t n[3];
  int64_t batch, stride, distance_in, distance_out;
};

// cudnnConvolutionForward on packed arrays: N C spatial, K C/groups taps, N K spatial;
// channels_last: N spatial C, K taps C/groups, N spatial K. in: x, w; out: y.
struct ConvolutionPlan {
  int32_t type, tf32, spatial, flipped;  // flipped: convolution, not cross-correlation
  int32_t channels_last, reserved;
  int64_t images, channels, features, groups;
  int64_t input[3], taps[3], output[3], padding[3], stride[3], dilation[3];
};

// cub::DeviceRadixSort, ascending by the bits [0, end_bit) of unsigned keys, with 32-bit values; or
// f32 keys without values. in: keys, values; out: keys, values. Stable; in and out are others.
enum SortKind : int32_t { kSortF32, kSort32, kSort64 };
struct SortPlan {
  int32_t kind, end_bit;
  int64_t count;
};

// What several devices do together, each on memory of its own: NCCL, one member for each device.
// count: elements of each member of kReduceToAll, of each result of kReduceToParts (reduction as in
// ncclRedOp_t); else bytes: of each member of kGather and kPermute, of each block of kExchange.
// kPermute: member m gets what sources[m] gives, zeros for -1.
enum CollectiveKind : int32_t { kReduceToAll, kReduceToParts, kGather, kExchange, kPermute };
enum Reduction : int32_t { kReduceSum, kReduceProduct, kReduceMinimum, kReduceMaximum };
constexpr int kMembersMax = 64;
struct CollectiveCall {
  int32_t kind, reduction, type, members;
  int64_t count;
  int32_t sources[kMembersMax];
};

constexpr Library LibraryOf(const GemmPlan*) { return Library::kCublasLt; }
constexpr Library LibraryOf(const TriangularPlan*) { return Library::kCublas; }
constexpr Library LibraryOf(const CholeskyPlan*) { return Library::kCusolver; }
constexpr Library LibraryOf(const FftPlan*) { return Library::kCufft; }
constexpr Library LibraryOf(const ConvolutionPlan*) { return Library::kCudnn; }
constexpr Library LibraryOf(const SortPlan*) { return Library::kCub; }

// The loops of the host. False: a combination that the library does not take either.
bool RunHostLibrary(Library library, const void* plan, const void* const* in, void* const* out);
// Whether RunHostLibrary would, of a product.
bool HostTakes(const GemmPlan& plan);
bool RunHostConvolution(const ConvolutionPlan& plan, const void* x, const void* w, void* y);

// The same for collectives: in and out of each member.
bool RunHostCollective(const CollectiveCall& plan, const void* const* in, void* const* out);

// How often each has done its work in this process.
int64_t LibraryCalls(Library library);
void CountLibraryCall(Library library);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_BASE_LIBRARIES_H_
