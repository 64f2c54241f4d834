// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/random/random_draws.h"

#include "backends/engine/cpu/kernels/runtime/isa.h"
#include "spec/base/status.h"

namespace hlocts::kernels {

absl::Status RandomDraws(const Parallel& parallel, const RandomDrawsRequest& request) {
  const bool integers = request.distribution == Distribution::kUniformInteger;
  if (!IsArrayType(request.type) || IsComplex(request.type) || IsFloat(request.type) == integers) {
    return Unsupported("random draws of ", PrimitiveTypeName(request.type));
  }
  return request.count > 0 ? Kernels().random_draws(parallel, request) : absl::OkStatus();
}

}  // namespace hlocts::kernels
