// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/groups/row_work.h"

#include <algorithm>

namespace hlocts::cpu {

bool ReadsOwnRow(const LoopProgram& loop, int array, int64_t elements, int64_t rows,
                 int64_t row_elements) {
  for (const plan::View* view : loop.ViewsOf(array)) {
    // The view can be divided into rows only if it has the same number of elements as the loop.
    if (view == nullptr || view->elements() != elements) return false;
    const auto cut = plan::Reshaped(*view, {rows, elements / rows});
    int64_t first = view->offset, last = view->offset;
    if (cut.has_value()) {
      const plan::ViewDimension& inner = cut->dimensions[1];
      const int64_t reach = (inner.size - 1) * inner.stride;
      first += std::min<int64_t>(reach, 0);
      last += std::max<int64_t>(reach, 0);
      if (rows > 1 && cut->dimensions[0].stride != row_elements) return false;
    } else {
      // If a row has several dimensions, the rows must be the outermost dimension of the view.
      if (view->dimensions.empty() || view->dimensions[0].size != rows ||
          view->dimensions[0].stride != row_elements) {
        return false;
      }
      for (size_t d = 1; d < view->dimensions.size(); ++d) {
        const int64_t reach = (view->dimensions[d].size - 1) * view->dimensions[d].stride;
        first += std::min<int64_t>(reach, 0);
        last += std::max<int64_t>(reach, 0);
      }
    }
    if (first < 0 || last >= row_elements) return false;
  }
  return true;
}

PartitionedStep PartsOf(const RowWork& work, int64_t rows, bool leaves) {
  PartitionedStep parts;
  if (!work.is_reduce) {
    const int64_t size = work.elements / rows;
    parts.cost_ns = work.loop->cost_ns() * static_cast<double>(size);
    parts.run = [loop = work.loop, size, leaves](In in, Out out, int64_t begin, int64_t end) {
      loop->Run(in, out, begin * size, end * size, leaves);
      return absl::OkStatus();
    };
    return parts;
  }
  parts.cost_ns = 0.1 * static_cast<double>(work.size);
  parts.run = [=, width = StorageBytes(work.type)](In in, Out out, int64_t begin, int64_t end) {
    return kernels::RowReduce({work.kind, work.type, end - begin, work.size,
                               in[0] + begin * work.size * width, in[1], out[0] + begin * width});
  };
  return parts;
}

}  // namespace hlocts::cpu
