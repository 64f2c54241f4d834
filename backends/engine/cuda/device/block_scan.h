// SPDX-License-Identifier: Apache-2.0
// Inclusive scans along the second dimension of [outer, size, inner]. A line is divided into
// chunks. Kernels compute the total of each chunk, scan the totals, and then scan each chunk,
// beginning with the scanned total of the chunks before it.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_SCAN_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_SCAN_H_

#include "backends/engine/cuda/device/block_reduce.h"

namespace hl {

constexpr int kScanItems = 8;  // number of elements of a thread
constexpr int kScanChunk = kScanItems * kBlockThreads;
constexpr int kScanSteps = 8;  // doublings until a sum can cover all threads of a block

enum ScanStage : int {
  kScanTotals,   // computes the total of each chunk of `in`
  kScanResults,  // computes `out` from `in` and `carries`
};

struct ScanArgs {
  Interpreted body;
  int type, stage, phases;
  int reversed;               // 1 if lines are scanned from the end
  int values_in, values_out;  // 1 if elements are Values, as totals are
  i64 lines, size, inner, chunks;
  const void* in;
  const void* init;      // null if there is none
  const Value* carries;  // scanned totals of each line; null if there is one chunk
  void* out;
};

HL_FN i64 ScanPlace(const ScanArgs& a, i64 line, i64 p) {
  const i64 place = a.reversed != 0 ? a.size - 1 - p : p;
  return (line / a.inner * a.size + place) * a.inner + line % a.inner;
}
template <class F>
HL_FN Value ScanLoad(const ScanArgs& a, const F& f, i64 line, i64 p) {
  const i64 at = ScanPlace(a, line, p);
  return a.values_in != 0 ? static_cast<const Value*>(a.in)[at]
                          : Load(f.ArrayType(&a.type, 0), a.in, at);
}
template <class F>
HL_FN void ScanStore(const ScanArgs& a, const F& f, i64 line, i64 p, Value x) {
  const i64 at = ScanPlace(a, line, p);
  if (a.values_out != 0) {
    static_cast<Value*>(a.out)[at] = x;
  } else {
    if (a.init != nullptr) x = Combined(f, Load(f.ArrayType(&a.type, 0), a.init, 0), x);
    Store(f.ArrayType(&a.type, 0), a.out, at, x);
  }
}

// `shared` has two arrays with a value for each thread. A doubling reads one and writes the other.
template <class F>
HL_FN void ScanBlockAt(const ScanArgs& a, const F& f, Value* shared, i64 block, int phase,
                       int thread) {
  const i64 line = block / a.chunks, chunk = block % a.chunks;
  const i64 begin = chunk * kScanChunk + static_cast<i64>(thread) * kScanItems;
  const i64 end = begin + kScanItems < a.size ? begin + kScanItems : a.size;
  if (begin >= end) return;
  if (phase == 0) {
    Value sum = ScanLoad(a, f, line, begin);
    for (i64 p = begin + 1; p < end; ++p) sum = Combined(f, sum, ScanLoad(a, f, line, p));
    shared[thread] = sum;
    return;
  }
  if (phase <= kScanSteps) {
    const int step = 1 << (phase - 1);
    const Value* from = shared + (phase - 1) % 2 * kBlockThreads;
    Value* to = shared + phase % 2 * kBlockThreads;
    to[thread] = thread >= step ? Combined(f, from[thread - step], from[thread]) : from[thread];
    return;
  }
  // The number of doublings is even, so the sums are in the first array.
  const bool last = thread == kBlockThreads - 1 || begin + kScanItems >= a.size;
  if (a.stage == kScanTotals) {
    if (last) static_cast<Value*>(a.out)[line * a.chunks + chunk] = shared[thread];
    return;
  }
  const bool carried = chunk > 0 && a.carries != nullptr;
  Value sum;
  if (carried) sum = a.carries[line * a.chunks + chunk - 1];
  if (thread > 0) sum = carried ? Combined(f, sum, shared[thread - 1]) : shared[thread - 1];
  bool any = carried || thread > 0;
  for (i64 p = begin; p < end; ++p) {
    const Value x = ScanLoad(a, f, line, p);
    sum = any ? Combined(f, sum, x) : x;
    any = true;
    ScanStore(a, f, line, p, sum);
  }
}

// Scans one line with one thread. Is used if there are many lines.
template <class F>
HL_FN void ScanLineAt(const ScanArgs& a, const F& f, i64 line) {
  Value sum = ScanLoad(a, f, line, 0);
  ScanStore(a, f, line, 0, sum);
  for (i64 p = 1; p < a.size; ++p) {
    sum = Combined(f, sum, ScanLoad(a, f, line, p));
    ScanStore(a, f, line, p, sum);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_SCAN_H_
