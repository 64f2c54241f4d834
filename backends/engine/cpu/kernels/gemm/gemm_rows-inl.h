// SPDX-License-Identifier: Apache-2.0
// Matrix products with one row or a few rows.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ROWS_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ROWS_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ROWS_INL_H_
#endif

#include <algorithm>

#include "backends/engine/cpu/kernels/gemm/gemm.h"
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

template <typename T>
T DotOfRuns(const T* a, const T* b, int64_t count) {
  constexpr int kVectors = 4, kStep = kVectors * kLanes<T>;
  Vec<T> sums[kVectors] = {};
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      const int64_t at = i + v * kLanes<T>;
      sums[v] = sums[v] + Load(a + at) * Load(b + at);
    }
  }
  T lanes[kLanes<T>], result = 0;
  Store(lanes, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (int j = 0; j < kLanes<T>; ++j) result += lanes[j];
  for (; i < count; ++i) result = result + a[i] * b[i];
  return result;
}

// Multiplies one row by columns that are contiguous along the sum. Reads each element of `b` once.
template <typename T>
void MultiplyVector(const Parallel& parallel, const GemmArgs<T>& args) {
  parallel.For(args.n, 0.1 * args.k + 2, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t column = begin; column < end; ++column) {
      const T product = DotOfRuns(args.a, args.b + column * args.b_column, args.k);
      args.c[column] = args.adds ? args.c[column] + product : product;
    }
  });
}

// The number of steps of the depth that are added to a run of columns together. `b` is read once,
// in long runs, while the rows and sums remain in the L1 cache.
inline constexpr int kStepsAtOnce = 8;
// The number of rows whose factors fit in registers.
inline constexpr int kRowsAtOnce = kVectorRegisters == 32 ? 2 : 1;
inline constexpr int64_t kRunColumns = 1024, kRunColumnsOfRows = 256;

template <typename T, int kRows, int kSteps>
void AddSteps(const GemmArgs<T>& args, int64_t row, int64_t p, int64_t begin, int64_t end,
              bool add) {
  T factors[kRows][kSteps];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) {
      factors[i][q] = args.a[(row + i) * args.a_row + (p + q) * args.a_column];
    }
  }
  const T* b = args.b + p * args.b_row;
  T* c = args.c + row * args.c_row;
  int64_t j = begin;
  for (; j + kLanes<T> <= end; j += kLanes<T>) {
    Vec<T> sums[kRows];
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      sums[i] = add ? Load(c + i * args.c_row + j) : Vec<T>{};
    }
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) {
      const Vec<T> columns = Load(b + q * args.b_row + j);
      HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
        sums[i] = sums[i] + Splat(factors[i][q]) * columns;
      }
    }
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) Store(c + i * args.c_row + j, sums[i]);
  }
  for (; j < end; ++j) {
    for (int i = 0; i < kRows; ++i) {
      T sum = add ? c[i * args.c_row + j] : T(0);
      for (int q = 0; q < kSteps; ++q) {
        sum = sum + factors[i][q] * b[q * args.b_row + j];
      }
      c[i * args.c_row + j] = sum;
    }
  }
}

template <typename T, int kSteps>
void AddStepsOfRows(const GemmArgs<T>& args, int64_t p, int64_t begin, int64_t end, bool add) {
  int64_t row = 0;
  for (; row + kRowsAtOnce <= args.m; row += kRowsAtOnce) {
    AddSteps<T, kRowsAtOnce, kSteps>(args, row, p, begin, end, add);
  }
  for (; row < args.m; ++row) AddSteps<T, 1, kSteps>(args, row, p, begin, end, add);
}

// The largest number of rows for which MultiplyFewRows is faster than tiles, given enough columns.
inline constexpr int64_t kFewRows = 3;
template <typename T>
inline constexpr int64_t kFewRowsColumns = 4 * kLanes<T>;

// Multiplies a few rows by a matrix `b` with contiguous rows.
template <typename T>
void MultiplyFewRows(const Parallel& parallel, const GemmArgs<T>& args) {
  const auto run = [&](int64_t begin, int64_t end) HWY_ATTR {
    bool add = args.adds;
    int64_t p = 0;
    for (; p + kStepsAtOnce <= args.k; p += kStepsAtOnce, add = true) {
      AddStepsOfRows<T, kStepsAtOnce>(args, p, begin, end, add);
    }
    for (; p < args.k; ++p, add = true) AddStepsOfRows<T, 1>(args, p, begin, end, add);
  };
  const int64_t columns = args.m == 1 ? kRunColumns : kRunColumnsOfRows;
  const int64_t share = args.n / (2 * parallel.threads()) / kLanes<T> * kLanes<T>;
  parallel.For(
      args.n, 0.05 * static_cast<double>(args.k) * ((args.m + 1) / 2),
      [&](int64_t begin, int64_t end) HWY_ATTR {
        for (; begin < end; begin += columns) run(begin, std::min(end, begin + columns));
      },
      std::clamp<int64_t>(share, kLanes<T>, columns));
}

// Multiplies a column by a row. There is one term per result, and c is written in long runs.
template <typename T>
void MultiplyOuter(const Parallel& parallel, const GemmArgs<T>& args) {
  const double cost = 0.03 * static_cast<double>(args.n) + 2;
  parallel.For(args.m, cost, [&](int64_t row, int64_t end) HWY_ATTR {
    for (; row < end; ++row) {
      AddSteps<T, 1, 1>(args, row, 0, 0, args.n, args.adds);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_ROWS_INL_H_
