// SPDX-License-Identifier: Apache-2.0
// The windows of an instruction, in a range that is safe for kernels.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_WINDOWS_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_WINDOWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::plan {

// Holds sums and products of a few attributes, which may have any value.
__extension__ using Int128 = __int128;

// One window for each dimension of `base`, of which `positions` are taken. An unused stride or
// dilation is 1. Attributes may be any int64: Unsupported where sums and products of a few of them
// might not fit.
absl::StatusOr<std::vector<WindowDimension>> WindowsOf(const Instruction& instruction,
                                                       absl::Span<const int64_t> base,
                                                       absl::Span<const int64_t> positions);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_WINDOWS_H_
