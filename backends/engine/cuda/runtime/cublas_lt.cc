// SPDX-License-Identifier: Apache-2.0
// Executes a GemmPlan with cublasLtMatmul. The algorithm of a plan is queried once.
#include <cublasLt.h>
#include <dlfcn.h>

#include "backends/engine/cuda/device/base.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {
namespace {

constexpr uint64_t kWorkspaceBytes = uint64_t{32} << 20;
constexpr uint64_t kArrayAlignment = 256;  // algorithms require it; all allocations have it

#define HLOCTS_CUBLAS_LT_FUNCTIONS(F) \
  F(cublasLtCreate)                   \
  F(cublasLtMatmulDescCreate)         \
  F(cublasLtMatmulDescDestroy)        \
  F(cublasLtMatmulDescSetAttribute)   \
  F(cublasLtMatrixLayoutCreate)       \
  F(cublasLtMatrixLayoutDestroy)      \
  F(cublasLtMatrixLayoutSetAttribute) \
  F(cublasLtMatmulPreferenceCreate)   \
  F(cublasLtMatmulPreferenceDestroy)  \
  F(cublasLtMatmulPreferenceSetAttribute) F(cublasLtMatmulAlgoGetHeuristic) F(cublasLtMatmul)

// A prepared plan. `usable` is false if no algorithm supports the plan.
struct LtProduct {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  size_t workspace = 0;
  bool usable = false;
};

struct Lt {
  HLOCTS_CUBLAS_LT_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  cublasLtHandle_t handle = nullptr;
  bool loaded = false;
  PlanCache<GemmPlan, LtProduct> products;

