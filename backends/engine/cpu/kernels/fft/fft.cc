// SPDX-License-Identifier: Apache-2.0
// Transforms rows of equal length; each lane of a vector has one row. A long row is transformed as
// a matrix (columns, twiddles, rows), and a row whose length has a large prime factor as a
// convolution. Real transforms use complex transforms of the full length.
#include "backends/engine/cpu/kernels/fft/fft.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "backends/engine/cpu/kernels/fft/fft_plan.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/fft/fft.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/kernels/fft/fft_passes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

// Element i of row r is the complex number at data[2 * (r * row + i * element)].
template <typename Pointer>
struct RowLayout {
  Pointer data;
  int64_t row, element;
};
template <typename T>
struct RowsRequest {
  int64_t n, rows;
  RowLayout<const T*> input;
  RowLayout<T*> output;  // the same array as `input`, or no overlap with it
  bool inverse = false;  // inverse transforms are scaled by 1 / n
};

// Calls visit(element * width + lane, address) for all elements of a group of rows, in an order in
// which adjacent elements in memory follow each other.
template <typename Pointer, typename Visit>
HLOCTS_INLINE void ForEachLane(const RowLayout<Pointer>& rows, int64_t first, int64_t count,
                               int64_t n, int64_t width, Visit visit) {
  Pointer at = rows.data + 2 * first * rows.row;
  if (rows.row == 1 && count == width) {
    for (int64_t i = 0; i < n; ++i) {
      Pointer x = at + 2 * i * rows.element;
      HLOCTS_UNROLL for (int64_t l = 0; l < width; ++l) visit(i * width + l, x + 2 * l);
    }
    return;
  }
  for (int64_t l = 0; l < count; ++l) {
    Pointer x = at + 2 * l * rows.row;
    for (int64_t i = 0; i < n; ++i) visit(i * width + l, x + 2 * i * rows.element);
  }
}

// Transforms rows [first, first + count), one in each lane of V. An inverse transform is a forward
// transform with real and imaginary parts exchanged.
template <typename V, typename T>
void RunGroup(const FftPlan<T>& plan, const RowsRequest<T>& r, int64_t first, int64_t count,
              V* memory) {
  constexpr int64_t kWidth = sizeof(V) / sizeof(T);
  const int64_t n = r.n;
  SplitComplex<V> data = {memory, memory + n}, other = {memory + 2 * n, memory + 3 * n};
  T *re = reinterpret_cast<T*>(data.re), *im = reinterpret_cast<T*>(data.im);
  if (r.inverse) std::swap(re, im);
  if (count < kWidth) std::memset(memory, 0, 2 * n * sizeof(V));
  ForEachLane(r.input, first, count, n, kWidth, [=](int64_t at, const T* x) HWY_ATTR {
    re[at] = x[0];
    im[at] = x[1];
  });
  data = RunPasses<V, T>(plan, data, other);
  re = reinterpret_cast<T*>(data.re), im = reinterpret_cast<T*>(data.im);
  if (r.inverse) std::swap(re, im);
  const T scale = r.inverse ? T(1) / static_cast<T>(n) : T(1);
  ForEachLane(r.output, first, count, n, kWidth, [=](int64_t at, T* x) HWY_ATTR {
    x[0] = re[at] * scale;
    x[1] = im[at] * scale;
  });
}

template <typename V, typename T>
absl::Status RunGroups(const Parallel& parallel, const RowsRequest<T>& r) {
  constexpr int64_t kWidth = sizeof(V) / sizeof(T);
  const auto plan = PlanOfLength<T>(r.n);
  const int64_t bytes = 4 * r.n * static_cast<int64_t>(sizeof(V));
  std::atomic<bool> failed{false};
  const double cost = 2.5 * static_cast<double>(r.n * static_cast<int64_t>(sizeof(V))) / 4;
  parallel.For((r.rows + kWidth - 1) / kWidth, cost, [&](int64_t g, int64_t end) HWY_ATTR {
    const Scratch memory(bytes);
    if (!memory.ok()) failed = true;
    for (; g < end && memory.ok(); ++g) {
      const int64_t first = g * kWidth;
      RunGroup<V, T>(*plan, r, first, std::min(kWidth, r.rows - first), memory.As<V>());
    }
  });
  return failed ? OutOfScratch(bytes) : absl::OkStatus();
}

template <typename T>
absl::Status TransformRows(const Parallel& parallel, const RowsRequest<T>& r);

// Returns the largest divisor of n that does not exceed the square root of n.
inline int64_t SplitFactor(int64_t n) {
  int64_t best = 1;
  for (int64_t f = 1; f * f <= n; ++f) {
    if (n % f == 0) best = f;
  }
  return best;
}

