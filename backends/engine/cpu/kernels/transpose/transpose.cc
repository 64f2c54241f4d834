// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/transpose/transpose.h"

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {

absl::Status Transpose(const TransposeRequest& request) {
  if (request.bytes > 8 || (request.bytes & (request.bytes - 1)) != 0 || request.bytes < 1) {
    return Unsupported("transpose of elements of ", request.bytes, " bytes");
  }
  return Kernels().transpose(Parallel(1), request);
}

}  // namespace hlocts::kernels
