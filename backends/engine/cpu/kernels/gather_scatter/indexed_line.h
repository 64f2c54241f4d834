// SPDX-License-Identifier: Apache-2.0
// Gather and scatter of single elements, each selected by one index, with constant strides.
// Examples are table look-ups and histograms.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"

namespace hlocts::kernels {

inline constexpr int64_t kPad = 16;  // the most elements that a vector of picked updates has

// indices[i * index_stride], a number from 0 to `last`, selects element index * operand_stride of
// the operand. It belongs to element i * batched_stride of the gathered or update array.
struct IndexedLine {
  const void* indices = nullptr;
  PrimitiveType index_type = PrimitiveType::kS32;
  int64_t count = 0, last = 0;
  int64_t index_stride = 1, operand_stride = 1, batched_stride = 1;
};

// Gathers or scatters the elements. Returns false if the index type is unsupported. A scatter also
// returns false if the element type or the kind is unsupported. Each thread updates a part of the
// output, so that updates of one element keep their order. If the output is small and many updates
// can be combined in any order, each thread instead applies a part of the updates; the number of
// parts depends on the sizes alone.
bool GatherLine(const Parallel& parallel, const IndexedLine& line, int bytes, const void* operand,
                void* output);
bool ScatterLine(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                 PrimitiveType type, const void* updates, void* output);

}  // namespace hlocts::kernels
