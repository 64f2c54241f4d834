// SPDX-License-Identifier: Apache-2.0
// Many transforms of one length, in any strides. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_ROWS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_ROWS_ISA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Element i of row r is complex number r * row + i * element of `data`.
template <typename Pointer>
struct RowLayout {
  Pointer data;
  int64_t row, element;
};

template <typename T>
struct RowsRequest {
  int64_t n, rows;
  RowLayout<const T*> input;
  RowLayout<T*> output;  // the input itself, or apart from it
  bool inverse = false;  // scaled by 1 / n
};

// T: float or double.
template <typename T>
absl::Status TransformRows(const Parallel& parallel, const RowsRequest<T>& request);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_ROWS_ISA_H_
