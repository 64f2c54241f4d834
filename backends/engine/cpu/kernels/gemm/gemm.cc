// SPDX-License-Identifier: Apache-2.0
// Divides the matrix product into blocks. `b` is packed once for all threads. The threads then
// process blocks of rows, and pack their parts of `a`. A product with few rows reads `b` in place,
// or packs one panel of `b` at a time.
#include "backends/engine/cpu/kernels/gemm/gemm.h"

#include <algorithm>
#include <atomic>

#include "backends/engine/cpu/kernels/runtime/division.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/gemm/gemm.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/kernels/gemm/gemm_pack-inl.h"
#include "backends/engine/cpu/kernels/gemm/gemm_rows-inl.h"
#include "backends/engine/cpu/kernels/gemm/gemm_tile-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

constexpr int64_t kBlockTiles = 5;  // tiles of rows in a unit of work
// The part of b that remains in an L2 cache of 1 MiB.
constexpr int64_t kChunkBytes = int64_t{512} << 10;
// Panels in a unit of work. With fewer, packing `a` more often costs more than load balance gains.
constexpr int64_t kPiecePanels = 8;
constexpr int64_t kPackedBytes = int64_t{64} << 20;  // part of `b` that is packed at a time
constexpr int64_t kStackBytes = 16384, kFirstCacheBytes = 32768, kSecondCacheBytes = 1 << 20;
template <typename T>
constexpr int64_t kBlockDepth = 4096 / static_cast<int64_t>(sizeof(T));

// The working memory of one unit of work. It is on the stack if it is small.
template <typename T>
struct WorkBuffer {
  explicit WorkBuffer(int64_t elements)
      : heap(elements * static_cast<int64_t>(sizeof(T)) > kStackBytes
                 ? elements * static_cast<int64_t>(sizeof(T))
                 : -1),
        data(elements * static_cast<int64_t>(sizeof(T)) > kStackBytes
                 ? heap.template As<T>()
                 : reinterpret_cast<T*>(stack)) {}
  alignas(64) char stack[kStackBytes];
  Scratch heap;
  T* data;
};

// The blocks of one product. Packed `b` consists of panels of columns, each with its whole depth.
template <typename T>
struct Blocks {
  const GemmArgs<T>& args;
  const T* packed = nullptr;              // null if `b` is read in place
  int64_t first_column = 0, columns = 0;  // the columns of b in `packed`
  bool copies_panels = false;             // if `b` is read in place: each panel is first copied

  bool Copies(int64_t column) const {
    return packed == nullptr && (copies_panels || args.n - column < kTileColumns<T>);
  }
};

// Returns true if rows of a tile need not be packed: each row is contiguous along the sum, and the
// rows span at most half the L1 cache, so they remain in it.
template <typename T>
bool ReadsRowsInPlace(const GemmArgs<T>& args) {
  return args.a_column == 1 && args.a_row > 0 &&
         kTileRows * args.a_row * static_cast<int64_t>(sizeof(T)) <= kFirstCacheBytes / 2;
}

// Returns true if all rows are one unit of work, so each panel of b has only one reader.
template <typename T>
bool IsOneBlock(const GemmArgs<T>& args) {
  return args.m <= kBlockTiles * kTileRows;
}

// Returns true if rows of `b` are contiguous and packing them would not save time. Packing saves
// time if `a` has more than two tiles of rows, unless `b` fits in a cache.
template <typename T>
bool ReadsPanelsInPlace(const GemmArgs<T>& args) {
  const int64_t bytes = args.n * args.k * static_cast<int64_t>(sizeof(T));
  return args.b_column == 1 && (args.m <= 2 * kTileRows || bytes <= kFirstCacheBytes / 2 ||
                                (IsOneBlock(args) && bytes <= kSecondCacheBytes));
}

// Returns the number of columns of a chunk. All tiles of rows are multiplied by a chunk before the
// next chunk. The chunk's part of `b` remains in the L2 cache together with the packed rows. If `b`
// is not packed, a chunk is one panel, which is read once.
template <typename T>
int64_t ChunkColumns(const Blocks<T>& blocks, int64_t depth) {
  constexpr int64_t kWidth = kTileColumns<T>;
  if (blocks.packed == nullptr) return kWidth;
  const int64_t fit = kChunkBytes / (depth * static_cast<int64_t>(sizeof(T)));
  return std::max(kWidth, fit / kWidth * kWidth);
}

// Returns the panel of `b` that begins at `column`, from depth p on. `panel` is its copy if panels
// are copied.
template <typename T>
ColumnSource<T> ColumnsAt(const Blocks<T>& blocks, int64_t p, int64_t column, const T* panel) {
  const GemmArgs<T>& args = blocks.args;
  constexpr int64_t kWidth = kTileColumns<T>;
  if (blocks.packed != nullptr) {
    return {blocks.packed + (column - blocks.first_column) * args.k + p * kWidth, kWidth};
  }
  if (blocks.Copies(column)) return {panel, kWidth};
  return {args.b + p * args.b_row + column, args.b_row};
}