// The factor exp(-2 pi i k j / n) is the product of two table entries: `near` for j % kSplitStep,
// and `far` for the rest of j.
constexpr int64_t kSplitStep = 64;
template <typename T>
struct SplitRoots {
  std::vector<std::complex<T>> near, far;
};
template <typename T>
std::shared_ptr<const SplitRoots<T>> SplitRootsOf(int64_t n, int64_t n1, int64_t n2) {
  static auto* cache = new FftCache<SplitRoots<T>>();
  return cache->Get(n, [=]() HWY_ATTR {
    auto roots = std::make_shared<SplitRoots<T>>();
    for (int64_t k = 0; k < n1; ++k) {
      for (int64_t j = 0; j < kSplitStep; ++j) roots->near.push_back(Root<T>(k * j, n));
      for (int64_t j = 0; j < n2; j += kSplitStep) roots->far.push_back(Root<T>(k * j, n));
    }
    return roots;
  });
}

// Multiplies the complex numbers x[j] by near[j] * far, or by its conjugate if `conjugate`.
template <typename T>
void MultiplyRoots(const std::complex<T>* near, const std::complex<T>& far, bool conjugate,
                   int64_t count, T* __restrict x) {
  const T* __restrict roots = reinterpret_cast<const T*>(near);
  const T far_re = far.real(), far_im = far.imag(), sign = conjugate ? -1 : 1;
  for (int64_t j = 0; j < count; ++j) {
    const T re = roots[2 * j] * far_re - roots[2 * j + 1] * far_im;
    const T im = sign * (roots[2 * j] * far_im + roots[2 * j + 1] * far_re);
    const T x_re = x[2 * j], x_im = x[2 * j + 1];
    x[2 * j] = x_re * re - x_im * im;
    x[2 * j + 1] = x_re * im + x_im * re;
  }
}

// Transforms one row as a matrix [n1, n2].
template <typename T>
absl::Status SplitRow(const Parallel& parallel, const RowsRequest<T>& r, int64_t row) {
  const int64_t n1 = SplitFactor(r.n), n2 = r.n / n1;
  const int64_t bytes = 2 * r.n * static_cast<int64_t>(sizeof(T));
  const Scratch middle(bytes);
  if (!middle.ok()) return OutOfScratch(bytes);
  T* between = middle.As<T>();
  const T* in = r.input.data + 2 * row * r.input.row;
  T* out = r.output.data + 2 * row * r.output.row;
  const int64_t from = r.input.element, to = r.output.element;
  HLOCTS_RETURN_IF_ERROR(
      TransformRows<T>(parallel, {n1, n2, {in, from, n2 * from}, {between, 1, n2}, r.inverse}));
  const auto roots = SplitRootsOf<T>(r.n, n1, n2);
  const int64_t blocks = (n2 + kSplitStep - 1) / kSplitStep;
  parallel.For(n1, 0.5 * static_cast<double>(n2), [&](int64_t k, int64_t end) HWY_ATTR {
    for (; k < end; ++k) {
      for (int64_t j = 0; j < n2; j += kSplitStep) {
        MultiplyRoots(&roots->near[k * kSplitStep], roots->far[k * blocks + j / kSplitStep],
                      r.inverse, std::min(kSplitStep, n2 - j), between + 2 * (k * n2 + j));
      }
    }
  });
  return TransformRows<T>(parallel, {n2, n1, {between, n2, 1}, {out, to, n1 * to}, r.inverse});
}

// The plan of Bluestein's algorithm, by which the transform becomes a convolution with a chirp. The
// length of the convolution has no large prime factor.
template <typename T>
struct ChirpPlan {
  int64_t length;                            // length of the convolution
  std::vector<std::complex<T>> chirp;        // element k is exp(-i pi k^2 / n)
  std::vector<std::complex<T>> transformed;  // transform, over `length`, of the conjugate chirp
};

// Returns null if memory is exhausted.
template <typename T>
std::shared_ptr<const ChirpPlan<T>> ChirpPlanOf(int64_t n) {
  static auto* cache = new FftCache<ChirpPlan<T>>();
  return cache->Get(n, [n]() HWY_ATTR {
    auto plan = std::make_shared<ChirpPlan<T>>();
    int64_t length = 1;
    while (length < 2 * n - 1) length *= 2;
    plan->length = length;
    for (int64_t k = 0; k < n; ++k) {
      const unsigned __int128 square = static_cast<unsigned __int128>(k) * k;
      plan->chirp.push_back(Root<T>(static_cast<int64_t>(square % (2 * n)), 2 * n));
    }
    std::vector<std::complex<T>>& b = plan->transformed;
    b.resize(length);
    for (int64_t k = 0; k < n; ++k) {
      b[k] = std::conj(plan->chirp[k]) / static_cast<T>(length);  // includes the inverse's scale
      if (k > 0) b[length - k] = b[k];
    }
    T* data = reinterpret_cast<T*>(b.data());
    if (!TransformRows<T>(Parallel(1), {length, 1, {data, length, 1}, {data, length, 1}}).ok())
      plan.reset();
    return plan;
  });
}

