// SPDX-License-Identifier: Apache-2.0
// CholeskyPlan by cuSOLVER: small matrices of a batch in one call, others one by one.
#include <cusolverDn.h>
#include <dlfcn.h>

#include <vector>

#include "backends/engine/cuda/device/base.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {
namespace {

constexpr int64_t kSizeOfBatchedMax = 256;

#define HLOCTS_CUSOLVER_FUNCTIONS(F) \
  F(cusolverDnCreate)                \
  F(cusolverDnSetStream)             \
  F(cusolverDnCreateParams)          \
  F(cusolverDnXpotrf_bufferSize)     \
  F(cusolverDnXpotrf)                \
  F(cusolverDnSpotrfBatched)         \
  F(cusolverDnDpotrfBatched) F(cusolverDnCpotrfBatched) F(cusolverDnZpotrfBatched)

struct Solver {
  HLOCTS_CUSOLVER_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  bool loaded = false;

  explicit Solver(CUstream stream) {
    void* library = OpenLibrary("libcusolver.so.12");
    if (library == nullptr) return;
    HLOCTS_CUSOLVER_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    loaded = true;
    IsReady(stream);
  }
  // A handle that could not be made, for want of memory perhaps, is tried again.
  bool IsReady(CUstream stream) {
    if (handle != nullptr || !loaded) return handle != nullptr;
    cusolverDnHandle_t made = nullptr;
    if (cusolverDnCreate_(&made) != CUSOLVER_STATUS_SUCCESS) return false;
    if (cusolverDnSetStream_(made, stream) != CUSOLVER_STATUS_SUCCESS) return false;
    if (cusolverDnCreateParams_(&params) != CUSOLVER_STATUS_SUCCESS) return false;
    handle = made;
    return true;
  }
};

cudaDataType_t DataType(int type) {
  return type == hl::kF64    ? CUDA_R_64F
         : type == hl::kC64  ? CUDA_C_32F
         : type == hl::kC128 ? CUDA_C_64F
                             : CUDA_R_32F;
}

LibraryStatus ToStatus(const LibraryContext& context, cusolverStatus_t status) {
  if (status == CUSOLVER_STATUS_SUCCESS) return {};
  if (status == CUSOLVER_STATUS_NOT_SUPPORTED || status == CUSOLVER_STATUS_ARCH_MISMATCH) {
    return Declined();
  }
  return LibraryFailed(context, "cusolverDn potrf", status, status == CUSOLVER_STATUS_ALLOC_FAILED);
}

cusolverStatus_t FactorBatch(const Solver& s, const CholeskyPlan& p, cublasFillMode_t fill,
                             int* info, void* list) {
  const int n = static_cast<int>(p.n), lda = static_cast<int>(p.lda),
            batch = static_cast<int>(p.batch);
  switch (p.type) {
    case hl::kF32:
      return s.cusolverDnSpotrfBatched_(s.handle, fill, n, static_cast<float**>(list), lda, info,
                                        batch);
    case hl::kF64:
      return s.cusolverDnDpotrfBatched_(s.handle, fill, n, static_cast<double**>(list), lda, info,
                                        batch);
    case hl::kC64:
      return s.cusolverDnCpotrfBatched_(s.handle, fill, n, static_cast<cuComplex**>(list), lda,
                                        info, batch);
    default:
      return s.cusolverDnZpotrfBatched_(s.handle, fill, n, static_cast<cuDoubleComplex**>(list),
                                        lda, info, batch);
  }
}

LibraryStatus FactorEach(const LibraryContext& context, const Solver& s, const CholeskyPlan& p,
                         cublasFillMode_t fill, void* const* out) {
  const cudaDataType_t type = DataType(p.type);
  size_t device_bytes = 0, host_bytes = 0;
  cusolverStatus_t status = s.cusolverDnXpotrf_bufferSize_(
      s.handle, s.params, fill, p.n, type, out[0], p.lda, type, &device_bytes, &host_bytes);
  if (status != CUSOLVER_STATUS_SUCCESS) return ToStatus(context, status);
  const Workspace workspace(context, device_bytes);
  if (!workspace.ok()) return workspace.failure();
  std::vector<char> host(host_bytes + 1);
  for (int64_t b = 0; b < p.batch; ++b) {
    char* matrix = static_cast<char*>(out[0]) + b * p.stride * hl::BytesOf(p.type);
    status = s.cusolverDnXpotrf_(s.handle, s.params, fill, p.n, type, matrix, p.lda, type,
                                 workspace.data(), device_bytes, host.data(), host_bytes,
                                 static_cast<int*>(out[1]) + b);
    if (status != CUSOLVER_STATUS_SUCCESS) return ToStatus(context, status);
  }
  // The host's workspace may be read until the stream has come this far.
  if (host_bytes > 0 && context.driver->cuStreamSynchronize_(context.stream) != CUDA_SUCCESS) {
    return LibraryFailed(context, "cusolverDnXpotrf", 0, false);
  }
  return {};
}

}  // namespace

LibraryStatus CallCusolver(const LibraryContext& context, const CholeskyPlan& p, void* const* out) {
  Solver* const solver = &OfDevice<Solver>(context);
  if (!solver->IsReady(context.stream)) return Declined();
  const cublasFillMode_t fill = p.upper != 0 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  if (p.batch > 1 && p.n <= kSizeOfBatchedMax && p.batch <= INT32_MAX) {
    return ToStatus(context, FactorBatch(*solver, p, fill, static_cast<int*>(out[1]), out[2]));
  }
  return FactorEach(context, *solver, p, fill, out);
}

}  // namespace hlocts::cuda
