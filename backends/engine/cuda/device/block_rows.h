// SPDX-License-Identifier: Apache-2.0
// Parts (steps) that read only within rows, in a kernel with one block for each row. A part
// reduces a row to one value, computes every element of the row, or computes one value of the row.
// Parts run in order, so a part finds the results of the previous one in the caches.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_ROWS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_ROWS_H_

#include "backends/engine/cuda/device/block_reduce.h"

namespace hl {

constexpr int kRowParts = 6;
constexpr int kRowArrays = 12;
constexpr int kRowPhases = 2;  // phases of a reduction: fold, total; a loop has one phase
constexpr int kWarp = 32;

// A row is divided into groups of `many` adjacent columns. Emitted code first loads the contiguous
// inputs of a group, 16 bytes at a time.
constexpr int kRowMany = 8;  // the maximum of `many`

struct RowPart {
  Interpreted terms, body, finish;  // a loop has `terms` only
  const View* views;
  int is_reduce, init_type, type, many;  // type: the type that is stored
  i64 width;                             // number of elements in a row that a loop computes
  const void* init;
  void* out;
  const void* arrays[kRowArrays];
};

// A part that is interpreted. An emitted part has the same functions, which return constants.
struct InterpretedPart {
  struct Loaded {};
  static constexpr int kMaxNeighbours = kRowMany;  // the maximum of Many()
  static constexpr bool kMayReduce = true, kMayLoop = true;
  const RowPart& part;
  HL_FN bool IsReduce() const { return part.is_reduce != 0; }
  HL_FN int Type() const { return part.type; }
  HL_FN int InitType() const { return part.init_type; }
  HL_FN int Many() const { return part.many; }
  HL_FN void LoadWhole(const void* const*, i64, Loaded&) const {}
  HL_FN void StoreGroup(void* out, i64 g, const Value* values) const {
    for (int k = 0; k < part.many; ++k) Store(part.type, out, g * part.many + k, values[k]);
  }
  HL_FN void Terms(const ArrayInputs& in, const Loaded&, int, Value* results) const {
    part.terms.Run(in, results);
  }
  HL_FN void Call(const Value* in, Value* results) const { part.body.Call(in, results); }
  HL_FN void Finish(const FinishInputs& in, Value* results) const { part.finish.Run(in, results); }
};

// Returns a group of values in the form in which emitted code stores it.
template <int kMaxNeighbours, int kType, int kBytes>
HL_FN Pack<kBytes, kMaxNeighbours> PackOf(const Value* values) {
  Pack<kBytes, kMaxNeighbours> pack;
  HL_UNROLL_ALL
  for (int k = 0; k < kMaxNeighbours; ++k) Store(kType, pack.words, k, values[k]);
  return pack;
}
template <int kMaxNeighbours, int kType, int kBytes>
HL_FN void StorePack(void* out, i64 g, const Value* values) {
  static_cast<Pack<kBytes, kMaxNeighbours>*>(out)[g] =
      PackOf<kMaxNeighbours, kType, kBytes>(values);
}

// Computes the terms of kGroups groups: g, g + kBlockThreads, ... Groups are numbered in all rows.
template <int kGroups, class F>
HL_FN void RowTerms(const RowPart& part, const F& f, i64 g, Value* terms) {
  typename F::Loaded loaded[kGroups];
  HL_UNROLL_ALL
  for (int u = 0; u < kGroups; ++u) f.LoadWhole(part.arrays, g + u * kBlockThreads, loaded[u]);
  HL_UNROLL_ALL
  for (int u = 0; u < kGroups; ++u) {
    HL_UNROLL_ALL
    for (int k = 0; k < f.Many(); ++k) {
      const i64 at = (g + u * kBlockThreads) * f.Many() + k;
      f.Terms(ArrayInputs{part.arrays, part.views, at}, loaded[u], k,
              terms + u * F::kMaxNeighbours + k);
    }
  }
}
// The number of groups whose loads are issued before the first of them is used.
template <class F>
constexpr int kRowGroups =
    HL_LOADS_IN_FLIGHT > F::kMaxNeighbours ? HL_LOADS_IN_FLIGHT / F::kMaxNeighbours : 1;

template <class F>
HL_FN void RowFold(const RowPart& part, const F& f, i64 columns, Value* shared, i64 row,
                   int thread) {
  constexpr int kGroups = kRowGroups<F>;
  const i64 groups = columns / f.Many(), first = row * groups;
  Value terms[kGroups * F::kMaxNeighbours];
  i64 g = thread;
  RowTerms<1>(part, f, first + g, terms);
  Value sum = terms[0];
  HL_UNROLL_ALL
  for (int k = 1; k < f.Many(); ++k) sum = Combined(f, sum, terms[k]);
  g += kBlockThreads;
  if constexpr (kGroups > 1) {
    for (; g + (kGroups - 1) * kBlockThreads < groups; g += kGroups * kBlockThreads) {
      RowTerms<kGroups>(part, f, first + g, terms);
      HL_UNROLL_ALL
      for (int u = 0; u < kGroups; ++u) {
        HL_UNROLL_ALL
        for (int k = 0; k < f.Many(); ++k) sum = Combined(f, sum, terms[u * F::kMaxNeighbours + k]);
      }
    }
  }
  for (; g < groups; g += kBlockThreads) {
    RowTerms<1>(part, f, first + g, terms);
    HL_UNROLL_ALL
    for (int k = 0; k < f.Many(); ++k) sum = Combined(f, sum, terms[k]);
  }
  shared[thread] = sum;
}

// Computes all groups before it stores them, because the result may share an operand's memory.
template <int kGroups, class F>
HL_FN void RowGroups(const RowPart& part, const F& f, i64 g) {
  Value values[kGroups * F::kMaxNeighbours];
  RowTerms<kGroups>(part, f, g, values);
  HL_UNROLL_ALL
  for (int u = 0; u < kGroups; ++u) {
    f.StoreGroup(part.out, g + u * kBlockThreads, values + u * F::kMaxNeighbours);
  }
}
template <class F>
HL_FN void RowLoop(const RowPart& part, const F& f, i64 row, int thread) {
  constexpr int kGroups = kRowGroups<F>;
  const i64 groups = part.width / f.Many(), first = row * groups;
  i64 g = thread;
  if constexpr (kGroups > 1) {
    for (; g + (kGroups - 1) * kBlockThreads < groups; g += kGroups * kBlockThreads) {
      RowGroups<kGroups>(part, f, first + g);
    }
  }
  for (; g < groups; g += kBlockThreads) RowGroups<1>(part, f, first + g);
}

// Combines the values of threads t, t + 32, ... Only the first `filled` threads have values.
template <class F>
HL_FN Value ColumnTotal(const F& f, int filled, const Value* shared, int t) {
  Value sum = shared[t];
  HL_UNROLL_ALL
  for (int k = 1; k < kBlockThreads / kWarp; ++k) {
    if (t + k * kWarp < filled) sum = Combined(f, sum, shared[t + k * kWarp]);
  }
  return sum;
}
#ifdef __CUDA_ARCH__
// On a GPU the first warp's threads exchange values without a barrier. Thread 0 gets the total.
HL_FN u64 ShuffledBits(u64 bits, int step) {
  const u32 low = __shfl_down_sync(0xffffffffu, static_cast<u32>(bits), step);
  return low | static_cast<u64>(__shfl_down_sync(0xffffffffu, static_cast<u32>(bits >> 32), step))
                   << 32;
}
HL_FN Value Shuffled(int type, const Value& v, int step) {
  Value other;
  if (ClassOf(type) == kClassComplex) {
    other.z = {DoubleOfBits(ShuffledBits(BitsOfDouble(v.z.re), step)),
               DoubleOfBits(ShuffledBits(BitsOfDouble(v.z.im), step))};
    return other;
  }
  other.u = ShuffledBits(v.u, step);
  return other;
}
template <class F>
HL_FN Value RowTotal(const F& f, int filled, const Value* shared, int thread) {
  const int lanes = filled < kWarp ? filled : kWarp;
  Value sum = shared[0];
  if (thread < lanes) sum = ColumnTotal(f, filled, shared, thread);
  HL_UNROLL_ALL
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const Value other = Shuffled(f.InitType(), sum, step);
    if (thread < step && thread + step < lanes) sum = Combined(f, sum, other);
  }
  return sum;
}
#else
// On the host thread 0 computes the total in the same order, because threads run one at a time.
template <class F>
HL_FN Value RowTotal(const F& f, int filled, const Value* shared, int thread) {
  if (thread != 0) return shared[0];
  const int lanes = filled < kWarp ? filled : kWarp;
  Value sums[kWarp];
  for (int t = 0; t < lanes; ++t) sums[t] = ColumnTotal(f, filled, shared, t);
  for (int step = kWarp / 2; step > 0; step /= 2) {
    for (int t = 0; t < step && t + step < lanes; ++t) {
      sums[t] = Combined(f, sums[t], sums[t + step]);
    }
  }
  return sums[0];
}
#endif

