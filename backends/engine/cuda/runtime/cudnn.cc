// SPDX-License-Identifier: Apache-2.0
// Executes a ConvolutionPlan with cuDNN. The algorithms sum products directly (neither Winograd nor
// Fourier), so the error bound of a sum holds, and every run returns the same bits.
#include "backends/engine/cuda/runtime/library.h"

#ifdef HLOCTS_HAVE_CUDNN
#include <cudnn.h>
#include <dlfcn.h>

#include <vector>

#include "backends/engine/cuda/device/base.h"

// Uses cuDNN's deprecated functions, which execute one convolution without building a graph.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace hlocts::cuda {

#ifndef HLOCTS_HAVE_CUDNN
absl::StatusOr<bool> Call(const Gpu&, const ConvolutionPlan&, const void* const*, void* const*) {
  return false;
}
#else

namespace {

constexpr size_t kWorkspaceMax = size_t{1} << 30;

#define HLOCTS_CUDNN_FUNCTIONS(F)      \
  F(cudnnCreate)                       \
  F(cudnnSetStream)                    \
  F(cudnnCreateTensorDescriptor)       \
  F(cudnnDestroyTensorDescriptor)      \
  F(cudnnSetTensorNdDescriptor)        \
  F(cudnnCreateFilterDescriptor)       \
  F(cudnnDestroyFilterDescriptor)      \
  F(cudnnSetFilterNdDescriptor)        \
  F(cudnnCreateConvolutionDescriptor)  \
  F(cudnnDestroyConvolutionDescriptor) \
  F(cudnnSetConvolutionNdDescriptor)   \
  F(cudnnSetConvolutionGroupCount)     \
  F(cudnnSetConvolutionMathType)       \
  F(cudnnGetConvolutionForwardWorkspaceSize) F(cudnnConvolutionForward)

struct Convolution {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  size_t workspace = 0;
  bool usable = false;
};

struct Dnn {
  HLOCTS_CUDNN_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  cudnnHandle_t handle = nullptr;
  bool loaded = false;
  PlanCache<ConvolutionPlan, Convolution> plans;

  Dnn() {
    void* library = OpenLibrary("libcudnn.so.9");
    if (library == nullptr) return;
    HLOCTS_CUDNN_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    loaded = true;
  }
  // Creates the handle if it does not exist. An earlier attempt may have failed for lack of memory.
  bool IsReady(CUstream stream) {
    if (handle != nullptr || !loaded) return handle != nullptr;
    cudnnHandle_t made = nullptr;
    if (cudnnCreate_(&made) != CUDNN_STATUS_SUCCESS) return false;
    if (cudnnSetStream_(made, stream) == CUDNN_STATUS_SUCCESS) handle = made;
    return handle != nullptr;
  }
  Convolution Prepare(const ConvolutionPlan& plan);
  bool Describe(const ConvolutionPlan& plan, Convolution& prepared);
  bool Choose(Convolution& prepared);
  void Release(Convolution& prepared);
};

cudnnDataType_t CudnnType(int type) {
  return type == hl::kF64    ? CUDNN_DATA_DOUBLE
         : type == hl::kF16  ? CUDNN_DATA_HALF
         : type == hl::kBF16 ? CUDNN_DATA_BFLOAT16
                             : CUDNN_DATA_FLOAT;
}

// The sizes for cuDNN, which needs two or three spatial dimensions: one becomes two, [1, size].
struct Sizes {
  int rank = 0;  // rank of the tensors
  int x[5], y[5], w[5], padding[3] = {}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  bool fits = true;

