// SPDX-License-Identifier: Apache-2.0
// Kernels that run programs. Thread i computes element i of the result. F is the type of the
// program: Interpreted, or a type emitted for NVRTC.
//
// g++ (engine cuda-host), nvcc (precompiled kernels) and NVRTC compile the headers of this
// directory. They include no standard header except math.h and do not allocate memory. A block
// kernel has phases with a barrier after each, so that the host can run it thread by thread. A new
// kernel needs a header here, a row in dispatch_names.h, and a test on the host.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_KERNELS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_KERNELS_H_

#include "backends/engine/cuda/device/program.h"

namespace hl {

// A fused loop of element-wise operations.
struct LoopArgs {
  Interpreted body;
  const View* views;
  void* out;
  int type;
  const void* arrays[kArraysMax];
};
template <class F>
HL_FN void LoopAt(const LoopArgs& a, const F& f, i64 i) {
  Value result;
  f.Run(ArrayInputs{a.arrays, a.views, i}, &result);
  Store(a.type, a.out, i, result);
}

// Adjacent elements. Instructions load and store up to 16 bytes of them at a time.
template <int kBytes, int kMaxNeighbours>
struct alignas(kBytes* kMaxNeighbours < 16 ? kBytes * kMaxNeighbours : 16) Pack {
  typename Word<kBytes>::Type words[kMaxNeighbours];
};
template <class P>
HL_FN P PackAt(const void* array, i64 g) {
  return static_cast<const P*>(array)[g];
}
// Loads the last group of an array. Copies of the last element fill an incomplete group.
template <int kBytes, int kMaxNeighbours>
HL_FN void LoadRest(const void* array, i64 g, i64 count, Pack<kBytes, kMaxNeighbours>& pack) {
  HL_UNROLL_ALL
  for (int k = 0; k < kMaxNeighbours; ++k) {
    CopyElement(kBytes, array, Least(g * kMaxNeighbours + k, count - 1), pack.words, k);
  }
}
template <int kBytes, int kMaxNeighbours>
HL_FN void StoreRest(const Pack<kBytes, kMaxNeighbours>& pack, void* array, i64 g, i64 count) {
  HL_UNROLL_ALL
  for (int k = 0; k < kMaxNeighbours; ++k) {
    if (g * kMaxNeighbours + k < count)
      CopyElement(kBytes, pack.words, k, array, g * kMaxNeighbours + k);
  }
}

// The loop of emitted code, which computes kMaxNeighbours adjacent elements at a time. Arrays that
// are read in the order of the result are loaded first (F::Loaded), without branches between loads.
template <int kMaxNeighbours, int kType, int kBytes, class F>
HL_FN void LoopAll(const LoopArgs& a, const F& f, i64 thread, i64 threads, i64 count) {
  for (i64 g = thread; g * kMaxNeighbours < count; g += threads) {
    typename F::Loaded loaded;
    Pack<kBytes, kMaxNeighbours> results;
    const bool whole = (g + 1) * kMaxNeighbours <= count;
    if (whole) {
      f.LoadWhole(a.arrays, g, loaded);
    } else {
      f.LoadCut(a.arrays, g, count, loaded);
    }
    HL_UNROLL_ALL
    for (int k = 0; k < kMaxNeighbours; ++k) {
      Value result;
      f.Run(ArrayInputs{a.arrays, a.views, Least(g * kMaxNeighbours + k, count - 1)}, loaded, k,
            &result);
      Store(kType, results.words, k, result);
    }
    if (whole) {
      static_cast<Pack<kBytes, kMaxNeighbours>*>(a.out)[g] = results;
    } else {
      StoreRest(results, a.out, g, count);
    }
  }
}

// reduce: folds the terms of each result in row-major order. init is the first left operand.
struct ReduceArgs {
  Interpreted body;
  int arrays, reserved;
  View kept, reduced;
  i64 terms;
  int types[kPlacesMax];
  const void* in[kPlacesMax];
  const void* init[kPlacesMax];
  void* out[kPlacesMax];
};
template <class F>
HL_FN void ReduceAt(const ReduceArgs& a, const F& f, i64 i) {
  const int arrays = f.Arrays(a.arrays);
  Value operands[2 * kPlacesMax], results[kPlacesMax];
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) operands[k] = Load(f.ArrayType(a.types, k), a.init[k], 0);
  const i64 base = OffsetOf(a.kept, i);
  Cursor cursor(a.reduced);
  for (i64 t = 0; t < a.terms; ++t) {
    HL_UNROLL_ALL
    for (int k = 0; k < arrays; ++k) {
      operands[arrays + k] = Load(f.ArrayType(a.types, k), a.in[k], base + cursor.at);
    }
    f.Call(operands, results);
    HL_UNROLL_ALL
    for (int k = 0; k < arrays; ++k) operands[k] = results[k];
    cursor.Advance(a.reduced);
  }
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) Store(f.ArrayType(a.types, k), a.out[k], i, operands[k]);
}

