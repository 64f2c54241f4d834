// SPDX-License-Identifier: Apache-2.0
// TriangularPlan by cublas<t>trsm, TriangularPlan of a batch by cublas<t>trsmBatched.
#include <cublas_v2.h>
#include <dlfcn.h>

#include "backends/engine/cuda/device/base.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {
namespace {

#define HLOCTS_CUBLAS_FUNCTIONS(F) \
  F(cublasCreate_v2)               \
  F(cublasSetStream_v2)            \
  F(cublasStrsm_v2)                \
  F(cublasDtrsm_v2)                \
  F(cublasCtrsm_v2)                \
  F(cublasZtrsm_v2)                \
  F(cublasStrsmBatched) F(cublasDtrsmBatched) F(cublasCtrsmBatched) F(cublasZtrsmBatched)

struct Blas {
  HLOCTS_CUBLAS_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  cublasHandle_t handle = nullptr;
  bool loaded = false;

  // The default mathematics: f32 is f32.
  explicit Blas(CUstream stream) {
    void* library = OpenLibrary("libcublas.so.13");
    if (library == nullptr) return;
    HLOCTS_CUBLAS_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    loaded = true;
    IsReady(stream);
  }
  // A handle that could not be made, for want of memory perhaps, is tried again.
  bool IsReady(CUstream stream) {
    if (handle != nullptr || !loaded) return handle != nullptr;
    if (cublasCreate_v2_(&handle) != CUBLAS_STATUS_SUCCESS) handle = nullptr;
    if (handle != nullptr && cublasSetStream_v2_(handle, stream) != CUBLAS_STATUS_SUCCESS) {
      handle = nullptr;
    }
    return handle != nullptr;
  }
};

template <class T>
T One() {
  if constexpr (sizeof(T) == sizeof(cuComplex) && !std::is_floating_point_v<T>) {
    return make_cuComplex(1, 0);
  } else if constexpr (!std::is_floating_point_v<T>) {
    return make_cuDoubleComplex(1, 0);
  } else {
    return 1;
  }
}

template <class T, class Single, class Batched>
cublasStatus_t Solve(cublasHandle_t handle, const TriangularPlan& p, Single single, Batched batched,
                     const void* const* in, void* const* out) {
  const T one = One<T>();
  const cublasSideMode_t side = p.right != 0 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
  const cublasFillMode_t fill = p.upper != 0 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasOperation_t operation = p.transposition == kAdjoint      ? CUBLAS_OP_C
                                      : p.transposition == kTransposed ? CUBLAS_OP_T
                                                                       : CUBLAS_OP_N;
  const cublasDiagType_t diagonal = p.unit != 0 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n);
  const int lda = static_cast<int>(p.lda), ldb = static_cast<int>(p.ldb);
  if (p.batch == 1) {
    return single(handle, side, fill, operation, diagonal, m, n, &one, static_cast<const T*>(in[0]),
                  lda, static_cast<T*>(out[0]), ldb);
  }
  return batched(handle, side, fill, operation, diagonal, m, n, &one,
                 static_cast<const T* const*>(in[1]), lda, static_cast<T* const*>(out[1]), ldb,
                 static_cast<int>(p.batch));
}

}  // namespace

LibraryStatus CallCublas(const LibraryContext& context, const TriangularPlan& p,
                         const void* const* in, void* const* out) {
  Blas* const blas = &OfDevice<Blas>(context);
  if (!blas->IsReady(context.stream)) return Declined();
  if (p.m > INT32_MAX || p.n > INT32_MAX || p.lda > INT32_MAX || p.batch > INT32_MAX)
    return Declined();
  cublasStatus_t status;
  switch (p.type) {
    case hl::kF32:
      status =
          Solve<float>(blas->handle, p, blas->cublasStrsm_v2_, blas->cublasStrsmBatched_, in, out);
      break;
    case hl::kF64:
      status =
          Solve<double>(blas->handle, p, blas->cublasDtrsm_v2_, blas->cublasDtrsmBatched_, in, out);
      break;
    case hl::kC64:
      status = Solve<cuComplex>(blas->handle, p, blas->cublasCtrsm_v2_, blas->cublasCtrsmBatched_,
                                in, out);
      break;
    case hl::kC128:
      status = Solve<cuDoubleComplex>(blas->handle, p, blas->cublasZtrsm_v2_,
                                      blas->cublasZtrsmBatched_, in, out);
      break;
    default:
      return Declined();
  }
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return LibraryFailed(context, "cublas<t>trsm", status, status == CUBLAS_STATUS_ALLOC_FAILED);
}

}  // namespace hlocts::cuda
