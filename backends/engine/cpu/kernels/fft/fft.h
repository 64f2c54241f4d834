// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of any length along the last dimension.
//
// Mixed radix on split real and imaginary parts, several transforms (or columns of one) side by
// side in the lanes of a vector; lengths with a large prime factor by Bluestein's convolution; long
// ones in two dimensions (four-step). Error: normwise, a small multiple of log2(n) u per transform.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

enum class FftKind : uint8_t { kFft, kIfft, kRfft, kIrfft };

struct FftRequest {
  FftKind kind = FftKind::kFft;
  PrimitiveType component = PrimitiveType::kF32;  // f32 or f64
  absl::Span<const int64_t> batch;                // leading dimensions
  absl::Span<const int64_t> length;  // 1 to 3 transformed dimensions, as fft_length says
  const void* input = nullptr;       // dense; last dimension length (kRfft: real), n/2+1 for kIrfft
  void* output = nullptr;            // dense; last dimension n/2+1 for kRfft; may not be the input
};

absl::Status Fft(const Parallel& parallel, const FftRequest& request);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_H_
