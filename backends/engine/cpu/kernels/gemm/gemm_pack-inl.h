// SPDX-License-Identifier: Apache-2.0
// Packs operands for the register tile of the matrix product.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_PACK_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_PACK_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_PACK_INL_H_
#endif

#include <algorithm>

#include "backends/engine/cpu/kernels/gemm/gemm.h"
#include "backends/engine/cpu/kernels/gemm/gemm_tile-inl.h"
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"
#include "backends/engine/cpu/kernels/transpose/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

// Sets to[p * kLines + i] = from[i * line_stride + p * depth_stride].
template <typename T, int kLines>
void PackLines(const T* from, int64_t line_stride, int64_t depth_stride, int64_t depth,
               T* __restrict to) {
  for (int64_t p = 0; p < depth; ++p, from += depth_stride, to += kLines) {
    HLOCTS_UNROLL for (int i = 0; i < kLines; ++i) to[i] = from[i * line_stride];
  }
}

// Packs at most kLanes lines that are contiguous along the depth, by transposing blocks. Each store
// writes a whole vector, so up to kLanes elements after the lines of a step are overwritten. If
// kWhole, kLanes lines can be read even if `lines` is less.
template <typename T, bool kWhole>
void PackTransposed(const T* from, int64_t line_stride, int64_t depth, int lines, int64_t width,
                    T* to) {
  constexpr int kStep = kLanes<T>;
  int64_t p = 0;
  for (; p + kStep <= depth; p += kStep, from += kStep) {
    Vec<T> rows[kStep];
    HLOCTS_UNROLL for (int i = 0; i < kStep; ++i) {
      rows[i] = Load(from + (kWhole || i < lines ? i : 0) * line_stride);
    }
    Transpose<T>(rows);
    HLOCTS_UNROLL for (int i = 0; i < kStep; ++i) Store(to + (p + i) * width, rows[i]);
  }
  for (; p < depth; ++p, ++from) {
    for (int i = 0; i < lines; ++i) to[p * width + i] = from[i * line_stride];
  }
}

// Packs `lines` lines and pads them with zeros to `width` lines.
template <typename T>
void PackSomeLines(const T* from, int64_t line_stride, int64_t depth_stride, int64_t depth,
                   int lines, int width, T* __restrict to) {
  for (int64_t p = 0; p < depth; ++p, from += depth_stride, to += width) {
    for (int i = 0; i < lines; ++i) to[i] = from[i * line_stride];
    for (int i = lines; i < width; ++i) to[i] = T(0);
  }
}

// The number of bytes that PackRows may write after the end.
inline constexpr int64_t kPackSlack = kVectorBytes;

// Packs rows of `a` that are contiguous along the depth, at most as many as a tile has. Blocks of
// kLanes rows are transposed from the last to the first, because each store overwrites elements
// after its block. Unless kWhole, only these rows are read.
template <typename T, bool kWhole>
void PackTransposedRows(const T* from, int64_t row, int64_t depth, int rows, T* to) {
  int first = (rows - 1) / kLanes<T> * kLanes<T>;
  for (; first >= 0; first -= kLanes<T>) {
    PackTransposed<T, kWhole>(from + first * row, row, depth, std::min(kLanes<T>, rows - first),
                              rows, to + first);
  }
}

// Packs rows of `a` whose elements are adjacent in memory at each step of the depth.
template <typename T>
void PackRowsSideBySide(const T* from, int64_t column, int64_t depth, int rows, T* to) {
  for (int64_t p = 0; p < depth; ++p, from += column, to += rows) {
    for (int i = 0; i < rows; i += kLanes<T>) Store(to + i, Load(from + i));
  }
}

// Packs rows of `a` from `row` on, at most as many as a tile has. In the result, the elements of
// all rows at one step of the depth are adjacent.
template <typename T>
void PackRows(const GemmArgs<T>& args, int64_t row, int rows, int64_t p, int64_t depth, T* to) {
  const T* from = args.a + row * args.a_row + p * args.a_column;
  const int read = (rows + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
  const bool whole = row + read <= args.m;
  if (args.a_column == 1) {
    const auto pack = whole ? PackTransposedRows<T, true> : PackTransposedRows<T, false>;
    return pack(from, args.a_row, depth, rows, to);
  }
  // A vector may be longer than a step of the depth. It then reads elements of the next step. The
  // last step has no next one, so unless `whole` it is packed without vectors.
  int64_t vectors = 0;
  if (args.a_row == 1 && (whole || args.a_column >= read)) vectors = whole ? depth : depth - 1;
  PackRowsSideBySide(from, args.a_column, vectors, rows, to);
  PackSomeLines(from + vectors * args.a_column, args.a_row, args.a_column, depth - vectors, rows,
                rows, to + vectors * rows);
}

// Packs adjacent panels of kTileColumns columns whose rows are contiguous. Reads row by row,
// because long contiguous reads are fastest.
template <typename T>
void PackPanelsOfRows(const T* from, int64_t row_stride, int64_t depth, int64_t panels,
                      int64_t panel_elements, T* to) {
  constexpr int kWidth = kTileColumns<T>;
  constexpr int64_t kAhead = 16;  // in rows; the hardware prefetcher does not cross pages
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

// Packs one panel of kTileColumns columns of `b`. The last panel is padded with zeros.
template <typename T>
void PackB(const GemmArgs<T>& args, int64_t column, int64_t p, int64_t depth, T* to) {
  constexpr int kWidth = kTileColumns<T>;
  const T* from = args.b + column * args.b_column + p * args.b_row;
  const int64_t columns = args.n - column;
  if (columns < kWidth) {
    PackSomeLines(from, args.b_column, args.b_row, depth, static_cast<int>(columns), kWidth, to);
  } else if (args.b_column == 1) {
    PackPanelsOfRows(from, args.b_row, depth, 1, 0, to);
  } else if (args.b_row == 1) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      PackTransposed<T, true>(from + v * kLanes<T> * args.b_column, args.b_column, depth, kLanes<T>,
                              kWidth, to + v * kLanes<T>);
    }
  } else {
    PackLines<T, kWidth>(from, args.b_column, args.b_row, depth, to);
  }
}

// The number of panels that are packed together if rows of `b` are contiguous.
inline constexpr int64_t kPanelsSideBySide = 4;

// Packs panels [begin, end), counted from column `first`, each with its whole depth.
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

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_GEMM_PACK_INL_H_
