// SPDX-License-Identifier: Apache-2.0
// Gather and scatter of single elements with one index each and constant strides, such as table
// look-ups and histograms.
#pragma once

#include <cstdint>

#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"

namespace hlocts::kernels {

inline constexpr int64_t kPad = 16;  // the largest number of lanes in a vector of selected updates

// indices[i * index_stride], in [0, last], selects element index * operand_stride of the operand.
// This corresponds to element i * batched_stride of the gathered array or the update array.
struct IndexedLine {
  const void* indices = nullptr;
  PrimitiveType index_type = PrimitiveType::kS32;
  int64_t count = 0, last = 0;
  int64_t index_stride = 1, operand_stride = 1, batched_stride = 1;
};

// Gathers or scatters the elements. Returns false if the index type is unsupported. A scatter also
// returns false if the element type or the kind is unsupported. Each thread updates a part of the
// output, so updates of one element keep their order. If the output is small and there are many
// updates, which may be combined in any order, each thread applies a part of the updates instead.
// The number of parts depends only on sizes.
bool GatherLine(const Parallel& parallel, const IndexedLine& line, int bytes, const void* operand,
                void* output);
bool ScatterLine(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                 PrimitiveType type, const void* updates, void* output);

}  // namespace hlocts::kernels
