// The register tile of the matrix product, and packing for it. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_GEMM_TILE_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_GEMM_TILE_ISA_H_

#include <array>
#include <utility>

#include "backends/cpu/kernels/gemm_isa.h"
#include "backends/cpu/kernels/transpose_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

inline constexpr int kTileVectors = 2;
inline constexpr int kTileRows = kVectorRegisters == 32 ? 14 : 6;
template <typename T>
inline constexpr int kTileColumns = kTileVectors* kLanes<T>;

// Steps along the depth in one round of a tile's loop: counting takes issue slots from arithmetic.
template <bool kPacked>
inline constexpr int kTileSteps = kPacked ? 2 : 4;
inline constexpr int kRowsAhead = 8;  // of b: the hardware does not see its panels coming

// Where a tile's part of a stands: packed, its rows side by side in every step; or in place, each
// row contiguous along the depth.
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

  // One pointer for three rows: the address of each is a pointer plus a multiple of the stride, and
  // registers suffice.
  const T* groups[kGroups];
  int64_t stride;
};

// tile[i * tile_row + j] (=, +=) sum over p of a[p, i] * b[p * b_row + j]. Every round of
// kTileSteps steps fetches a line from `ahead` on.
template <typename T, int kRows, bool kPacked>
void TileProduct(int64_t depth, const T* __restrict a, int64_t a_row, const T* __restrict b,
                 int64_t b_row, T* __restrict tile, int64_t tile_row, bool add,
                 Ahead::Lines ahead) {
  Vec<T> sums[kRows][kTileVectors];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      sums[i][v] = Vec<T>{};
      __builtin_prefetch(tile + i * tile_row + v * kLanes<T>, 1);
    }
  }
  TileRows<T, kRows, kPacked> rows(a, a_row);
  const int64_t line = ahead.count > 0 ? Ahead::kLine : 0;
  const auto step = [&](int q) HLOCTS_INLINE_LAMBDA {
    Vec<T> columns[kTileVectors];
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      columns[v] = Load(b + v * kLanes<T>);
      __builtin_prefetch(b + kRowsAhead * b_row + v * kLanes<T>);
    }
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      const Vec<T> row = Splat(rows.At(i, q));
      HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) sums[i][v] += row * columns[v];
    }
    b += b_row;
    asm("" : "+r"(b));  // else every address above becomes a pointer that is counted up by itself
  };
  constexpr int kSteps = kTileSteps<kPacked>;
  int64_t p = 0;
  for (; p + kSteps <= depth; p += kSteps) {
    __builtin_prefetch(ahead.at, 0, 2);
    ahead.at += line;
    HLOCTS_UNROLL for (int q = 0; q < kSteps; ++q) step(q);
    rows.Advance(kSteps);
  }
  for (; p < depth; ++p, rows.Advance(1)) step(0);
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      T* to = tile + i * tile_row + v * kLanes<T>;
      Store(to, add ? Load(to) + sums[i][v] : sums[i][v]);
    }
  }
}

template <typename T>
using TileFunction = void (*)(int64_t, const T*, int64_t, const T*, int64_t, T*, int64_t, bool,
                              Ahead::Lines);

template <typename T, bool kPacked, int... kRows>
constexpr std::array<TileFunction<T>, sizeof...(kRows)> MakeTileFunctions(
    std::integer_sequence<int, kRows...>) {
  return {TileProduct<T, kRows + 1, kPacked>...};
}

// [rows - 1]
template <typename T, bool kPacked>
inline constexpr std::array<TileFunction<T>, kTileRows> kTileFunctions =
    MakeTileFunctions<T, kPacked>(std::make_integer_sequence<int, kTileRows>());

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

