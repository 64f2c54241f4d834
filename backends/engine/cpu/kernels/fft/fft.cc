// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/fft/fft.h"

#include "absl/container/inlined_vector.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {

absl::Status Fft(const Parallel& parallel, const FftRequest& request) {
  if (request.component != PrimitiveType::kF32 && request.component != PrimitiveType::kF64) {
    return Unsupported("fft of ", PrimitiveTypeName(request.component));
  }
  if (request.length.empty() || request.length.size() > 3) {
    return InvalidInput("fft of ", request.length.size(), " dimensions");
  }
  int64_t count = 0;
  absl::InlinedVector<int64_t, 6> sizes(request.batch.begin(), request.batch.end());
  sizes.insert(sizes.end(), request.length.begin(), request.length.end());
  HLOCTS_RETURN_IF_ERROR(CountElements(sizes, count));
  if (count == 0) return absl::OkStatus();
  return Kernels().fft(parallel, request);
}

}  // namespace hlocts::kernels
