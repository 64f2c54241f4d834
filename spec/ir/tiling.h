// SPDX-License-Identifier: Apache-2.0
// Computes the memory positions of elements in a tiled layout
// (https://openxla.org/xla/tiled_layout).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/layout.h"

namespace hlocts {

struct TiledPositions {
  int64_t size = 0;                // number of elements in memory, padding included
  std::vector<int64_t> positions;  // of the elements in row-major order
};

// Unimplemented: a tile that combines dimensions ("*"), or more than 2^28 elements in memory.
absl::StatusOr<TiledPositions> PositionsInTiles(absl::Span<const int64_t> dimensions,
                                                const Layout& layout);

}  // namespace hlocts
