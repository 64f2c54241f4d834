// SPDX-License-Identifier: Apache-2.0
// Operands of the tests of dot.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TESTING_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TESTING_H_

#include <vector>

#include "backends/engine/cpu/kernels/gemm/dot.h"

namespace hlocts::kernels {

struct Side {
  std::vector<int64_t> dimensions, strides, batch, contracting;
};

inline DotOperand OperandOf(const Side& side, const void* data, PrimitiveType type) {
  return {data, type, side.dimensions, side.strides, side.batch, side.contracting};
}

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_TESTING_H_
