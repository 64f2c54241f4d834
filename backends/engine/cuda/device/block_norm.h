// SPDX-License-Identifier: Apache-2.0
// The sums of a batch norm. A block computes one feature, or 32 adjacent ones. Its threads take
// turns at the elements of a feature. Sums are f64 and have a fixed order.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_NORM_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_NORM_H_

#include "backends/engine/cuda/device/block_reduce.h"
#include "backends/engine/cuda/device/linear.h"

namespace hl {

constexpr int kNormPhases = 6;  // two sums: fold, combine to 16 lanes, combine to one
constexpr int kNormGathered = 16;

struct NormLane {
  int feature, lane, lanes;  // feature: index in the block
  i64 k;                     // the feature's index in the operand
  HL_FN NormLane(const NormArgs& a, i64 block, int thread)
      : feature(thread % a.features),
        lane(thread / a.features),
        lanes(kBlockThreads / a.features),
        k(block * a.features + feature) {}
};

// Returns an element's term of the first sum, or of the second sum, which uses the mean.
HL_FN double NormTerm(const NormArgs& a, bool second, double mean, i64 at) {
  const bool training = a.mode == kNormTraining;
  if (!second) return LoadDouble(a.type, training ? a.x : a.grad, at);
  const double centred = LoadDouble(a.type, a.x, at) - mean;
  return centred * (training ? centred : LoadDouble(a.type, a.grad, at));
}
HL_FN double NormFold(const NormArgs& a, const NormLane& l, bool second, double mean) {
  double sum = 0;
  for (i64 e = l.lane; e < a.outer * a.inner; e += l.lanes) {
    i64 outer = e;
    const i64 inner = SplitOff(outer, a.inner, a.narrow);
    sum += NormTerm(a, second, mean, (outer * a.count + l.k) * a.inner + inner);
  }
  return sum;
}

// Keeps the first sum (as the mean, in training). After the second sum, stores both results.
HL_FN void NormFinish(const NormArgs& a, const NormLane& l, bool is_second, double sum,
                      Value* kept) {
  const bool training = a.mode == kNormTraining;
  const double share = static_cast<double>(a.outer * a.inner);
  if (!is_second) {
    kept->d = training ? sum / share : sum;
    return;
  }
  const double first = kept->d, second = training ? sum / share : sum;
  a.sums[l.k] = first;
  a.sums[a.count + l.k] = second;
  if (training) {
    StoreDouble(a.type, a.out_first, l.k, first);
    StoreDouble(a.type, a.out_second, l.k, second);
  } else {
    StoreDouble(a.type, a.out_first, l.k,
                second / Sqrt(LoadDouble(a.type, a.variance, l.k) + a.epsilon));
    StoreDouble(a.type, a.out_second, l.k, first);
  }
}

template <class F>
HL_FN void NormSumsAt(const NormArgs& a, const F&, Value* shared, i64 block, int phase,
                      int thread) {
  const NormLane l(a, block, thread);
  if (l.k >= a.count) return;
  const bool is_second = phase >= kNormPhases / 2;
  const int step = phase % (kNormPhases / 2);
  Value* kept = shared + kBlockThreads + l.feature;
  if (step == 0) {
    const bool training = a.mode == kNormTraining;
    const double mean = !is_second ? 0 : training ? kept->d : LoadDouble(a.type, a.mean, l.k);
    shared[thread].d = NormFold(a, l, is_second, mean);
    return;
  }
  const int gathered = l.lanes < kNormGathered ? l.lanes : kNormGathered;
  const int apart = step == 1 ? gathered : 1, begin = step == 1 ? l.lane : 0;
  if (l.lane >= (step == 1 ? gathered : 1)) return;
  double sum = 0;
  for (int lane = begin; lane < (step == 1 ? l.lanes : gathered); lane += apart) {
    sum += shared[lane * a.features + l.feature].d;
  }
  if (step == 1) {
    shared[thread].d = sum;
  } else {
    NormFinish(a, l, is_second, sum, kept);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_NORM_H_
