// SPDX-License-Identifier: Apache-2.0
// Products of one row or a few. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_VECTOR_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_VECTOR_ISA_H_

#include <algorithm>

#include "backends/engine/cpu/kernels/gemm/gemm_isa.h"

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
      args.c[column] = DotOfRuns(args.a, args.b + column * args.b_column, args.k);
    }
    if (args.done != nullptr) (*args.done)(0, 1, begin, end);
  });
}

// Steps of rows that are added to a run of columns at a time: b is read in long runs, once, and
// what is read and the sums stay in the first cache.
inline constexpr int kStepsAtOnce = 8;
inline constexpr int kRowsAtOnce = kVectorRegisters == 32 ? 2 : 1;  // their factors in registers
inline constexpr int64_t kRunColumns = 1024, kRunColumnsOfRows = 256;

// bf16 as it stands in memory.
struct Bf16Bits {
  uint16_t bits;
};

// Elements of a b that is stored as B.
template <typename T>
HLOCTS_INLINE Vec<T> LoadAs(const T* from) {
  return Load(from);
}
template <typename T>
HLOCTS_INLINE Vec<T> LoadAs(const Bf16Bits* from) {
  using Halves = typename VectorOf<uint16_t, kVectorBytes / 2>::type;
  Halves halves;
  __builtin_memcpy(&halves, from, sizeof(halves));
  return (Vec<T>)(__builtin_convertvector(halves, Vec<uint32_t>) << 16);
}
template <typename T>
HLOCTS_INLINE T ValueOf(const T& x) {
  return x;
}
HLOCTS_INLINE float ValueOf(const Bf16Bits& x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}

// The rows of b are given apart: they may be of another type.
template <typename T, int kRows, int kSteps, typename B>
void AddSteps(const GemmArgs<T>& args, const B* b, int64_t row, int64_t p, int64_t begin,
              int64_t end, bool add) {
  T factors[kRows][kSteps];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) {
      factors[i][q] = args.a[(row + i) * args.a_row + (p + q) * args.a_column];
    }
  }
  b += p * args.b_row;
  SumOf<T>* c = args.c + row * args.c_row;
  int64_t j = begin;
  for (; j + kLanes<T> <= end; j += kLanes<T>) {
    Vec<SumOf<T>> sums[kRows];
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      sums[i] = add ? Load(c + i * args.c_row + j) : Vec<SumOf<T>>{};
    }
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) {
      const Vec<T> columns = LoadAs<T>(b + q * args.b_row + j);
      HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
        sums[i] = MultiplyAdd<T>(sums[i], Splat(factors[i][q]), columns);
      }
    }
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) Store(c + i * args.c_row + j, sums[i]);
  }
  for (; j < end; ++j) {
    for (int i = 0; i < kRows; ++i) {
      SumOf<T> sum = add ? c[i * args.c_row + j] : SumOf<T>(0);
      for (int q = 0; q < kSteps; ++q) {
        sum = MultiplyAddOne<T>(sum, factors[i][q], ValueOf(b[q * args.b_row + j]));
      }
      c[i * args.c_row + j] = sum;
    }
  }
}

template <typename T, int kSteps, typename B>
void AddStepsOfRows(const GemmArgs<T>& args, const B* b, int64_t p, int64_t begin, int64_t end,
                    bool add) {
  int64_t row = 0;
  for (; row + kRowsAtOnce <= args.m; row += kRowsAtOnce) {
    AddSteps<T, kRowsAtOnce, kSteps>(args, b, row, p, begin, end, add);
  }
  for (; row < args.m; ++row) AddSteps<T, 1, kSteps>(args, b, row, p, begin, end, add);
}

// More rows than these do better as a tile, if they have columns enough for either.
inline constexpr int64_t kFewRows = 3;
template <typename T>
inline constexpr int64_t kFewRowsColumns = 4 * kLanes<T>;

// A few rows times a b whose rows are contiguous.
template <typename T, typename B>
void MultiplyFewRows(const Parallel& parallel, const GemmArgs<T>& args, const B* b) {
  const auto run = [&](int64_t begin, int64_t end) {
    bool add = false;
    int64_t p = 0;
    for (; p + kStepsAtOnce <= args.k; p += kStepsAtOnce, add = true) {
      AddStepsOfRows<T, kStepsAtOnce>(args, b, p, begin, end, add);
    }
    for (; p < args.k; ++p, add = true) AddStepsOfRows<T, 1>(args, b, p, begin, end, add);
    if (args.done != nullptr) (*args.done)(0, args.m, begin, end);
  };
  const int64_t columns = args.m == 1 ? kRunColumns : kRunColumnsOfRows;
  const int64_t share = args.n / (2 * parallel.threads()) / kLanes<T> * kLanes<T>;
  parallel.For(
      args.n, 0.05 * static_cast<double>(args.k) * ((args.m + 1) / 2),
      [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += columns) run(begin, std::min(end, begin + columns));
      },
      std::clamp<int64_t>(share, kLanes<T>, columns));
}

// A column times a row: nothing to add up, c is written in long runs.
template <typename T>
void MultiplyOuter(const Parallel& parallel, const GemmArgs<T>& args) {
  parallel.For(args.m, 0.03 * static_cast<double>(args.n) + 2, [&](int64_t row, int64_t end) {
    for (; row < end; ++row) {
      AddSteps<T, 1, 1>(args, args.b, row, 0, 0, args.n, false);
      if (args.done != nullptr) (*args.done)(row, row + 1, 0, args.n);
    }
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_VECTOR_ISA_H_
