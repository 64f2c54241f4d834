// SPDX-License-Identifier: Apache-2.0
// Kernels for rows that fit in the registers of a block's threads. The kernels of block_rows.h read
// an array again for each part. These kernels read each array of a row from memory once, and do not
// write values that only the row needs. Both apply operations in the same order. Only emitted code
// uses these kernels. F has LoadHeld and StoreHeld. R has a thread's register arrays.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_HELD_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_HELD_H_

#include "backends/engine/cuda/device/block_rows.h"

// Declares variables that a thread keeps across barriers. On the host there is one per thread.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HL_ROW_REGISTERS(Type, name) Type name
#define HL_THREAD_REGISTERS(name) name
#else
#define HL_ROW_REGISTERS(Type, name) Type name[hl::kBlockThreads]
#define HL_THREAD_REGISTERS(name) name[thread]
#endif

namespace hl {

// A row of kColumns elements as groups of kMaxNeighbours elements. Each thread has kHeld groups,
// which are kBlockThreads groups apart.
template <i64 kColumns, int kMaxNeighbours>
struct HeldShape {
  static constexpr i64 kGroups = kColumns / kMaxNeighbours;
  static constexpr int kHeld = static_cast<int>((kGroups + kBlockThreads - 1) / kBlockThreads);
  HL_FN static bool Has(int u, int thread) {
    return (u + 1) * kBlockThreads <= kGroups || u * kBlockThreads + thread < kGroups;
  }
};

// Computes a thread's terms. All loads are issued before the first term is computed.
template <class S, class F, class R>
HL_FN void HeldTerms(const RowPart& part, const F& f, i64 row, int thread, R& held, Value* terms) {
  typename F::Loaded loaded[S::kHeld];
  const i64 first = row * S::kGroups + thread;
  HL_UNROLL_ALL
  for (int u = 0; u < S::kHeld; ++u) {
    if (S::Has(u, thread)) f.LoadHeld(part.arrays, first + u * kBlockThreads, u, held, loaded[u]);
  }
  HL_UNROLL_ALL
  for (int u = 0; u < S::kHeld; ++u) {
    if (!S::Has(u, thread)) continue;
    HL_UNROLL_ALL
    for (int k = 0; k < F::kMaxNeighbours; ++k) {
      const i64 at = (first + u * kBlockThreads) * F::kMaxNeighbours + k;
      f.Terms(ArrayInputs{part.arrays, part.views, at}, loaded[u], k,
              terms + u * F::kMaxNeighbours + k);
    }
  }
}

// Folds a thread's share of a reduction's terms. RowReduce combines the shares.
template <class S, class F, class R>
HL_FN void HeldFold(const RowPart& part, const F& f, Value* shared, i64 row, int thread, R& held) {
  Value terms[S::kHeld * F::kMaxNeighbours];
  HeldTerms<S>(part, f, row, thread, held, terms);
  if (!S::Has(0, thread)) return;
  Value sum = terms[0];
  HL_UNROLL_ALL
  for (int k = 1; k < S::kHeld * F::kMaxNeighbours; ++k) {
    if (S::Has(k / F::kMaxNeighbours, thread)) sum = Combined(f, sum, terms[k]);
  }
  shared[thread] = sum;
}
template <class S, class F>
HL_FN void HeldTotal(const RowPart& part, const F& f, Value* shared, i64 row, int thread) {
  RowReduce(part, f, S::kGroups * F::kMaxNeighbours, shared, row, 1, thread);
}

template <class S, class F, class R>
HL_FN void HeldLoop(const RowPart& part, const F& f, i64 row, int thread, R& held) {
  Value values[S::kHeld * F::kMaxNeighbours];
  HeldTerms<S>(part, f, row, thread, held, values);
  HL_UNROLL_ALL
  for (int u = 0; u < S::kHeld; ++u) {
    if (!S::Has(u, thread)) continue;
    f.StoreHeld(part.out, row * S::kGroups + thread + u * kBlockThreads, u, held,
                values + u * F::kMaxNeighbours);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_HELD_H_
