// Products of one row. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_GEMM_VECTOR_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_GEMM_VECTOR_ISA_H_

#include <algorithm>

#include "backends/cpu/kernels/gemm_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

template <typename T>
SumOf<T> DotOfRuns(const T* a, const T* b, int64_t count) {
  constexpr int kVectors = 4, kStep = kVectors * kLanes<T>;
  Vec<SumOf<T>> sums[kVectors] = {};
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      const int64_t at = i + v * kLanes<T>;
      sums[v] = MultiplyAdd<T>(sums[v], Load(a + at), Load(b + at));
    }
  }
  SumOf<T> lanes[kLanes<T>], result = 0;
  Store(lanes, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (int j = 0; j < kLanes<T>; ++j) result += lanes[j];
  for (; i < count; ++i) result = MultiplyAddOne<T>(result, a[i], b[i]);
  return result;
}

// One row times columns that are contiguous along the sum: every element of b is used once.
template <typename T>
void MultiplyVector(const Parallel& parallel, const GemmArgs<T>& args) {
  parallel.For(args.n, 0.1 * args.k + 2, [&](int64_t begin, int64_t end) {
    for (int64_t column = begin; column < end; ++column) {
      const SumOf<T> sum = DotOfRuns(args.a, args.b + column * args.b_column, args.k);
      SumOf<T>& to = args.c[column];
      to = args.update == GemmUpdate::kAssign ? sum
           : args.update == GemmUpdate::kAdd  ? to + sum
                                              : to - sum;
    }
    if (args.done != nullptr) (*args.done)(0, 1, begin, end);
  });
}

// Steps of a row that are added to a run of columns at a time: the columns stay in the first cache,
// and b is read in long runs.
inline constexpr int kStepsAtOnce = 8;
inline constexpr int64_t kRunColumns = 1024;

template <typename T, int kSteps>
void AddSteps(const GemmArgs<T>& args, int64_t p, int64_t begin, int64_t end, bool add) {
  T factors[kSteps];
  HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) {
    const T x = args.a[(p + q) * args.a_column];
    factors[q] = args.update == GemmUpdate::kSubtract ? static_cast<T>(-x) : x;
  }
  const T* b = args.b + p * args.b_row;
  int64_t j = begin;
  for (; j + kLanes<T> <= end; j += kLanes<T>) {
    Vec<SumOf<T>> sum = add ? Load(args.c + j) : Vec<SumOf<T>>{};
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) {
      sum = MultiplyAdd<T>(sum, Splat(factors[q]), Load(b + q * args.b_row + j));
    }
    Store(args.c + j, sum);
  }
  for (; j < end; ++j) {
    SumOf<T> sum = add ? args.c[j] : SumOf<T>(0);
    for (int q = 0; q < kSteps; ++q)
      sum = MultiplyAddOne<T>(sum, factors[q], b[q * args.b_row + j]);
    args.c[j] = sum;
  }
}

// One row times a b whose rows are contiguous.
template <typename T>
void MultiplyRow(const Parallel& parallel, const GemmArgs<T>& args) {
  const auto run = [&](int64_t begin, int64_t end) {
    bool add = args.update != GemmUpdate::kAssign;
    int64_t p = 0;
    for (; p + kStepsAtOnce <= args.k; p += kStepsAtOnce, add = true) {
      AddSteps<T, kStepsAtOnce>(args, p, begin, end, add);
    }
    for (; p < args.k; ++p, add = true) AddSteps<T, 1>(args, p, begin, end, add);
    if (args.done != nullptr) (*args.done)(0, 1, begin, end);
  };
  parallel.For(
      args.n, 0.05 * static_cast<double>(args.k),
      [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += kRunColumns) run(begin, std::min(end, begin + kRunColumns));
      },
      kLanes<T>);
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_GEMM_VECTOR_ISA_H_
