// SPDX-License-Identifier: Apache-2.0
// The kinds of transform and their several dimensions, by rows of one length. Real transforms go
// through complex ones of the full length.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/kernels/fft/fft.h"
#include "backends/engine/cpu/kernels/fft/fft_rows_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kRealElements = 1 << 20;  // of full complex rows at a time

// [outer, n, inner] in place along n, for every transformed dimension but the last.
template <typename T>
absl::Status OtherDimensions(const Parallel& parallel, const FftRequest& request, int64_t batch,
                             int64_t last, bool inverse, T* data) {
  int64_t inner = last, outer = batch;
  for (int64_t n : request.length) outer *= n;
  outer /= request.length.back();
  for (size_t d = request.length.size() - 1; d-- > 0;) {
    const int64_t n = request.length[d];
    outer /= n;
    for (int64_t o = 0; o < outer; ++o) {
      T* at = data + 2 * o * n * inner;
      HLOCTS_RETURN_IF_ERROR(
          TransformRows<T>(parallel, {n, inner, {at, 1, inner}, {at, 1, inner}, inverse}));
    }
    inner *= n;
  }
  return absl::OkStatus();
}

// Calls fill(row, complex row), transforms, then calls drain(row, complex row), for pieces of rows.
template <typename T, typename Fill, typename Drain>
absl::Status ThroughComplexRows(const Parallel& parallel, int64_t rows, int64_t n, bool inverse,
                                Fill fill, Drain drain) {
  const int64_t step = std::clamp<int64_t>(kRealElements / n, 1, rows);
  const int64_t bytes = step * n * 2 * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  T* full = memory.As<T>();
  for (int64_t first = 0; first < rows; first += step) {
    const int64_t count = std::min(step, rows - first);
    parallel.For(count, 1.0 * n, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) fill(first + i, full + 2 * i * n);
    });
    HLOCTS_RETURN_IF_ERROR(
        TransformRows<T>(parallel, {n, count, {full, n, 1}, {full, n, 1}, inverse}));
    parallel.For(count, 1.0 * n, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) drain(first + i, full + 2 * i * n);
    });
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status RealForward(const Parallel& parallel, const FftRequest& request, int64_t rows,
                         int64_t n) {
  const int64_t half = n / 2 + 1;
  const T* in = static_cast<const T*>(request.input);
  T* out = static_cast<T*>(request.output);
  return ThroughComplexRows<T>(
      parallel, rows, n, false,
      [&](int64_t row, T* full) {
        for (int64_t i = 0; i < n; ++i) full[2 * i] = in[row * n + i], full[2 * i + 1] = 0;
      },
      [&](int64_t row, const T* full) {
        std::memcpy(out + 2 * row * half, full, 2 * half * sizeof(T));
      });
}

// The missing half is the conjugate of the given one; imaginary parts of its ends cancel.
template <typename T>
absl::Status RealInverse(const Parallel& parallel, const FftRequest& request, const T* in,
                         int64_t rows, int64_t n) {
  const int64_t half = n / 2 + 1;
  T* out = static_cast<T*>(request.output);
  return ThroughComplexRows<T>(
      parallel, rows, n, true,
      [&](int64_t row, T* full) {
        std::memcpy(full, in + 2 * row * half, 2 * half * sizeof(T));
        for (int64_t i = half; i < n; ++i) {
          full[2 * i] = full[2 * (n - i)];
          full[2 * i + 1] = -full[2 * (n - i) + 1];
        }
      },
      [&](int64_t row, const T* full) {
        for (int64_t i = 0; i < n; ++i) out[row * n + i] = full[2 * i];
      });
}

template <typename T>
absl::Status Run(const Parallel& parallel, const FftRequest& request) {
  const int64_t n = request.length.back(), half = n / 2 + 1;
  int64_t batch = 1, rows = 1;
  for (int64_t size : request.batch) batch *= size;
  rows = batch;
  for (int64_t size : request.length) rows *= size;
  rows /= n;
  T* out = static_cast<T*>(request.output);
  const T* in = static_cast<const T*>(request.input);
  if (request.kind == FftKind::kRfft) {
    HLOCTS_RETURN_IF_ERROR(RealForward<T>(parallel, request, rows, n));
    return OtherDimensions(parallel, request, batch, half, false, out);
  }
  if (request.kind == FftKind::kIrfft) {
    if (request.length.size() == 1) return RealInverse(parallel, request, in, rows, n);
    const int64_t bytes = rows * half * 2 * static_cast<int64_t>(sizeof(T));
    const Scratch copy(bytes);
    if (!copy.ok()) return OutOfScratch(bytes);
    std::memcpy(copy.As<T>(), in, bytes);
    HLOCTS_RETURN_IF_ERROR(OtherDimensions(parallel, request, batch, half, true, copy.As<T>()));
    return RealInverse<T>(parallel, request, copy.As<T>(), rows, n);
  }
  const bool inverse = request.kind == FftKind::kIfft;
  HLOCTS_RETURN_IF_ERROR(TransformRows<T>(parallel, {n, rows, {in, n, 1}, {out, n, 1}, inverse}));
  return OtherDimensions(parallel, request, batch, n, inverse, out);
}

}  // namespace

absl::Status FftKernel(const Parallel& parallel, const FftRequest& request) {
  if (request.component == PrimitiveType::kF32) return Run<float>(parallel, request);
  return Run<double>(parallel, request);
}

}  // namespace hlocts::kernels::HLOCTS_ISA