// Iterates over the elements of one window. Skips taps in padding and between dilated elements.
struct WindowCursor {
  i64 start[kRankMax], tap[kRankMax];
  i64 at;
  bool more;

  HL_FN WindowCursor(const WindowShape& w, i64 number) : at(0), more(true) {
    for (int d = w.rank - 1; d >= 0; --d) {
      const WindowAxis& axis = w.axes[d];
      start[d] = number % axis.positions * axis.stride - axis.low;
      number /= axis.positions;
      tap[d] = 0;
      more = more && axis.size > 0;
    }
    if (more && !Place(w)) Next(w);
  }
  // Returns true if the tap is on an element, and sets `at` to the element's offset.
  HL_FN bool Place(const WindowShape& w) {
    at = 0;
    for (int d = 0; d < w.rank; ++d) {
      const WindowAxis& axis = w.axes[d];
      const i64 place = start[d] + tap[d] * axis.window_dilation;
      if (place < 0 || place % axis.base_dilation != 0) return false;
      if (place / axis.base_dilation >= axis.base) return false;
      at += place / axis.base_dilation * axis.base_stride;
    }
    return true;
  }
  HL_FN void Next(const WindowShape& w) {
    while (true) {
      int d = w.rank - 1;
      for (; d >= 0; --d) {
        if (++tap[d] < w.axes[d].size) break;
        tap[d] = 0;
      }
      if (d < 0) {
        more = false;
        return;
      }
      if (Place(w)) return;
    }
  }
};

struct ReduceWindowArgs {
  Interpreted body;
  int arrays, reserved;
  WindowShape window;
  int types[kPlacesMax];
  const void* in[kPlacesMax];
  const void* init[kPlacesMax];
  void* out[kPlacesMax];
};
template <class F>
HL_FN void ReduceWindowAt(const ReduceWindowArgs& a, const F& f, i64 i) {
  const int arrays = f.Arrays(a.arrays);
  Value operands[2 * kPlacesMax], results[kPlacesMax];
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) operands[k] = Load(f.ArrayType(a.types, k), a.init[k], 0);
  const WindowShape& window = f.Window(a.window);
  for (WindowCursor cursor(window, i); cursor.more; cursor.Next(window)) {
    HL_UNROLL_ALL
    for (int k = 0; k < arrays; ++k) {
      operands[arrays + k] = Load(f.ArrayType(a.types, k), a.in[k], cursor.at);
    }
    f.Call(operands, results);
    HL_UNROLL_ALL
    for (int k = 0; k < arrays; ++k) operands[k] = results[k];
  }
  HL_UNROLL_ALL
  for (int k = 0; k < arrays; ++k) Store(f.ArrayType(a.types, k), a.out[k], i, operands[k]);
}

// The first kernel of select-and-scatter. It finds the element that each window selects, or -1 if
// the window has no element. The kernels of scatter.h then combine the source elements.
struct SelectArgs {
  Interpreted body;
  WindowShape window;
  int type, narrow;  // narrow: see StoreTarget
  const void* operand;
  void* selected;
};
template <class F>
HL_FN void SelectAt(const SelectArgs& a, const F& f, i64 i) {
  i64 best = -1;
  Value pair[2], keeps;
  const WindowShape& window = f.Window(a.window);
  for (WindowCursor cursor(window, i); cursor.more; cursor.Next(window)) {
    if (best >= 0) {
      pair[0] = Load(f.ArrayType(&a.type, 0), a.operand, best);
      pair[1] = Load(f.ArrayType(&a.type, 0), a.operand, cursor.at);
      f.Call(pair, &keeps);
      if (keeps.u != 0) continue;
    }
    best = cursor.at;
  }
  StoreTarget(a.selected, a.narrow, i, best);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_KERNELS_H_
