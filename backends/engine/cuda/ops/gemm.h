// SPDX-License-Identifier: Apache-2.0
// dot as one (batched) product of matrices in a library's terms.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_OPS_GEMM_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_OPS_GEMM_H_

#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

// Dimensions of an operand of dot, by what becomes of them.
struct DotOperand {
  absl::Span<const int64_t> dimensions;
  std::vector<int64_t> strides, batch, contracting, free;
};

int64_t SizeOf(const DotOperand& o, const std::vector<int64_t>& dimensions);

// An operand's copy of another order or type, where it needs one.
struct Packing {
  bool needed = false;
  hl::CastArgs cast = {};
  int64_t elements = 0;
};

struct GemmJob {
  GemmPlan plan = {};
  Packing lhs, rhs;
  bool copies = false;  // the library writes another type than the result's
  hl::CastArgs last = {};
  int64_t out_elements = 0;

  // False: the library is not there, or does not take it.
  absl::StatusOr<bool> operator()(Run& run, In in, void* out) const;
};

// nullopt: of these types or sizes no library's product.
std::optional<GemmJob> PlanGemm(const OpContext& context, const DotOperand& lhs,
                                const DotOperand& rhs);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_OPS_GEMM_H_