  explicit Sizes(const ConvolutionPlan& p) {
    Set(x, 0, p.images), Set(x, 1, p.channels), Set(w, 0, p.features);
    Set(w, 1, p.channels / p.groups), Set(y, 0, p.images), Set(y, 1, p.features);
    const int extra = p.spatial == 1 ? 1 : 0;
    rank = p.spatial + extra + 2;
    for (int d = 0; d < rank - 2; ++d) {
      const bool one = d < extra;
      Set(x, d + 2, one ? 1 : p.input[d - extra]), Set(w, d + 2, one ? 1 : p.taps[d - extra]);
      Set(y, d + 2, one ? 1 : p.output[d - extra]);
      if (one) continue;
      Set(padding, d, p.padding[d - extra]), Set(stride, d, p.stride[d - extra]);
      Set(dilation, d, p.dilation[d - extra]);
    }
  }
  void Set(int* list, int d, int64_t value) {
    fits = fits && value <= INT32_MAX;
    list[d] = static_cast<int>(value);
  }
};

bool SetPacked(const Dnn& dnn, cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int rank,
               const int* sizes, bool channels_last) {
  // The dimensions, innermost first. `sizes` are in the order N, C, spatial in every layout.
  std::vector<int> order;
  if (channels_last) order.push_back(1);
  for (int d = rank; d-- > 0;) {
    if (d != 1 || !channels_last) order.push_back(d);
  }
  int strides[5];
  int64_t stride = 1;
  for (int d : order) {
    if (stride > INT32_MAX) return false;
    strides[d] = static_cast<int>(stride);
    stride *= sizes[d];
  }
  return dnn.cudnnSetTensorNdDescriptor_(tensor, type, rank, sizes, strides) ==
         CUDNN_STATUS_SUCCESS;
}

bool Dnn::Describe(const ConvolutionPlan& p, Convolution& out) {
  const Sizes s(p);
  const bool last = p.channels_last != 0;
  const cudnnDataType_t type = CudnnType(p.type);
  const cudnnDataType_t sums = p.type == hl::kF64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const cudnnMathType_t math = p.type == hl::kF32 && p.tf32 == 0           ? CUDNN_FMA_MATH
                               : p.type == hl::kF16 || p.type == hl::kBF16 ? CUDNN_TENSOR_OP_MATH
                                                                           : CUDNN_DEFAULT_MATH;
  const cudnnConvolutionMode_t mode = p.flipped != 0 ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION;
  const auto good = [](cudnnStatus_t status) { return status == CUDNN_STATUS_SUCCESS; };
  return s.fits && good(cudnnCreateTensorDescriptor_(&out.x)) &&
         good(cudnnCreateTensorDescriptor_(&out.y)) && good(cudnnCreateFilterDescriptor_(&out.w)) &&
         good(cudnnCreateConvolutionDescriptor_(&out.convolution)) &&
         SetPacked(*this, out.x, type, s.rank, s.x, last) &&
         SetPacked(*this, out.y, type, s.rank, s.y, last) &&
         good(cudnnSetFilterNdDescriptor_(out.w, type, last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
                                          s.rank, s.w)) &&
         good(cudnnSetConvolutionNdDescriptor_(out.convolution, s.rank - 2, s.padding, s.stride,
                                               s.dilation, mode, sums)) &&
         good(cudnnSetConvolutionGroupCount_(out.convolution, static_cast<int>(p.groups))) &&
         good(cudnnSetConvolutionMathType_(out.convolution, math));
}

bool Dnn::Choose(Convolution& out) {
  for (cudnnConvolutionFwdAlgo_t algorithm : {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                              CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM}) {
    out.algorithm = algorithm;
    const cudnnStatus_t status = cudnnGetConvolutionForwardWorkspaceSize_(
        handle, out.x, out.w, out.convolution, out.y, algorithm, &out.workspace);
    if (status == CUDNN_STATUS_SUCCESS && out.workspace <= kWorkspaceMax) return true;
  }
  return false;
}

Convolution Dnn::Prepare(const ConvolutionPlan& plan) {
  Convolution prepared;
  prepared.usable = Describe(plan, prepared) && Choose(prepared);
  return prepared;
}

void Dnn::Release(Convolution& old) {
  if (old.x != nullptr) cudnnDestroyTensorDescriptor_(old.x);
  if (old.y != nullptr) cudnnDestroyTensorDescriptor_(old.y);
  if (old.w != nullptr) cudnnDestroyFilterDescriptor_(old.w);
  if (old.convolution != nullptr) cudnnDestroyConvolutionDescriptor_(old.convolution);
}

}  // namespace

absl::StatusOr<bool> Call(const Gpu& gpu, const ConvolutionPlan& plan, const void* const* in,
                          void* const* out) {
  static Dnn* const dnn = new Dnn();
  if (!dnn->IsReady(gpu.stream)) return false;
  Convolution& prepared = dnn->plans.FindOrAdd(
      plan, [](const ConvolutionPlan& fresh) { return dnn->Prepare(fresh); },
      [](Convolution& old) { dnn->Release(old); });
  if (!prepared.usable) return false;
  const Workspace workspace(gpu, prepared.workspace);
  HLOCTS_RETURN_IF_ERROR(workspace.status());
  const float one = 1, zero = 0;
  const double one_double = 1, zero_double = 0;
  const bool is_double = plan.type == hl::kF64;
  const cudnnStatus_t status = dnn->cudnnConvolutionForward_(
      dnn->handle, is_double ? static_cast<const void*>(&one_double) : &one, prepared.x, in[0],
      prepared.w, in[1], prepared.convolution, prepared.algorithm, workspace.data(),
      prepared.workspace, is_double ? static_cast<const void*>(&zero_double) : &zero, prepared.y,
      out[0]);
  if (status == CUDNN_STATUS_SUCCESS) return true;
  if (status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000 ||
      status / 1000 == CUDNN_STATUS_BAD_PARAM / 1000) {
    prepared.usable = false;
    return false;
  }
  // Status 4003 is a failed allocation of host memory, 4004 of device memory.
  constexpr int kDeviceAllocationFailed = 4004;
  const bool out_of_memory =
      status == CUDNN_STATUS_ALLOC_FAILED || static_cast<int>(status) == kDeviceAllocationFailed;
  prepared.usable = out_of_memory;
  return LibraryFailed(gpu, "cudnnConvolutionForward", status, out_of_memory);
}

#endif

}  // namespace hlocts::cuda
