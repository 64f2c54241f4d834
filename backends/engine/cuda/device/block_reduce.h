// SPDX-License-Identifier: Apache-2.0
// Kernels in which the threads of a block cooperate, in phases with a barrier after each. The host
// can thus run a phase thread by thread. Phases communicate through `shared`. Values are combined
// in a fixed order, so equal arguments give equal bits.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_REDUCE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_REDUCE_H_

#include "backends/engine/cuda/device/kernels.h"

// Executes a statement for each thread of a block, between two barriers.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HL_THREADS(thread) if (const int thread = static_cast<int>(threadIdx.x); true)
#define HL_BARRIER __syncthreads()
#else
#define HL_THREADS(thread) for (int thread = 0; thread < hl::kBlockThreads; ++thread)
#define HL_BARRIER
#endif

namespace hl {

constexpr int kBlockThreads = 256;
constexpr int kSharedPlaces = 4;  // operands of a variadic reduction that blocks support

// The inputs of an epilogue: arrays, and the reduced values as parameters.
struct FinishInputs : ArrayInputs {
  const Value* values;
  HL_FN Value Get(const Instr& n) const {
    return n.op == kOpParameter ? values[n.a] : ArrayInputs::Get(n);
  }
};

// The programs of a reduction: `prologue` computes a term, `body` combines two, and `epilogue`
// computes the results. An emitted program has the same functions, which return constants.
struct ReducePrograms {
  Interpreted prologue, body, epilogue;
  HL_FN int Places(int places) const { return places; }
  HL_FN bool InitFirst(int init_first) const { return init_first != 0; }
  HL_FN int InitType(const int* types, int k) const { return types[k]; }
  HL_FN int Outs(int outs) const { return outs; }
  HL_FN int OutType(const int* types, int k) const { return types[k]; }
  HL_FN i64 Kept(const View& view, i64 i) const { return OffsetOf(view, i); }
  HL_FN i64 Reduced(const View& view, i64 i) const { return OffsetOf(view, i); }
  HL_FN void Terms(const ArrayInputs& in, Value* results) const { prologue.Run(in, results); }
  HL_FN void Call(const Value* in, Value* results) const { body.Call(in, results); }
  HL_FN void Finish(const FinishInputs& in, Value* results) const { epilogue.Run(in, results); }
};

enum ReduceStage : int {
  kReduceWhole,     // combines terms to results
  kReduceSplit,     // combines terms to the partial sums of each split
  kReducePartials,  // combines partial sums to results
};

// 2^lane_bits threads of a block compute one result, whose terms may be split over several blocks.
struct ReduceBlockArgs {
  ReducePrograms body;
  const View* views;
  int places, outs, stage, phases;
  int lane_bits;
  int lane_minor;  // adjacent threads compute the same result; else adjacent results
  int init_first;  // one thread folds all terms, and begins with init
  int reserved;
  i64 results, groups;  // a block computes one of `groups` groups of results
  i64 terms, per_split;
  View kept, reduced;
  int init_types[kSharedPlaces], out_types[kSharedPlaces];
  const void* init[kSharedPlaces];
  void* out[kSharedPlaces];
  Value* partial;  // [(s * results + r) * places + k]: split s, result r, operand k
  const void* arrays[kArraysMax];
};

// The result on which a thread works, and its share of the terms.
struct ReduceLane {
  int lane, lanes, partner;  // partner: the next lane is `partner` threads away
  i64 result, split, begin, end;
  HL_FN ReduceLane(const ReduceBlockArgs& a, i64 block, int thread) {
    lanes = 1 << a.lane_bits;
    const int results = kBlockThreads >> a.lane_bits;
    lane = a.lane_minor != 0 ? thread & (lanes - 1) : thread / results;
    partner = a.lane_minor != 0 ? 1 : results;
    const int within = a.lane_minor != 0 ? thread >> a.lane_bits : thread & (results - 1);
    result = block % a.groups * results + within;
    split = block / a.groups;
    begin = split * a.per_split;
    end = begin + a.per_split < a.terms ? begin + a.per_split : a.terms;
  }
  // Returns the number of lanes that have at least one term.
  HL_FN i64 filled() const { return end - begin < lanes ? end - begin : lanes; }
};

// Combines two values by a computation with one result.
template <class F>
HL_FN Value Combined(const F& f, Value x, Value y) {
  Value pair[2] = {x, y}, result;
  f.Call(pair, &result);
  return result;
}

// Combines the values at `right` into those at `left`. The operands' values are `step` apart.
template <class F>
HL_FN void ReduceCombine(const F& f, int places, Value* left, const Value* right, int step) {
  Value pair[2 * kSharedPlaces], results[kSharedPlaces];
  HL_UNROLL_ALL
  for (int k = 0; k < places; ++k) {
    pair[k] = left[k * step];
    pair[places + k] = right[k * step];
  }
  f.Call(pair, results);
  HL_UNROLL_ALL
  for (int k = 0; k < places; ++k) left[k * step] = results[k];
}

template <class F>
HL_FN void ReduceTerms(const ReduceBlockArgs& a, const F& f, const ReduceLane& l, Value* sums) {
  const int places = f.Places(a.places);
  const i64 base = f.Kept(a.kept, l.result);
  Value sum[kSharedPlaces], terms[HL_LOADS_IN_FLIGHT][kSharedPlaces];
  i64 t = l.begin + l.lane;
  if (f.InitFirst(a.init_first)) {
    HL_UNROLL_ALL
    for (int k = 0; k < places; ++k) sum[k] = Load(f.InitType(a.init_types, k), a.init[k], 0);
  } else {
    f.Terms(ArrayInputs{a.arrays, a.views, base + f.Reduced(a.reduced, t)}, sum);
    t += l.lanes;
  }
  for (; t + (HL_LOADS_IN_FLIGHT - 1) * l.lanes < l.end; t += HL_LOADS_IN_FLIGHT * l.lanes) {
    HL_UNROLL_ALL
    for (int u = 0; u < HL_LOADS_IN_FLIGHT; ++u) {
      const i64 at = base + f.Reduced(a.reduced, t + u * l.lanes);
      f.Terms(ArrayInputs{a.arrays, a.views, at}, terms[u]);
    }
    HL_UNROLL_ALL
    for (int u = 0; u < HL_LOADS_IN_FLIGHT; ++u) ReduceCombine(f, places, sum, terms[u], 1);
  }
  for (; t < l.end; t += l.lanes) {
    f.Terms(ArrayInputs{a.arrays, a.views, base + f.Reduced(a.reduced, t)}, terms[0]);
    ReduceCombine(f, places, sum, terms[0], 1);
  }
  HL_UNROLL_ALL
  for (int k = 0; k < places; ++k) sums[k * kBlockThreads] = sum[k];
}
template <class F>
HL_FN void ReducePartials(const ReduceBlockArgs& a, const F& f, const ReduceLane& l, Value* sums) {
  const int places = f.Places(a.places);
  Value sum[kSharedPlaces], term[kSharedPlaces];
  for (i64 t = l.begin + l.lane; t < l.end; t += l.lanes) {
    const bool first = t == l.begin + l.lane;
    HL_UNROLL_ALL
    for (int k = 0; k < places; ++k) {
      term[k] = a.partial[(t * a.results + l.result) * places + k];
      if (first) sum[k] = term[k];
    }
    if (!first) ReduceCombine(f, places, sum, term, 1);
  }
  HL_UNROLL_ALL
  for (int k = 0; k < places; ++k) sums[k * kBlockThreads] = sum[k];
}

template <class F>
HL_FN void ReduceFinish(const ReduceBlockArgs& a, const F& f, const ReduceLane& l,
                        const Value* sums) {
  const int places = f.Places(a.places);
  Value pair[2 * kSharedPlaces], values[kSharedPlaces], results[kSharedPlaces];
  if (a.stage == kReduceSplit) {
    Value* to = a.partial + (l.split * a.results + l.result) * places;
    for (int k = 0; k < places; ++k) to[k] = sums[k * kBlockThreads];
    return;
  }
  const bool init_first = f.InitFirst(a.init_first);
  HL_UNROLL_ALL
  for (int k = 0; k < places; ++k) {
    pair[k] = values[k] = Load(f.InitType(a.init_types, k), a.init[k], 0);
    if (a.terms > 0) pair[places + k] = sums[k * kBlockThreads];
    if (init_first) values[k] = sums[k * kBlockThreads];
  }
  if (!init_first && a.terms > 0) f.Call(pair, values);
  FinishInputs in;
  in.arrays = a.arrays;
  in.views = a.views;
  in.index = l.result;
  in.values = values;
  f.Finish(in, results);
  HL_UNROLL_ALL
  for (int k = 0; k < f.Outs(a.outs); ++k) {
    Store(f.OutType(a.out_types, k), a.out[k], l.result, results[k]);
  }
}

// The phases are: fold, one phase for each halving of the number of lanes, finish.
template <class F>
HL_FN void ReduceBlockAt(const ReduceBlockArgs& a, const F& f, Value* shared, i64 block, int phase,
                         int thread) {
  const ReduceLane l(a, block, thread);
  if (l.result >= a.results) return;
  Value* own = shared + thread;
  if (phase == 0) {
    if (l.lane >= l.filled() && !f.InitFirst(a.init_first)) return;
    if (a.stage == kReducePartials) {
      ReducePartials(a, f, l, own);
    } else {
      ReduceTerms(a, f, l, own);
    }
    return;
  }
  const int step = l.lanes >> phase;
  if (step > 0) {
    if (l.lane < step && l.lane + step < l.filled()) {
      ReduceCombine(f, f.Places(a.places), own, own + step * l.partner, kBlockThreads);
    }
  } else if (l.lane == 0) {
    ReduceFinish(a, f, l, own);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_REDUCE_H_
