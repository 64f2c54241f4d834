// SPDX-License-Identifier: Apache-2.0
#include "absl/algorithm/container.h"
#include "reference/kernels/gather_scatter.h"
#include "reference/kernels/index_values.h"
#include "reference/number_system.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {

// gather.21-37: the batch dimensions of an output index select an index vector. start_index_map
// extends it to a start in all dimensions (0 if not mapped, the batch coordinate in batching
// dimensions). The start is clamped so that the slice is inside the operand (ruling 0010), and the
// offset dimensions of the output index select the element of the slice.
absl::StatusOr<Literal> EvaluateGather(EvalContext& context, const Instruction& instruction,
                                       absl::Span<Literal> operands) {
  const Literal &operand = operands[0], &indices = operands[1];
  const WindowsGeometry geometry =
      GatherGeometryOf(instruction, operand.shape().dimensions(), indices.shape().dimensions());
  const Shape shape(operand.element_type(), geometry.batched_dimensions);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  Literal out(shape);
  // A slice size of 0 in a dimension that is collapsed leaves nothing to read (ruling 0037).
  if (out.element_count() == 0 || absl::c_linear_search(instruction.IntList(Attr::kSliceSizes), 0))
    return out;
  const IndexReader reader(indices);
  DispatchStorage(StorageBytes(shape.element_type()), [&](auto element) {
    using T = decltype(element);
    GatherKernel<T>(geometry, reader, operand.data<T>(), out.mutable_data<T>());
  });
  return out;
}

}  // namespace hlocts::reference
