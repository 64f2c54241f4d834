// SPDX-License-Identifier: Apache-2.0
// gather, which a kernel computes.
#include "backends/engine/cpu/ops/indexed_windows.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cpu {

absl::StatusOr<StepDraft> MakeGather(const OpContext& context) {
  const GatherDimensionNumbers numbers = GatherDimensionsOf(context.source());
  const std::vector<int64_t>& slice_sizes = context.source().IntList(Attr::kSliceSizes);
  IndexedWindows w;
  w.window.assign(slice_sizes.begin(), slice_sizes.end());
  SetWindow(context.in(0), context.out(0), numbers.offset_dims,
            Joined(numbers.collapsed_slice_dims, numbers.operand_batching_dims), w);
  SetIndices(context.in(1), numbers.index_vector_dim, numbers.start_index_map,
             numbers.operand_batching_dims, numbers.start_indices_batching_dims, w);
  kernels::GatherRequest request;
  Describe(w, context.out(0).type, request, request.slice_sizes, request.output_batch_strides,
           request.slice);
  const kernels::Parallel parallel(context.compiler.options().threads);
  const bool is_empty = context.out(0).elements == 0;
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    if (is_empty) return absl::OkStatus();
    kernels::GatherRequest now = request;
    now.operand = in[0];
    now.indices.data = in[1];
    now.output = out[0];
    return kernels::Gather(parallel, now);
  };
  return draft;
}

}  // namespace hlocts::cpu
