// SPDX-License-Identifier: Apache-2.0
// Groups of transforms side by side: loading them into lanes and storing them, in any two strides.
// Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_LANES_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_LANES_ISA_H_

#include <array>
#include <utility>

#include "backends/engine/cpu/kernels/fft/fft_passes_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Element i of the transform in lane l is complex number l * lane + i * element.
template <typename Pointer>
struct LaneLayout {
  Pointer data;  // to real numbers: re, im, re, im, ...
  int64_t lane, element;
};

template <typename T, size_t... kIndex, typename Pick>
HLOCTS_INLINE Vec<T> Shuffle(const Vec<T>& a, const Vec<T>& b, std::index_sequence<kIndex...>,
                             Pick) {
  return __builtin_shufflevector(a, b, Pick::Of(kIndex)...);
}

// Even (odd) elements of the 2 W numbers a, b, and the interleaving back.
template <int kOdd>
struct PickParity {
  static constexpr int Of(int i) { return 2 * i + kOdd; }
};
template <int kWidth, int kHigh>
struct PickInterleaved {
  static constexpr int Of(int i) { return i / 2 + kHigh * kWidth / 2 + (i % 2) * kWidth; }
};
// One step of transposing: 2x2 blocks of `kStep` lanes.
template <int kWidth, int kStep, int kHigh>
struct PickBlock {
  static constexpr int Of(int i) {
    return (i & kStep) == 0 ? i + kHigh * kStep : i - (1 - kHigh) * kStep + kWidth;
  }
};

template <typename T, int kStep>
HLOCTS_INLINE void TransposeStep(Vec<T>* rows) {
  constexpr int kWidth = kLanes<T>;
  if constexpr (kStep < kWidth) {
    constexpr auto kIndices = std::make_index_sequence<kWidth>();
    HLOCTS_UNROLL for (int i = 0; i < kWidth; ++i) {
      if ((i & kStep) != 0) continue;
      const Vec<T> a = rows[i], b = rows[i + kStep];
      rows[i] = Shuffle<T>(a, b, kIndices, PickBlock<kWidth, kStep, 0>());
      rows[i + kStep] = Shuffle<T>(a, b, kIndices, PickBlock<kWidth, kStep, 1>());
    }
    TransposeStep<T, kStep * 2>(rows);
  }
}

// W interleaved complex numbers at `from`.
template <typename T>
HLOCTS_INLINE void LoadComplex(const T* from, Vec<T>& re, Vec<T>& im) {
  constexpr auto kIndices = std::make_index_sequence<kLanes<T>>();
  const Vec<T> a = Load(from), b = Load(from + kLanes<T>);
  re = Shuffle<T>(a, b, kIndices, PickParity<0>());
  im = Shuffle<T>(a, b, kIndices, PickParity<1>());
}

template <typename T>
HLOCTS_INLINE void StoreComplex(T* to, const Vec<T>& re, const Vec<T>& im) {
  constexpr int kWidth = kLanes<T>;
  constexpr auto kIndices = std::make_index_sequence<kWidth>();
  Store(to, Shuffle<T>(re, im, kIndices, PickInterleaved<kWidth, 0>()));
  Store(to + kWidth, Shuffle<T>(re, im, kIndices, PickInterleaved<kWidth, 1>()));
}

// Lanes one by one; lanes from `lanes` on are zero.
template <typename T>
void LoadSlowly(const LaneLayout<const T*>& from, int64_t begin, int64_t end, int lanes,
                SplitComplex<Vec<T>> to) {
  for (int64_t i = begin; i < end; ++i) {
    T re[kLanes<T>] = {}, im[kLanes<T>] = {};
    for (int l = 0; l < lanes; ++l) {
      const T* x = from.data + 2 * (l * from.lane + i * from.element);
      re[l] = x[0], im[l] = x[1];
    }
    to.re[i] = Load(re);
    to.im[i] = Load(im);
  }
}

template <typename T>
void StoreSlowly(SplitComplex<Vec<T>> from, int64_t begin, int64_t end, int lanes,
                 const LaneLayout<T*>& to) {
  for (int64_t i = begin; i < end; ++i) {
    T re[kLanes<T>], im[kLanes<T>];
    Store(re, from.re[i]);
    Store(im, from.im[i]);
    for (int l = 0; l < lanes; ++l) {
      T* x = to.data + 2 * (l * to.lane + i * to.element);
      x[0] = re[l], x[1] = im[l];
    }
  }
}

template <typename T>
void LoadLanes(const LaneLayout<const T*>& from, int64_t n, int lanes, SplitComplex<Vec<T>> to) {
  constexpr int kWidth = kLanes<T>;
  int64_t i = 0;
  if (lanes == kWidth && from.lane == 1) {
    for (; i < n; ++i) LoadComplex(from.data + 2 * i * from.element, to.re[i], to.im[i]);
  } else if (lanes == kWidth && from.element == 1) {
    for (; i + kWidth <= n; i += kWidth) {
      for (int l = 0; l < kWidth; ++l) {
        LoadComplex(from.data + 2 * (l * from.lane + i), to.re[i + l], to.im[i + l]);
      }
      TransposeStep<T, 1>(to.re + i);
      TransposeStep<T, 1>(to.im + i);
    }
  }
  LoadSlowly(from, i, n, lanes, to);
}

// May use `from` as working memory.
template <typename T>
void StoreLanes(SplitComplex<Vec<T>> from, int64_t n, int lanes, const LaneLayout<T*>& to) {
  constexpr int kWidth = kLanes<T>;
  int64_t i = 0;
  if (lanes == kWidth && to.lane == 1) {
    for (; i < n; ++i) StoreComplex<T>(to.data + 2 * i * to.element, from.re[i], from.im[i]);
  } else if (lanes == kWidth && to.element == 1) {
    for (; i + kWidth <= n; i += kWidth) {
      TransposeStep<T, 1>(from.re + i);
      TransposeStep<T, 1>(from.im + i);
      for (int l = 0; l < kWidth; ++l) {
        StoreComplex<T>(to.data + 2 * (l * to.lane + i), from.re[i + l], from.im[i + l]);
      }
    }
  }
  StoreSlowly(from, i, n, lanes, to);
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_FFT_FFT_LANES_ISA_H_