// Multiplies kBlockDepth terms. The rows of a tile remain in the L1 cache for all columns.
template <typename T>
void MultiplyStep(const Blocks<T>& blocks, int64_t row, int64_t rows, int64_t p, int64_t begin,
                  int64_t end, T* packed, T* panel) {
  const GemmArgs<T>& args = blocks.args;
  const int64_t depth = std::min(kBlockDepth<T>, args.k - p);
  const int64_t chunk = ChunkColumns(blocks, depth);
  const int64_t tiles = CeilDiv(rows, kTileRows);
  const bool add = args.adds || p > 0;
  for (int64_t first = begin; first < end; first += chunk) {
    const int64_t limit = std::min(end, first + chunk);
    if (blocks.Copies(first)) PackB(args, first, p, depth, panel);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t i = rows * tile / tiles;
      const int height = static_cast<int>(rows * (tile + 1) / tiles - i);
      RowSource<T> a = {args.a + (row + i) * args.a_row + p, args.a_row};
      if (packed != nullptr) {
        a = {packed + i * depth};
        if (first == begin) PackRows(args, row + i, height, p, depth, packed + i * depth);
      }
      for (int64_t column = first; column < limit; column += kTileColumns<T>) {
        MultiplyTile(args, row + i, height, depth, a, ColumnsAt(blocks, p, column, panel), column,
                     add);
      }
    }
  }
}

template <typename T>
bool MultiplyRows(const Blocks<T>& blocks, int64_t row, int64_t rows, int64_t column_begin,
                  int64_t column_end) {
  const GemmArgs<T>& args = blocks.args;
  constexpr int64_t kWidth = kTileColumns<T>;
  const bool in_place = ReadsRowsInPlace(args);
  const int64_t depth = std::min(args.k, kBlockDepth<T>);
  WorkBuffer<T> packed(in_place ? 0 : rows * depth + kPackSlack / static_cast<int64_t>(sizeof(T)));
  const bool copies =
      blocks.packed == nullptr && (blocks.copies_panels || column_end % kWidth != 0);
  WorkBuffer<T> panel(copies ? depth * kWidth : 0);
  if (packed.data == nullptr || panel.data == nullptr) return false;
  for (int64_t p = 0; p < args.k; p += kBlockDepth<T>) {
    MultiplyStep(blocks, row, rows, p, column_begin, column_end, in_place ? nullptr : packed.data,
                 panel.data);
  }
  return true;
}

// Returns the number of parts into which columns are split if there are few blocks of rows.
template <typename T>
int64_t ColumnPieces(const GemmArgs<T>& args, int64_t panels, int64_t row_blocks, int64_t threads) {
  int64_t most = panels;
  if (!ReadsRowsInPlace(args)) {
    most = std::min(panels, std::max(panels / kPiecePanels, CeilDiv(threads, row_blocks)));
  }
  return std::clamp<int64_t>(threads == 1 ? 1 : 4 * threads / row_blocks, 1, most);
}

template <typename T>
absl::Status MultiplyBlocks(const Parallel& parallel, const Blocks<T>& blocks) {
  const GemmArgs<T>& args = blocks.args;
  constexpr int64_t kWidth = kTileColumns<T>;
  const int64_t threads = parallel.threads(), tiles = CeilDiv(args.m, kTileRows);
  int64_t row_blocks = CeilDiv(tiles, kBlockTiles);
  if (row_blocks > 1) row_blocks = std::min(tiles, CeilDiv(row_blocks, threads) * threads);
  const int64_t panels = CeilDiv(blocks.columns, kWidth);
  const int64_t width = CeilDiv(panels, ColumnPieces(args, panels, row_blocks, threads)) * kWidth;
  const int64_t pieces = CeilDiv(blocks.columns, width);
  std::atomic<bool> failed{false};
  const double cost = GemmNanoseconds(CeilDiv(args.m, row_blocks), width, args.k, sizeof(T));
  parallel.For(row_blocks * pieces, cost, [&](int64_t unit, int64_t end) HWY_ATTR {
    for (; unit < end; ++unit) {
      const int64_t block = unit / pieces, piece = unit % pieces * width;
      const int64_t row = block * args.m / row_blocks;
      const int64_t below = (block + 1) * args.m / row_blocks;
      const int64_t begin = blocks.first_column + piece;
      const int64_t limit = blocks.first_column + std::min(blocks.columns, piece + width);
      if (!MultiplyRows(blocks, row, below - row, begin, limit)) failed = true;
    }
  });
  return failed ? OutOfScratch(CeilDiv(args.m, row_blocks) * kBlockDepth<T> * sizeof(T))
                : absl::OkStatus();
}

