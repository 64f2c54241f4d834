// The register tile of the matrix product, and packing for it. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_GEMM_TILE_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_GEMM_TILE_ISA_H_

#include <array>
#include <utility>

#include "backends/cpu/kernels/gemm_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

inline constexpr int kTileVectors = 2;
inline constexpr int kTileRows = kVectorRegisters == 32 ? 14 : 6;
template <typename T>
inline constexpr int kTileColumns = kTileVectors * kLanes<T>;

// tile[i * tile_row + j] (=, +=) sum over p of a[p * kRows + i] * b[p * b_row + j].
template <typename T, int kRows>
void TileProduct(int64_t depth, const T* __restrict a, const T* __restrict b, int64_t b_row,
                 T* __restrict tile, int64_t tile_row, bool add) {
  Vec<T> sums[kRows][kTileVectors];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) sums[i][v] = Vec<T>{};
  }
  for (int64_t p = 0; p < depth; ++p, a += kRows, b += b_row) {
    Vec<T> columns[kTileVectors];
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) columns[v] = Load(b + v * kLanes<T>);
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      const Vec<T> row = Splat(a[i]);
      HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) sums[i][v] += row * columns[v];
    }
  }
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      T* to = tile + i * tile_row + v * kLanes<T>;
      Store(to, add ? Load(to) + sums[i][v] : sums[i][v]);
    }
  }
}

template <typename T>
using TileFunction = void (*)(int64_t, const T*, const T*, int64_t, T*, int64_t, bool);

template <typename T, int... kRows>
constexpr std::array<TileFunction<T>, sizeof...(kRows)> MakeTileFunctions(
    std::integer_sequence<int, kRows...>) {
  return {TileProduct<T, kRows + 1>...};
}

// [rows - 1]
template <typename T>
inline constexpr std::array<TileFunction<T>, kTileRows> kTileFunctions =
    MakeTileFunctions<T>(std::make_integer_sequence<int, kTileRows>());

// to[p * lines + i] = from[i * line_stride + p * depth_stride], times -1 if asked.
template <typename T, int kLines>
void PackLines(const T* from, int64_t line_stride, int64_t depth_stride, int64_t depth, bool negate,
               T* __restrict to) {
  for (int64_t p = 0; p < depth; ++p, from += depth_stride, to += kLines) {
    HLOCTS_UNROLL for (int i = 0; i < kLines; ++i) {
      const T x = from[i * line_stride];
      to[i] = negate ? static_cast<T>(-x) : x;
    }
  }
}

// Fewer lines than `width`: the rest is zero.
template <typename T>
void PackSomeLines(const T* from, int64_t line_stride, int64_t depth_stride, int64_t depth,
                   int lines, int width, bool negate, T* __restrict to) {
  for (int64_t p = 0; p < depth; ++p, from += depth_stride, to += width) {
    for (int i = 0; i < lines; ++i) {
      const T x = from[i * line_stride];
      to[i] = negate ? static_cast<T>(-x) : x;
    }
    for (int i = lines; i < width; ++i) to[i] = T(0);
  }
}

// Rows of a in panels of kTileRows (the last one as narrow as it is).
template <typename T>
void PackA(const GemmArgs<T>& args, int64_t row, int64_t rows, int64_t p, int64_t depth, T* to) {
  const bool negate = args.update == GemmUpdate::kSubtract;
  const T* from = args.a + row * args.a_row + p * args.a_column;
  for (; rows >= kTileRows; rows -= kTileRows, from += kTileRows * args.a_row) {
    PackLines<T, kTileRows>(from, args.a_row, args.a_column, depth, negate, to);
    to += kTileRows * depth;
  }
  if (rows > 0) {
    PackSomeLines(from, args.a_row, args.a_column, depth, static_cast<int>(rows),
                  static_cast<int>(rows), negate, to);
  }
}

// One panel of kTileColumns columns of b (the last one filled up with zeros).
template <typename T>
void PackB(const GemmArgs<T>& args, int64_t column, int64_t p, int64_t depth, T* to) {
  constexpr int kWidth = kTileColumns<T>;
  const T* from = args.b + column * args.b_column + p * args.b_row;
  const int64_t columns = args.n - column;
  if (columns < kWidth) {
    PackSomeLines(from, args.b_column, args.b_row, depth, static_cast<int>(columns), kWidth, false,
                  to);
  } else if (args.b_column == 1) {
    PackLines<T, kWidth>(from, 1, args.b_row, depth, false, to);
  } else {
    PackLines<T, kWidth>(from, args.b_column, args.b_row, depth, false, to);
  }
}

// Rows of c in [row, row + rows) times one panel of columns; a packed by PackA.
template <typename T>
void MultiplyPanel(const GemmArgs<T>& args, int64_t row, int64_t rows, int64_t depth, const T* a,
                   const T* b, int64_t b_row, int64_t column, bool add) {
  constexpr int kWidth = kTileColumns<T>;
  const int64_t columns = args.n - column;
  alignas(64) T edge[kTileRows * kWidth];
  for (int64_t i = 0; i < rows; i += kTileRows) {
    const int height = static_cast<int>(rows - i < kTileRows ? rows - i : kTileRows);
    const TileFunction<T> tile = kTileFunctions<T>[height - 1];
    T* c = args.c + (row + i) * args.c_row + column;
    const T* panel = a + i * depth;
    if (columns >= kWidth) {
      tile(depth, panel, b, b_row, c, args.c_row, add);
      continue;
    }
    tile(depth, panel, b, b_row, edge, kWidth, false);
    for (int r = 0; r < height; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        T* to = c + r * args.c_row + j;
        *to = add ? *to + edge[r * kWidth + j] : edge[r * kWidth + j];
      }
    }
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_GEMM_TILE_ISA_H_