template <typename T>
absl::Status ConvolvedRow(const RowsRequest<T>& r, const ChirpPlan<T>& plan, int64_t row) {
  const int64_t bytes = plan.length * 2 * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  T* data = memory.As<T>();
  const RowsRequest<T> inner = {plan.length, 1, {data, plan.length, 1}, {data, plan.length, 1}};
  const T* in = r.input.data + 2 * row * r.input.row;
  T* out = r.output.data + 2 * row * r.output.row;
  std::fill(data + 2 * r.n, data + 2 * plan.length, T(0));
  for (int64_t i = 0; i < r.n; ++i) {
    T re = in[2 * i * r.input.element], im = in[2 * i * r.input.element + 1];
    if (r.inverse) std::swap(re, im);
    MultiplyRoot(re, im, plan.chirp[i]);
    data[2 * i] = re, data[2 * i + 1] = im;
  }
  HLOCTS_RETURN_IF_ERROR(TransformRows(Parallel(1), inner));
  for (int64_t k = 0; k < plan.length; ++k) {
    MultiplyRoot(data[2 * k], data[2 * k + 1], plan.transformed[k]);
    data[2 * k + 1] = -data[2 * k + 1];
  }
  HLOCTS_RETURN_IF_ERROR(TransformRows(Parallel(1), inner));
  const T scale = r.inverse ? T(1) / static_cast<T>(r.n) : T(1);
  for (int64_t i = 0; i < r.n; ++i) {
    T re = data[2 * i], im = -data[2 * i + 1];  // the second transform was that of the conjugate
    MultiplyRoot(re, im, plan.chirp[i]);
    if (r.inverse) std::swap(re, im);
    out[2 * i * r.output.element] = re * scale;
    out[2 * i * r.output.element + 1] = im * scale;
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status TransformRows(const Parallel& parallel, const RowsRequest<T>& r) {
  constexpr int64_t kShortLength = 64;   // shorter rows are not split
  constexpr int64_t kLongLength = 8192;  // several rows of more elements do not fit in the cache
  if (HasLargePrime(r.n)) {
    const auto plan = ChirpPlanOf<T>(r.n);
    if (plan == nullptr) return OutOfScratch(r.n * 8);
    std::atomic<bool> failed{false};
    parallel.For(r.rows, 30.0 * static_cast<double>(r.n), [&](int64_t row, int64_t end) HWY_ATTR {
      for (; row < end; ++row) {
        if (!ConvolvedRow(r, *plan, row).ok()) failed = true;
      }
    });
    return failed ? OutOfScratch(r.n * 8) : absl::OkStatus();
  }
  const bool few = r.rows < kLanes<T> / 2;
  if (r.n >= kShortLength && (few || r.n > kLongLength) && SplitFactor(r.n) > 1) {
    for (int64_t row = 0; row < r.rows; ++row) {
      HLOCTS_RETURN_IF_ERROR(SplitRow(parallel, r, row));
    }
    return absl::OkStatus();
  }
  return few ? RunGroups<T, T>(parallel, r) : RunGroups<Vec<T>, T>(parallel, r);
}

constexpr int64_t kRealElements = 1 << 20;  // complex elements that are processed at a time

// Transforms every dimension but the last in place. For each, `data` is [outer, n, inner].
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

// Calls fill(row, z) for a few rows, transforms them, and calls drain(row, z) for each. z points to
// the n complex numbers of the row.
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

// `in` has the first n / 2 + 1 elements of each row; the others are their conjugates. The imaginary
// parts of the first element and, for even n, of the last one have no effect.
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

absl::Status F32(const Parallel& parallel, const FftRequest& request) {
  return Run<float>(parallel, request);
}
absl::Status F64(const Parallel& parallel, const FftRequest& request) {
  return Run<double>(parallel, request);
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(F32);
HWY_EXPORT(F64);

absl::Status Fft(const Parallel& parallel, const FftRequest& request) {
  if (request.component != PrimitiveType::kF32 && request.component != PrimitiveType::kF64) {
    return Unsupported("fft of ", PrimitiveTypeName(request.component), " is not supported");
  }
  if (request.length.empty() || request.length.size() > 3) {
    return InvalidInput("fft: expected 1 to 3 dimensions, found ", request.length.size());
  }
  int64_t count = 0;
  absl::InlinedVector<int64_t, 6> sizes(request.batch.begin(), request.batch.end());
  sizes.insert(sizes.end(), request.length.begin(), request.length.end());
  HLOCTS_RETURN_IF_ERROR(CountElements(sizes, count));
  if (count == 0) return absl::OkStatus();
  return request.component == PrimitiveType::kF32 ? HWY_DYNAMIC_DISPATCH(F32)(parallel, request)
                                                  : HWY_DYNAMIC_DISPATCH(F64)(parallel, request);
}

}  // namespace hlocts::kernels
#endif
