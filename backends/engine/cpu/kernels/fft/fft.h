// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of any length along the last one to three dimensions.
//
// The algorithm is mixed-radix on separate real and imaginary parts, with several transforms (or
// columns of one) in the lanes of a vector. Lengths with a large prime factor use Bluestein's
// algorithm. Long transforms are split into two dimensions (four-step). The normwise error of a
// transform is a small multiple of log2(n) u.
#pragma once

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
  absl::Span<const int64_t> batch;                // sizes of the leading dimensions
  // Sizes of the 1 to 3 transformed dimensions, as in the attribute fft_length.
  absl::Span<const int64_t> length;
  // Dense. The last dimension has n elements (real for kRfft), or n/2+1 for kIrfft.
  const void* input = nullptr;
  // Dense. The last dimension has n elements, or n/2+1 for kRfft. Must not overlap the input.
  void* output = nullptr;
};

absl::Status Fft(const Parallel& parallel, const FftRequest& request);

}  // namespace hlocts::kernels
