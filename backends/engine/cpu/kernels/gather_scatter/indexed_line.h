// SPDX-License-Identifier: Apache-2.0
// Gather and scatter of single elements by one index each, the index vectors in one line: what
// table look-ups and histograms are.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_H_

#include <cstdint>
#include <functional>

#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"

namespace hlocts::kernels {

// Index i stands at indices[i * index_stride], names the element index * operand_stride (0 to
// `last`) and belongs to element i * batched_stride of the gathered or update array.
struct IndexedLine {
  const void* indices = nullptr;
  PrimitiveType index_type = PrimitiveType::kS32;
  int64_t count = 0, last = 0;
  int64_t index_stride = 1, operand_stride = 1, batched_stride = 1;
  // See IndexVectors; index_stride is 1.
  const std::function<void(int64_t begin, int64_t end, void* to)>* make = nullptr;
};

// False for index types that they do not take, a scatter's also for types and kinds. Threads take a
// part of a scatter's output each, so that updates of one element keep their order; of a small
// output, if there are many updates that may be combined in any order, a part of the updates, as
// many parts as the sizes say.
bool GatherLine(const Parallel& parallel, const IndexedLine& line, int bytes, const void* operand,
                void* output);
bool ScatterLine(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                 PrimitiveType type, const void* updates, void* output);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_H_