template <typename T>
absl::Status MultiplyPacked(const Parallel& parallel, const GemmArgs<T>& args) {
  constexpr int64_t kWidth = kTileColumns<T>;
  const int64_t fit = kPackedBytes / (static_cast<int64_t>(sizeof(T)) * args.k) / kWidth * kWidth;
  const int64_t step = std::clamp<int64_t>(fit, kWidth, CeilDiv(args.n, kWidth) * kWidth);
  const int64_t bytes = step * args.k * static_cast<int64_t>(sizeof(T));
  const Scratch packed(bytes);
  if (!packed.ok()) return OutOfScratch(bytes);
  for (int64_t column = 0; column < args.n; column += step) {
    const int64_t columns = std::min(step, args.n - column);
    parallel.For(
        CeilDiv(columns, kWidth), 0.6 * kWidth * args.k,
        [&](int64_t panel, int64_t end)
            HWY_ATTR { PackPanels(args, column, panel, end, packed.As<T>()); },
        kPanelsSideBySide);
    const Blocks<T> blocks = {args, packed.As<T>(), column, columns};
    HLOCTS_RETURN_IF_ERROR(MultiplyBlocks(parallel, blocks));
  }
  return absl::OkStatus();
}

template <typename T>
void Clear(const GemmArgs<T>& args) {
  for (int64_t i = 0; i < args.m; ++i) {
    std::fill(args.c + i * args.c_row, args.c + i * args.c_row + args.n, SumOf<T>(0));
  }
}

// Converts a product whose result is one column to a product whose result is one row. c must be
// contiguous.
template <typename T>
GemmArgs<T> TransposedColumn(const GemmArgs<T>& args) {
  GemmArgs<T> flipped = args;
  flipped.m = 1;
  flipped.n = args.m;
  flipped.a = args.b;
  flipped.a_row = args.b_column;
  flipped.a_column = args.b_row;
  flipped.b = args.a;
  flipped.b_row = args.a_column;
  flipped.b_column = args.a_row;
  flipped.c_row = args.m;
  return flipped;
}

template <typename T>
absl::Status Product(const Parallel& parallel, const GemmArgs<T>& args) {
  if (args.m == 0 || args.n == 0) return absl::OkStatus();
  if (args.k == 0) {
    if (!args.adds) Clear(args);
    return absl::OkStatus();
  }
  if constexpr (!kIsGroup<T>) {
    if (args.m == 1 && args.a_column == 1 && args.b_row == 1) {
      return MultiplyVector(parallel, args), absl::OkStatus();
    }
    const int64_t few = args.n >= kFewRowsColumns<T> ? kFewRows : 1;
    if (args.m <= few && args.b_column == 1) {
      return MultiplyFewRows(parallel, args), absl::OkStatus();
    }
    if (args.k == 1 && args.b_column == 1 && args.n >= kFewRowsColumns<T>) {
      return MultiplyOuter(parallel, args), absl::OkStatus();
    }
    if (args.n == 1 && args.c_row == 1 && args.m > 1) {
      return Product(parallel, TransposedColumn(args));
    }
  }
  if (ReadsPanelsInPlace(args)) {
    return MultiplyBlocks(parallel, Blocks<T>{.args = args, .columns = args.n});
  }
  if (args.b_column != 1 && IsOneBlock(args)) {
    return MultiplyBlocks(parallel,
                          Blocks<T>{.args = args, .columns = args.n, .copies_panels = true});
  }
  return MultiplyPacked(parallel, args);
}

absl::Status F32(const Parallel& parallel, const GemmArgs<float>& args) {
  return Product(parallel, args);
}
absl::Status F64(const Parallel& parallel, const GemmArgs<double>& args) {
  return Product(parallel, args);
}
absl::Status U32(const Parallel& parallel, const GemmArgs<uint32_t>& args) {
  return Product(parallel, args);
}
absl::Status U64(const Parallel& parallel, const GemmArgs<uint64_t>& args) {
  return Product(parallel, args);
}
#if HWY_TARGET == HWY_AVX3
absl::Status Pairs(const Parallel& parallel, const GemmArgs<PairBf16>& args) {
  return Product(parallel, args);
}
absl::Status Quads(const Parallel& parallel, const GemmArgs<QuadInt8>& args) {
  return Product(parallel, args);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(F32);
HWY_EXPORT(F64);
HWY_EXPORT(U32);
HWY_EXPORT(U64);

template <>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<float>& args) {
  return HWY_DYNAMIC_DISPATCH(F32)(parallel, args);
}
template <>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<double>& args) {
  return HWY_DYNAMIC_DISPATCH(F64)(parallel, args);
}
template <>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<uint32_t>& args) {
  return HWY_DYNAMIC_DISPATCH(U32)(parallel, args);
}
template <>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<uint64_t>& args) {
  return HWY_DYNAMIC_DISPATCH(U64)(parallel, args);
}

// The other targets do not multiply groups (see MultipliesPairs).
#if HWY_TARGETS & HWY_AVX3
#define HLOCTS_GROUPS(function) N_AVX3::function(parallel, args)
#else
#define HLOCTS_GROUPS(function) absl::UnimplementedError(#function)
#endif
template <>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<PairBf16>& args) {
  return HLOCTS_GROUPS(Pairs);
}
template <>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<QuadInt8>& args) {
  return HLOCTS_GROUPS(Quads);
}
#undef HLOCTS_GROUPS

}  // namespace hlocts::kernels
#endif
