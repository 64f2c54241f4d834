// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/window/window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {
namespace {

// One window that sees all of each dimension that has one: pooling over whole images.
bool SeesAll(const WindowDimensionSpec& w) {
  return w.output_size == 1 && w.padding_low >= 0 && w.size - w.padding_low >= w.input_size &&
         w.base_dilation == 1 && w.window_dilation == 1;
}

// Not with channels last: rows of theirs are joined as they are.
bool IsReduction(const ReduceWindowRequest& request) {
  if (request.dimensions.empty() || IsTrivial(request.dimensions.back())) return false;
  for (const WindowDimensionSpec& w : request.dimensions) {
    if (!IsTrivial(w) && !SeesAll(w)) return false;
  }
  return true;
}

absl::Status ReduceDimensions(const Parallel& parallel, const ReduceWindowRequest& request) {
  absl::InlinedVector<int64_t, 6> sizes, strides(request.dimensions.size()), reduced;
  for (size_t d = 0; d < request.dimensions.size(); ++d) {
    sizes.push_back(request.dimensions[d].input_size);
    if (!IsTrivial(request.dimensions[d])) reduced.push_back(static_cast<int64_t>(d));
  }
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) strides[d] = std::exchange(stride, stride * sizes[d]);
  return Reduce(parallel, {request.kind, request.type, sizes, strides, reduced, request.operand,
                           request.init, request.output});
}

}  // namespace

absl::Status ReduceWindow(const Parallel& parallel, const ReduceWindowRequest& request) {
  if (!ReduceSupported(request.kind, request.type)) {
    return Unsupported("reduce-window of ", PrimitiveTypeName(request.type));
  }
  absl::InlinedVector<int64_t, 6> in, out;
  bool empty_window = false;
  for (const WindowDimensionSpec& d : request.dimensions) {
    if (d.size < 0 || d.stride < 1 || d.base_dilation < 1 || d.window_dilation < 1) {
      return InvalidInput("reduce-window: a window that is not one");
    }
    in.push_back(d.input_size);
    out.push_back(d.output_size);
    empty_window = empty_window || d.size == 0;
  }
  int64_t inputs = 0, outputs = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(in, inputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(out, outputs));
  if (outputs == 0) return absl::OkStatus();
  if (inputs > 0 && !empty_window) {
    return IsReduction(request) ? ReduceDimensions(parallel, request)
                                : Kernels().reduce_window(parallel, request);
  }
  const int bytes = StorageBytes(request.type);
  for (int64_t i = 0; i < outputs; ++i) {
    std::memcpy(static_cast<char*>(request.output) + i * bytes, request.init, bytes);
  }
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
