// SPDX-License-Identifier: Apache-2.0
// The part of a matrix product whose sums are in registers: the register tile.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_TILE_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_TILE_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_TILE_INL_H_
#endif

#include <array>
#include <utility>

#include "backends/engine/cpu/kernels/gemm/gemm.h"
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

inline constexpr int kTileVectors = 2;
inline constexpr int kTileRows = kVectorRegisters == 32 ? 14 : 6;
template <typename T>
inline constexpr int kTileColumns = kTileVectors* kLanes<T>;

// Steps of the depth per iteration. Unrolling leaves more issue slots for arithmetic.
template <bool kPacked>
inline constexpr int kTileSteps = kPacked ? 2 : 4;
// The number of rows of b to prefetch. The hardware prefetcher does not follow panels of b.
inline constexpr int kRowsAhead = 8;

// The part of `a` that a tile reads. If packed, the elements of all rows at one step of the depth
// are adjacent. Otherwise each row is contiguous along the depth.
template <typename T, int kRows, bool kPacked>
struct TileRows {
  static constexpr int kGroup = 3, kGroups = (kRows + kGroup - 1) / kGroup;

  TileRows(const T* a, int64_t row) : stride(row) {
    HLOCTS_UNROLL for (int g = 0; g < kGroups; ++g) groups[g] = a + g * kGroup * row;
  }
  HLOCTS_INLINE T At(int i, int p) const {
    if constexpr (kPacked) return groups[0][p * kRows + i];
    return groups[i / kGroup][i % kGroup * stride + p];
  }
  HLOCTS_INLINE void Advance(int steps) {
    HLOCTS_UNROLL for (int g = 0; g < (kPacked ? 1 : kGroups); ++g) {
      groups[g] += kPacked ? steps * kRows : steps;
    }
  }

  // One pointer for each three rows. A row's address is a pointer plus a multiple of the stride,
  // which needs fewer registers than one pointer for each row.
  const T* groups[kGroups];
  int64_t stride;
};

template <typename T>
HLOCTS_INLINE Vec<SumOf<T>> MultiplyAdd(Vec<SumOf<T>> sum, const Vec<T>& x, const Vec<T>& y) {
  if constexpr (std::is_same_v<T, PairBf16>) {
    // Instructions that the compiler cannot generate for this file's target.
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  } else if constexpr (std::is_same_v<T, QuadInt8>) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  } else {
    sum = sum + x * y;
  }
  return sum;
}

// Computes tile[i * tile_row + j] = sum over p of a[p, i] * b[p * b_row + j]. If `add`, adds it.
template <typename T, int kRows, bool kPacked>
void TileProduct(int64_t depth, const T* __restrict a, int64_t a_row, const T* __restrict b,
                 int64_t b_row, SumOf<T>* __restrict tile, int64_t tile_row, bool add) {
  Vec<SumOf<T>> sums[kRows][kTileVectors];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      sums[i][v] = Vec<SumOf<T>>{};
      __builtin_prefetch(tile + i * tile_row + v * kLanes<T>, 1);
    }
  }
  TileRows<T, kRows, kPacked> rows(a, a_row);
  const auto step = [&](int q) HLOCTS_INLINE_LAMBDA {
    Vec<T> columns[kTileVectors];
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      columns[v] = Load(b + v * kLanes<T>);
      __builtin_prefetch(b + kRowsAhead * b_row + v * kLanes<T>);
    }
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      const Vec<T> row = Splat(rows.At(i, q));
      HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
        sums[i][v] = MultiplyAdd<T>(sums[i][v], row, columns[v]);
      }
    }
    b += b_row;
    asm("" : "+r"(b));  // prevents separate pointers for the addresses above
  };
  constexpr int kSteps = kTileSteps<kPacked>;
  int64_t p = 0;
  for (; p + kSteps <= depth; p += kSteps) {
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) step(q);
    rows.Advance(kSteps);
  }
  for (; p < depth; ++p, rows.Advance(1)) step(0);
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      SumOf<T>* to = tile + i * tile_row + v * kLanes<T>;
      Store(to, add ? Load(to) + sums[i][v] : sums[i][v]);
    }
  }
}

template <typename T>
using TileFunction = void (*)(int64_t, const T*, int64_t, const T*, int64_t, SumOf<T>*, int64_t,
                              bool);

template <typename T, bool kPacked, int... kRows>
constexpr std::array<TileFunction<T>, sizeof...(kRows)> MakeTileFunctions(
    std::integer_sequence<int, kRows...>) {
  return {TileProduct<T, kRows + 1, kPacked>...};
}

// The functions that compute a tile, indexed by the number of rows minus 1.
template <typename T, bool kPacked>
inline constexpr std::array<TileFunction<T>, kTileRows> kTileFunctions =
    MakeTileFunctions<T, kPacked>(std::make_integer_sequence<int, kTileRows>());

// The rows of `a` that a product reads: packed by PackRows, or in place if a_row is not 0.
template <typename T>
struct RowSource {
  const T* data;
  int64_t a_row = 0;
};

// The columns of `b` that a product reads. Adjacent steps of the depth are b_row apart.
template <typename T>
struct ColumnSource {
  const T* data;
  int64_t b_row;
};

// Multiplies `height` rows from `row` on, at most as many as a tile has, by a panel of columns.
template <typename T>
void MultiplyTile(const GemmArgs<T>& args, int64_t row, int height, int64_t depth,
                  const RowSource<T>& a, const ColumnSource<T>& b, int64_t column, bool add) {
  constexpr int kWidth = kTileColumns<T>;
  const int64_t columns = args.n - column;
  const auto& functions = a.a_row == 0 ? kTileFunctions<T, true> : kTileFunctions<T, false>;
  const TileFunction<T> tile = functions[height - 1];
  SumOf<T>* c = args.c + row * args.c_row + column;
  if (columns >= kWidth) {
    return tile(depth, a.data, a.a_row, b.data, b.b_row, c, args.c_row, add);
  }
  alignas(64) SumOf<T> edge[kTileRows * kWidth];
  tile(depth, a.data, a.a_row, b.data, b.b_row, edge, kWidth, false);
  for (int r = 0; r < height; ++r) {
    for (int64_t j = 0; j < columns; ++j) {
      SumOf<T>* to = c + r * args.c_row + j;
      *to = add ? *to + edge[r * kWidth + j] : edge[r * kWidth + j];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_TILE_INL_H_
