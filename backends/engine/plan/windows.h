// SPDX-License-Identifier: Apache-2.0
// The windows of an instruction, checked to be in a range that is safe for kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::plan {

// Represents sums and products of a few attributes, which may have any value.
__extension__ using Int128 = __int128;

// Returns one window for each dimension of `base`. `positions` has the number of windows in each
// dimension. Unused strides and dilations become 1. Attributes may be any int64: returns
// Unsupported if sums and products of a few of them might overflow.
absl::StatusOr<std::vector<WindowDimension>> WindowsOf(const Instruction& instruction,
                                                       absl::Span<const int64_t> base,
                                                       absl::Span<const int64_t> positions);

}  // namespace hlocts::plan
