// SPDX-License-Identifier: Apache-2.0
// Gather and scatter of single elements by one index each, the index vectors in one line: table
// look-ups and histograms.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_H_

#include <cstdint>
#include <functional>

#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"

namespace hlocts::kernels {

// Index i, at indices[i * index_stride], names the operand element index * operand_stride (0 to
// `last`) for element i * batched_stride of the gathered or update array.
struct IndexedLine {
  const void* indices = nullptr;
  PrimitiveType index_type = PrimitiveType::kS32;
  int64_t count = 0, last = 0;
  int64_t index_stride = 1, operand_stride = 1, batched_stride = 1;
  // See IndexVectors; index_stride is 1.
  const std::function<void(int64_t begin, int64_t end, void* to)>* make = nullptr;
};

// Returns false for unsupported index types, a scatter's also for types and kinds. Each thread
// takes a part of a scatter's output, so that updates of one element keep their order. If the
// output is small and there are many updates that may be combined in any order, each takes a part
// of the updates; the sizes determine the number of parts.
bool GatherLine(const Parallel& parallel, const IndexedLine& line, int bytes, const void* operand,
                void* output);
bool ScatterLine(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                 PrimitiveType type, const void* updates, void* output);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_H_
