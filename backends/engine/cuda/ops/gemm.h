// SPDX-License-Identifier: Apache-2.0
// A dot as one (batched) matrix product of a library.
#pragma once

#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

// An operand of dot: its sizes, strides, and dimensions by their role.
struct DotOperand {
  absl::Span<const int64_t> dimensions;
  std::vector<int64_t> strides, batch, contracting, free;
};

int64_t SizeOf(const DotOperand& o, const std::vector<int64_t>& dimensions);

// A copy that changes the order or the type of an operand, if it is needed.
struct Packing {
  bool needed = false;
  hl::CastArgs cast = {};
  int64_t elements = 0;
};

struct GemmJob {
  GemmPlan plan = {};
  Packing lhs, rhs;
  bool copies = false;  // the library's result is copied to the instruction's type
  hl::CastArgs last = {};
  int64_t out_elements = 0;

  // Returns false, without an effect, if no library supports the product.
  absl::StatusOr<bool> operator()(Run& run, In in, void* out) const;
};

// Returns nullopt if no library supports a product of these types or layouts.
std::optional<GemmJob> PlanGemm(const OpContext& context, const DotOperand& lhs,
                                const DotOperand& rhs);

}  // namespace hlocts::cuda
