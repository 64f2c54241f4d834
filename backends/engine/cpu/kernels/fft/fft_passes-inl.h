// SPDX-License-Identifier: Apache-2.0
// The passes of a mixed-radix transform. Each lane of a vector may have a different transform. Real
// and imaginary parts are separate arrays. A pass writes to another array, and keeps the elements
// in order. V is T or a vector of T.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_PASSES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_PASSES_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_PASSES_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_PASSES_INL_H_
#endif

#include <utility>

#include "backends/engine/cpu/kernels/fft/fft_plan.h"
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

// Arrays of the real parts and of the imaginary parts.
template <typename V>
struct SplitComplex {
  V* re;
  V* im;
};

template <int kRadix, typename V, typename T>
HLOCTS_INLINE void Butterfly(V* re, V* im) {
  if constexpr (kRadix == 2) {
    const V r = re[0] - re[1], i = im[0] - im[1];
    re[0] = re[0] + re[1], im[0] = im[0] + im[1];
    re[1] = r, im[1] = i;
  } else if constexpr (kRadix == 3) {
    constexpr T kSin = static_cast<T>(0.866025403784438646763723170752936183L);
    const V sr = re[1] + re[2], si = im[1] + im[2];
    const V dr = (re[1] - re[2]) * kSin, di = (im[1] - im[2]) * kSin;
    const V mr = re[0] - sr * T(0.5), mi = im[0] - si * T(0.5);
    re[0] = re[0] + sr, im[0] = im[0] + si;
    re[1] = mr + di, im[1] = mi - dr;
    re[2] = mr - di, im[2] = mi + dr;
  } else if constexpr (kRadix == 4) {
    const V ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
    const V cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];
    re[0] = ar + cr, im[0] = ai + ci;
    re[1] = br + di, im[1] = bi - dr;
    re[2] = ar - cr, im[2] = ai - ci;
    re[3] = br - di, im[3] = bi + dr;
  } else {
    static_assert(kRadix == 5);
    constexpr T kC1 = static_cast<T>(0.309016994374947424102293417182819059L);
    constexpr T kC2 = static_cast<T>(-0.809016994374947424102293417182819059L);
    constexpr T kS1 = static_cast<T>(0.951056516295153572116439333379382143L);
    constexpr T kS2 = static_cast<T>(0.587785252292473129168705954639072769L);
    const V ar = re[1] + re[4], ai = im[1] + im[4], br = re[1] - re[4], bi = im[1] - im[4];
    const V cr = re[2] + re[3], ci = im[2] + im[3], dr = re[2] - re[3], di = im[2] - im[3];
    const V er = re[0] + ar * kC1 + cr * kC2, ei = im[0] + ai * kC1 + ci * kC2;
    const V fr = re[0] + ar * kC2 + cr * kC1, fi = im[0] + ai * kC2 + ci * kC1;
    const V gr = br * kS1 + dr * kS2, gi = bi * kS1 + di * kS2;
    const V hr = br * kS2 - dr * kS1, hi = bi * kS2 - di * kS1;
    re[0] = re[0] + ar + cr, im[0] = im[0] + ai + ci;
    re[1] = er + gi, im[1] = ei - gr;
    re[4] = er - gi, im[4] = ei + gr;
    re[2] = fr + hi, im[2] = fi - hr;
    re[3] = fr - hi, im[3] = fi + hr;
  }
}

template <typename V, typename T>
HLOCTS_INLINE void MultiplyRoot(V& re, V& im, std::complex<T> w) {
  const V r = re * w.real() - im * w.imag();
  im = re * w.imag() + im * w.real();
  re = r;
}

// Computes to[q + s (radix p + k)], the butterfly over j of from[q + s (p + j m)] times the twiddle
// of (p, k), for p < m and q < s. `s` is the product of the radices of earlier stages.
template <int kRadix, typename V, typename T>
void FixedPass(const FftStage<T>& stage, int64_t s, SplitComplex<V> from, SplitComplex<V> to) {
  const int64_t m = stage.m;
  for (int64_t p = 0; p < m; ++p) {
    std::complex<T> w[kRadix - 1];
    for (int k = 0; k < kRadix - 1; ++k) w[k] = stage.twiddles[p * (kRadix - 1) + k];
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t q = 0; q < s; ++q) {
      V re[kRadix], im[kRadix];
      HLOCTS_UNROLL for (int j = 0; j < kRadix; ++j) {
        re[j] = from.re[q + s * (p + j * m)];
        im[j] = from.im[q + s * (p + j * m)];
      }
      Butterfly<kRadix, V, T>(re, im);
      HLOCTS_UNROLL for (int k = 0; k < kRadix; ++k) {
        if (k > 0) MultiplyRoot(re[k], im[k], w[k > 0 ? k - 1 : 0]);
        to.re[q + s * (kRadix * p + k)] = re[k];
        to.im[q + s * (kRadix * p + k)] = im[k];
      }
    }
  }
}

template <typename V, typename T>
void AnyPass(const FftStage<T>& stage, int64_t s, SplitComplex<V> from, SplitComplex<V> to) {
  const int64_t m = stage.m, radix = stage.radix;
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < s; ++q) {
      for (int64_t k = 0; k < radix; ++k) {
        V re = from.re[q + s * p], im = from.im[q + s * p];
        for (int64_t j = 1; j < radix; ++j) {
          V xr = from.re[q + s * (p + j * m)], xi = from.im[q + s * (p + j * m)];
          MultiplyRoot(xr, xi, stage.roots[j * k % radix]);
          re = re + xr;
          im = im + xi;
        }
        if (k > 0) MultiplyRoot(re, im, stage.twiddles[p * (radix - 1) + k - 1]);
        to.re[q + s * (radix * p + k)] = re;
        to.im[q + s * (radix * p + k)] = im;
      }
    }
  }
}

// Transforms `data` forward. Returns `data` or `other`, whichever has the result.
template <typename V, typename T>
SplitComplex<V> RunPasses(const FftPlan<T>& plan, SplitComplex<V> data, SplitComplex<V> other) {
  int64_t s = 1;
  for (const FftStage<T>& stage : plan.stages) {
    switch (stage.radix) {
      case 2:
        FixedPass<2>(stage, s, data, other);
        break;
      case 3:
        FixedPass<3>(stage, s, data, other);
        break;
      case 4:
        FixedPass<4>(stage, s, data, other);
        break;
      case 5:
        FixedPass<5>(stage, s, data, other);
        break;
      default:
        AnyPass(stage, s, data, other);
        break;
    }
    s *= stage.radix;
    std::swap(data, other);
  }
  return data;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_PASSES_INL_H_