  Lt() {
    void* library = OpenLibrary("libcublasLt.so.13");
    if (library == nullptr) return;
    HLOCTS_CUBLAS_LT_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    loaded = true;
  }
  // Creates the handle if it does not exist. An earlier attempt may have failed for lack of memory.
  bool IsReady() {
    if (handle == nullptr && loaded && cublasLtCreate_(&handle) != CUBLAS_STATUS_SUCCESS) {
      handle = nullptr;
    }
    return handle != nullptr;
  }
  LtProduct Prepare(const GemmPlan& plan);
  bool SetUp(const GemmPlan& plan, LtProduct& product);
  cublasLtMatrixLayout_t Layout(int type, bool transposed, int64_t rows, int64_t columns,
                                int64_t ld, int64_t batch, int64_t stride);
  bool Choose(int heuristic, LtProduct& product);
  void Release(LtProduct& product);
};

struct Types {
  cudaDataType_t operands, result, scale;
  cublasComputeType_t compute;
};
cudaDataType_t CublasType(int type) {
  switch (type) {
    case hl::kF64:
      return CUDA_R_64F;
    case hl::kC64:
      return CUDA_C_32F;
    case hl::kC128:
      return CUDA_C_64F;
    case hl::kF16:
      return CUDA_R_16F;
    case hl::kBF16:
      return CUDA_R_16BF;
    case hl::kS8:
      return CUDA_R_8I;
    case hl::kS32:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}
Types TypesOf(const GemmPlan& plan) {
  const cudaDataType_t operands = CublasType(plan.type), result = CublasType(plan.result);
  const cublasComputeType_t single =
      plan.tf32 != 0 && (plan.type == hl::kF32 || plan.type == hl::kC64)
          ? CUBLAS_COMPUTE_32F_FAST_TF32
          : CUBLAS_COMPUTE_32F;
  switch (plan.type) {
    case hl::kF64:
      return {operands, result, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case hl::kC64:
      return {operands, result, CUDA_C_32F, single};
    case hl::kC128:
      return {operands, result, CUDA_C_64F, CUBLAS_COMPUTE_64F};
    case hl::kS8:
      return {operands, result, CUDA_R_32I, CUBLAS_COMPUTE_32I};
    default:
      return {operands, result, CUDA_R_32F, single};
  }
}

// The constants 1 and 0 in the scale type of the product.
struct Scalars {
  union {
    float f[2];
    double d[2];
    int32_t i;
  } one = {}, zero = {};
  explicit Scalars(cudaDataType_t type) {
    if (type == CUDA_R_32I)
      one.i = 1;
    else if (type == CUDA_R_64F || type == CUDA_C_64F)
      one.d[0] = 1, one.d[1] = zero.d[0] = zero.d[1] = 0;
    else
      one.f[0] = 1;
  }
};

cublasLtMatrixLayout_t Lt::Layout(int type, bool transposed, int64_t rows, int64_t columns,
                                  int64_t ld, int64_t batch, int64_t stride) {
  cublasLtMatrixLayout_t layout = nullptr;
  const uint64_t r = static_cast<uint64_t>(transposed ? columns : rows);
  const uint64_t c = static_cast<uint64_t>(transposed ? rows : columns);
  if (cublasLtMatrixLayoutCreate_(&layout, CublasType(type), r, c, ld) != CUBLAS_STATUS_SUCCESS) {
    return nullptr;
  }
  const int32_t count = static_cast<int32_t>(batch);
  cublasLtMatrixLayoutSetAttribute_(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                    sizeof(count));
  cublasLtMatrixLayoutSetAttribute_(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                    sizeof(stride));
  return layout;
}

bool Lt::SetUp(const GemmPlan& p, LtProduct& product) {
  const Types types = TypesOf(p);
  if (cublasLtMatmulDescCreate_(&product.operation, types.compute, types.scale) !=
      CUBLAS_STATUS_SUCCESS) {
    return false;
  }
  const cublasOperation_t a = p.transpose_a != 0 ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t b = p.transpose_b != 0 ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDescSetAttribute_(product.operation, CUBLASLT_MATMUL_DESC_TRANSA, &a, sizeof(a));
  cublasLtMatmulDescSetAttribute_(product.operation, CUBLASLT_MATMUL_DESC_TRANSB, &b, sizeof(b));
  product.a = Layout(p.type, p.transpose_a != 0, p.m, p.k, p.lda, p.batch, p.stride_a);
  product.b = Layout(p.type, p.transpose_b != 0, p.k, p.n, p.ldb, p.batch, p.stride_b);
  product.c = Layout(p.result, false, p.m, p.n, p.ldc, p.batch, p.stride_c);
  return product.a != nullptr && product.b != nullptr && product.c != nullptr;
}

bool Lt::Choose(int heuristic, LtProduct& product) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (cublasLtMatmulPreferenceCreate_(&preference) != CUBLAS_STATUS_SUCCESS) return false;
  // Partial sums are added in the compute type, not in the result's type.
  const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublasLtMatmulPreferenceSetAttribute_(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                        &kWorkspaceBytes, sizeof(kWorkspaceBytes));
  cublasLtMatmulPreferenceSetAttribute_(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                        &reductions, sizeof(reductions));
  cublasLtMatmulHeuristicResult_t results[kHeuristicsMax] = {};
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic_(handle, product.operation, product.a, product.b, product.c,
                                      product.c, preference, heuristic + 1, results, &found);
  cublasLtMatmulPreferenceDestroy_(preference);
  if (status != CUBLAS_STATUS_SUCCESS || found <= heuristic) return false;
  const cublasLtMatmulHeuristicResult_t& result = results[heuristic];
  if (result.state != CUBLAS_STATUS_SUCCESS) return false;
  product.algorithm = result.algo;
  product.workspace = result.workspaceSize;
  return true;
}

void Lt::Release(LtProduct& product) {
  if (product.operation != nullptr) cublasLtMatmulDescDestroy_(product.operation);
  for (cublasLtMatrixLayout_t layout : {product.a, product.b, product.c}) {
    if (layout != nullptr) cublasLtMatrixLayoutDestroy_(layout);
  }
  product = LtProduct();
}

LtProduct Lt::Prepare(const GemmPlan& plan) {
  LtProduct product;
  if (plan.batch > INT32_MAX || plan.heuristic < 0 || plan.heuristic >= kHeuristicsMax) {
    return product;
  }
  product.usable = SetUp(plan, product) && Choose(plan.heuristic, product);
  return product;
}

bool IsAligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % kArrayAlignment == 0;
}

}  // namespace

absl::StatusOr<bool> Call(const Gpu& gpu, const GemmPlan& plan, const void* const* in,
                          void* const* out) {
  static Lt* const lt = new Lt();
  if (!lt->IsReady()) return false;
  if (!IsAligned(in[0]) || !IsAligned(in[1]) || !IsAligned(out[0])) return false;
  LtProduct& product = lt->products.FindOrAdd(
      plan, [](const GemmPlan& fresh) { return lt->Prepare(fresh); },
      [](LtProduct& old) { lt->Release(old); });
  if (!product.usable) return false;
  const Workspace workspace(gpu, product.workspace);
  HLOCTS_RETURN_IF_ERROR(workspace.status());
  const Scalars scalars(TypesOf(plan).scale);
  const cublasStatus_t status =
      lt->cublasLtMatmul_(lt->handle, product.operation, &scalars.one, in[0], product.a, in[1],
                          product.b, &scalars.zero, out[0], product.c, out[0], product.c,
                          &product.algorithm, workspace.data(), product.workspace, gpu.stream);
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
  product.usable = status == CUBLAS_STATUS_ALLOC_FAILED;
  return LibraryFailed(gpu, "cublasLtMatmul", status, product.usable);
}

}  // namespace hlocts::cuda