// The phases of a reduction are: fold, total.
template <class F>
HL_FN void RowReduce(const RowPart& part, const F& f, i64 columns, Value* shared, i64 row,
                     int phase, int thread) {
  if (phase == 0) {
    if (thread < columns / f.Many()) RowFold(part, f, columns, shared, row, thread);
    return;
  }
  if (thread >= kWarp) return;
  const int filled = static_cast<int>(Least(columns / f.Many(), kBlockThreads));
  const Value total = RowTotal(f, filled, shared, thread);
  if (thread == 0) {
    Value value;
    const Value sum = Combined(f, Load(f.InitType(), part.init, 0), total);
    FinishInputs in;
    in.arrays = part.arrays;
    in.views = part.views;
    in.index = row;
    in.values = &sum;
    f.Finish(in, &value);
    Store(f.Type(), part.out, row, value);
  }
}

template <class F>
HL_FN void RowPartAt(const RowPart& part, const F& f, i64 columns, Value* shared, i64 row,
                     int phase, int thread) {
  if constexpr (F::kMayLoop) {
    if (!f.IsReduce()) return RowLoop(part, f, row, thread);
  }
  if constexpr (F::kMayReduce) RowReduce(part, f, columns, shared, row, phase, thread);
}

struct RowArgs;
struct RowPrograms {
  HL_FN void Do(const RowArgs& a, int p, Value* shared, i64 row, int phase, int thread) const;
};
struct RowArgs {
  RowPrograms body;
  int parts, phases;
  int first[kRowParts];  // the first phase of each part
  i64 columns;           // the length of reduced rows
  RowPart part[kRowParts];
};
HL_FN void RowPrograms::Do(const RowArgs& a, int p, Value* shared, i64 row, int phase,
                           int thread) const {
  RowPartAt(a.part[p], InterpretedPart{a.part[p]}, a.columns, shared, row, phase, thread);
}

template <class F>
HL_FN void RowBlockAt(const RowArgs& a, const F& f, Value* shared, i64 row, int phase, int thread) {
  int p = a.parts - 1;
  while (phase < a.first[p]) --p;
  f.Do(a, p, shared, row, phase - a.first[p], thread);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_ROWS_H_
