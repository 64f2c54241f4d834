// SPDX-License-Identifier: Apache-2.0
// Finds the first k elements of each row in total order, with a block for each row. The k-th key is
// determined digit by digit, by counting keys. Then the elements with keys up to the k-th one are
// written in the order of their positions.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_TOP_K_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_TOP_K_H_

#include "backends/engine/cuda/device/block_reduce.h"
#include "backends/engine/cuda/device/library_steps.h"

namespace hl {

constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;

struct TopKArgs {
  NoProgram body;
  int type, descending, phases, reserved;
  i64 size, k;  // 0 < k <= size
  const void* in;
  void* values;    // [rows, k]
  i64* positions;  // [rows, k]
};
HL_FN int DigitsOf(int type) { return (BitsOf(type) + kDigitBits - 1) / kDigitBits; }
HL_FN int TopKPhases(int type) { return 3 * DigitsOf(type) + 3; }

// The shared memory of a block. `prefix` has the known digits of the k-th key. `wanted` is the
// number of keys with this prefix that are among the first k. `counts` has the frequency of each
// next digit. `smaller` and `equal` have for each thread's part of the row the number of keys that
// are smaller than, or equal to, the k-th key.
struct TopKMemory {
  u64* prefix;
  i64* wanted;
  u32* counts;
  i64 *smaller, *equal;
  HL_FN explicit TopKMemory(Value* shared)
      : prefix(&shared[0].u),
        wanted(&shared[1].s),
        counts(reinterpret_cast<u32*>(shared + 2)),
        smaller(reinterpret_cast<i64*>(shared + 2 + kDigits / 4)),
        equal(smaller + kBlockThreads) {}
};
static_assert(2 + kDigits / 4 + kBlockThreads <= kBlockThreads * kSharedPlaces, "shared memory");

HL_FN u64 TopKKey(const TopKArgs& a, i64 row, i64 p) {
  return SortKey(a.type, a.descending != 0, false, false, Load(a.type, a.in, row * a.size + p));
}
HL_FN void CountOne(u32* count) {
#ifdef __CUDACC__
  atomicAdd(count, 1u);
#else
  ++*count;
#endif
}

// Counts how often each digit occurs at bit `shift` of keys with the known prefix.
HL_FN void CountDigits(const TopKArgs& a, const TopKMemory& m, i64 row, int shift, bool first,
                       int thread) {
  for (i64 p = thread; p < a.size; p += kBlockThreads) {
    const u64 key = TopKKey(a, row, p);
    // Shifts in two steps, because a shift by 64 is undefined.
    const bool alike = first || (key ^ *m.prefix) >> shift >> kDigitBits == 0;
    if (alike) CountOne(m.counts + (key >> shift & (kDigits - 1)));
  }
}
HL_FN void ChooseDigit(const TopKMemory& m, int shift) {
  int digit = 0;
  while (*m.wanted > m.counts[digit]) *m.wanted -= m.counts[digit++];
  *m.prefix |= static_cast<u64>(digit) << shift;
}

// The part of a row that a thread processes. It is contiguous, so positions remain in order.
struct TopKPart {
  i64 begin, end;
  HL_FN TopKPart(const TopKArgs& a, int thread) {
    const i64 each = (a.size + kBlockThreads - 1) / kBlockThreads;
    begin = each * thread < a.size ? each * thread : a.size;
    end = begin + each < a.size ? begin + each : a.size;
  }
};
HL_FN void CountPart(const TopKArgs& a, const TopKMemory& m, i64 row, int thread) {
  const TopKPart part(a, thread);
  i64 smaller = 0, equal = 0;
  for (i64 p = part.begin; p < part.end; ++p) {
    const u64 key = TopKKey(a, row, p);
    smaller += key < *m.prefix;
    equal += key == *m.prefix;
  }
  m.smaller[thread] = smaller;
  m.equal[thread] = equal;
}
HL_FN void SumParts(const TopKMemory& m) {
  i64 smaller = 0, equal = 0;
  for (int t = 0; t < kBlockThreads; ++t) {
    const i64 mine = m.smaller[t], same = m.equal[t];
    m.smaller[t] = smaller;
    m.equal[t] = equal;
    smaller += mine;
    equal += same;
  }
}
HL_FN void WritePart(const TopKArgs& a, const TopKMemory& m, i64 row, int thread) {
  const TopKPart part(a, thread);
  i64 equal = m.equal[thread];
  i64 at = m.smaller[thread] + (equal < *m.wanted ? equal : *m.wanted);
  for (i64 p = part.begin; p < part.end; ++p) {
    const u64 key = TopKKey(a, row, p);
    if (key > *m.prefix || (key == *m.prefix && equal++ >= *m.wanted)) continue;
    a.positions[row * a.k + at] = p;
    CopyElement(BytesOf(a.type), a.in, row * a.size + p, a.values, row * a.k + at);
    ++at;
  }
}

template <class F>
HL_FN void TopKAt(const TopKArgs& a, const F&, Value* shared, i64 row, int phase, int thread) {
  const TopKMemory m(shared);
  const int digits = DigitsOf(a.type), step = phase - 3 * digits;
  if (step < 0) {
    const int shift = (digits - 1 - phase / 3) * kDigitBits;
    if (phase % 3 == 0) m.counts[thread] = 0;
    if (phase == 0 && thread == 0) {
      *m.prefix = 0;
      *m.wanted = a.k;
    }
    if (phase % 3 == 1) CountDigits(a, m, row, shift, phase == 1, thread);
    if (phase % 3 == 2 && thread == 0) ChooseDigit(m, shift);
    return;
  }
  if (step == 0) CountPart(a, m, row, thread);
  if (step == 1 && thread == 0) SumParts(m);
  if (step == 2) WritePart(a, m, row, thread);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_TOP_K_H_