// The same for at most kLanes lines that are contiguous along the depth: blocks of them are turned.
// Writes whole vectors: up to kLanes - kLines elements past the end are overwritten.
template <typename T, int kLines>
void PackTurned(const T* from, int64_t line_stride, int64_t depth, bool negate, int64_t width,
                T* to) {
  constexpr int kStep = kLanes<T>;
  static_assert(kLines <= kStep);
  int64_t p = 0;
  for (; p + kStep <= depth; p += kStep, from += kStep) {
    Vec<T> rows[kStep];
    HLOCTS_UNROLL for (int i = 0; i < kStep; ++i) {
      rows[i] = i < kLines ? Load(from + i * line_stride) : Vec<T>{};
      if (negate) rows[i] = -rows[i];
    }
    Transpose<T>(rows);
    HLOCTS_UNROLL for (int i = 0; i < kStep; ++i) Store(to + (p + i) * width, rows[i]);
  }
  for (; p < depth; ++p, ++from) {
    for (int i = 0; i < kLines; ++i) {
      const T x = from[i * line_stride];
      to[p * width + i] = negate ? static_cast<T>(-x) : x;
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

// kTileRows rows of a.
template <typename T>
void PackTileRows(const T* from, int64_t row, int64_t column, int64_t depth, bool negate, T* to) {
  if (row == 1) return PackLines<T, kTileRows>(from, 1, column, depth, negate, to);
  if constexpr (kTileRows <= kLanes<T>) {
    if (column == 1) return PackTurned<T, kTileRows>(from, row, depth, negate, kTileRows, to);
  }
  PackLines<T, kTileRows>(from, row, column, depth, negate, to);
}

// What PackA may write past the end.
inline constexpr int64_t kPackSlack = kVectorBytes;

// Rows of a in panels of kTileRows (the last one as narrow as it is).
template <typename T>
void PackA(const GemmArgs<T>& args, int64_t row, int64_t rows, int64_t p, int64_t depth, T* to) {
  const bool negate = args.update == GemmUpdate::kSubtract;
  const T* from = args.a + row * args.a_row + p * args.a_column;
  for (; rows >= kTileRows; rows -= kTileRows, from += kTileRows * args.a_row) {
    PackTileRows(from, args.a_row, args.a_column, depth, negate, to);
    to += kTileRows * depth;
  }
  if (rows > 0) {
    PackSomeLines(from, args.a_row, args.a_column, depth, static_cast<int>(rows),
                  static_cast<int>(rows), negate, to);
  }
}

// Panels of kTileColumns columns side by side in rows that are contiguous: read row by row, because
// memory likes runs.
template <typename T>
void PackPanelsOfRows(const T* from, int64_t row_stride, int64_t depth, int64_t panels,
                      int64_t panel_elements, T* to) {
  constexpr int kWidth = kTileColumns<T>;
  constexpr int64_t kAhead = 16;  // rows: the hardware does not follow from page to page
  for (int64_t p = 0; p < depth; ++p, from += row_stride, to += kWidth) {
    for (int64_t panel = 0; panel < panels; ++panel) {
      HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
        __builtin_prefetch(from + kAhead * row_stride + panel * kWidth + v * kLanes<T>);
        Store(to + panel * panel_elements + v * kLanes<T>,
              Load(from + panel * kWidth + v * kLanes<T>));
      }
    }
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
    PackPanelsOfRows(from, args.b_row, depth, 1, 0, to);
  } else if (args.b_row == 1) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      PackTurned<T, kLanes<T>>(from + v * kLanes<T> * args.b_column, args.b_column, depth, false,
                               kWidth, to + v * kLanes<T>);
    }
  } else {
    PackLines<T, kWidth>(from, args.b_column, args.b_row, depth, false, to);
  }
}

// Panels that are packed side by side where b's rows are contiguous.
inline constexpr int64_t kPanelsSideBySide = 4;

// Panels [begin, end) from column `first` on with their whole depth, one after the other.
template <typename T>
void PackPanels(const GemmArgs<T>& args, int64_t first, int64_t begin, int64_t end, T* to) {
  constexpr int64_t kWidth = kTileColumns<T>;
  for (int64_t panel = begin; panel < end;) {
    const int64_t column = first + panel * kWidth, whole = (args.n - column) / kWidth;
    const int64_t count = whole < kPanelsSideBySide ? whole : kPanelsSideBySide;
    if (args.b_column != 1 || count < 2 || panel + count > end) {
      PackB(args, column, 0, args.k, to + panel * kWidth * args.k);
      ++panel;
      continue;
    }
    PackPanelsOfRows(args.b + column, args.b_row, args.k, count, kWidth * args.k,
                     to + panel * kWidth * args.k);
    panel += count;
  }
}

// The rows of a that a product reads: packed by PackA, or (a_row not 0) in place.
template <typename T>
struct RowSource {
  const T* data;
  int64_t a_row = 0;
};

// The columns of b that a product reads: steps along the depth are `b_row` apart.
template <typename T>
struct ColumnSource {
  const T* data;
  int64_t b_row;
};

// `height` rows of c from `row` on, at most a tile's, times one panel of columns.
template <typename T>
void MultiplyTile(const GemmArgs<T>& args, int64_t row, int height, int64_t depth,
                  const RowSource<T>& a, const ColumnSource<T>& b, int64_t column, bool add) {
  constexpr int kWidth = kTileColumns<T>;
  const int64_t columns = args.n - column;
  const auto& functions = a.a_row == 0 ? kTileFunctions<T, true> : kTileFunctions<T, false>;
  const TileFunction<T> tile = functions[height - 1];
  T* c = args.c + row * args.c_row + column;
  Ahead::Lines ahead = {reinterpret_cast<const char*>(a.data), 0};
  if (args.ahead != nullptr) ahead = args.ahead->Take(depth / kTileSteps<true>);
  if (columns >= kWidth) {
    return tile(depth, a.data, a.a_row, b.data, b.b_row, c, args.c_row, add, ahead);
  }
  alignas(64) T edge[kTileRows * kWidth];
  tile(depth, a.data, a.a_row, b.data, b.b_row, edge, kWidth, false, ahead);
  for (int r = 0; r < height; ++r) {
    for (int64_t j = 0; j < columns; ++j) {
      T* to = c + r * args.c_row + j;
      *to = add ? *to + edge[r * kWidth + j] : edge[r * kWidth + j];
    }
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_GEMM_TILE_ISA_H_
