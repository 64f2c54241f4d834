#include "backends/cpu/kernels/window.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/kernels/checks.h"
#include "backends/cpu/kernels/isa.h"

namespace hlocts::kernels {

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
  if (inputs > 0 && !empty_window) return Kernels().reduce_window(parallel, request);
  const int bytes = StorageBytes(request.type);
  for (int64_t i = 0; i < outputs; ++i) {
    std::memcpy(static_cast<char*>(request.output) + i * bytes, request.init, bytes);
  }
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
