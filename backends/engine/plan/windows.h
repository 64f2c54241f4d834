// SPDX-License-Identifier: Apache-2.0
// Reads the windows of an instruction, and checks that kernels can compute positions in int64.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::plan {

// The type of sums and products of a few attributes, each of which may have any int64 value.
__extension__ using Int128 = __int128;

// Returns one window for each dimension of `base`. `positions` is the number of windows along each
// dimension. Strides and dilations without effect become 1. Returns Unsupported if sums and
// products of a few attributes might overflow.
absl::StatusOr<std::vector<WindowDimension>> WindowsOf(const Instruction& instruction,
                                                       absl::Span<const int64_t> base,
                                                       absl::Span<const int64_t> positions);

}  // namespace hlocts::plan
