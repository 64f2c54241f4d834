// SPDX-License-Identifier: Apache-2.0
// Copies an array to another order of dimensions, by tiles. A tile is transposed in shared memory,
// so both reads and writes are contiguous.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_TRANSPOSE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_TRANSPOSE_H_

#include "backends/engine/cuda/device/block_reduce.h"

namespace hl {

// Returns the side of a tile: the largest that fits in shared memory, to move more per thread.
HL_FN constexpr int TileOf(int bytes) { return bytes <= 4 ? 64 : 32; }

// Copies planes [rows, columns]. In the operand, elements of adjacent rows are contiguous; in the
// result, those of adjacent columns. `from` and `to` are views of the other dimensions.
struct TransposeArgs {
  NoProgram body;
  int phases, bytes, narrow;
  i64 rows, columns;
  i64 column_from,
      row_to;  // stride of a column in the operand, of a row in the result
  i64 row_tiles, column_tiles;
  View from, to;
  const void* in;
  void* out;
};

// Copies one tile of elements of type W. The positions in a line of the tile are XORed with the
// line's number, so that a column uses all banks of shared memory. All loads precede the first
// store, so that they overlap.
template <class W, bool kWhole>
HL_FN void TransposeTile(const TransposeArgs& a, W* tile, i64 r, i64 c, i64 at, int phase,
                         int thread) {
  constexpr int kTile = TileOf(sizeof(W)), kStep = kBlockThreads / kTile, kLines = kTile / kStep;
  const int near = thread % kTile, far = thread / kTile;
  const i64 rows = a.rows - r, columns = a.columns - c;
  W held[kLines];
  if (phase == 0) {
    const W* in = static_cast<const W*>(a.in) + at + r + near + (c + far) * a.column_from;
    const i64 step = kStep * a.column_from;
    HL_UNROLL_MOVES
    for (int k = 0; k < kLines; ++k) {
      if (kWhole || (near < rows && far + k * kStep < columns)) {
        held[k] = *in;
      }
      in += step;
    }
    HL_UNROLL_MOVES
    for (int k = 0; k < kLines; ++k) {
      const int line = far + k * kStep;
      tile[line * kTile + (near ^ line % 32)] = held[k];
    }
    return;
  }
  W* out = static_cast<W*>(a.out) + at + (r + far) * a.row_to + c + near;
  const i64 step = kStep * a.row_to;
  HL_UNROLL_MOVES
  for (int k = 0; k < kLines; ++k) {
    if (kWhole || (far + k * kStep < rows && near < columns)) {
      *out = tile[near * kTile + ((far + k * kStep) ^ near % 32)];
    }
    out += step;
  }
}
// Copies one tile. This is a separate function for each width, to use as few registers as possible.
template <class W>
HL_CALL void TransposeTiles(const TransposeArgs& a, void* shared, i64 block, int phase,
                            int thread) {
  constexpr int kTile = TileOf(sizeof(W));
  W* tile = static_cast<W*>(shared);
  const i64 r = SplitOff(block, a.row_tiles, a.narrow) * kTile;
  const i64 c = SplitOff(block, a.column_tiles, a.narrow) * kTile;
  const View& view = phase == 0 ? a.from : a.to;
  const i64 at = view.rank == 0 ? view.offset : OffsetOf(view, block);
  if (r + kTile <= a.rows && c + kTile <= a.columns) {
    TransposeTile<W, true>(a, tile, r, c, at, phase, thread);
  } else {
    TransposeTile<W, false>(a, tile, r, c, at, phase, thread);
  }
}

// The phases are: read, write. A block copies one tile.
template <class F>
HL_FN void TransposeAt(const TransposeArgs& a, const F&, Value* shared, i64 block, int phase,
                       int thread) {
  switch (a.bytes) {
    case 1:
      TransposeTiles<unsigned char>(a, shared, block, phase, thread);
      return;
    case 2:
      TransposeTiles<unsigned short>(a, shared, block, phase, thread);
      return;
    case 4:
      TransposeTiles<u32>(a, shared, block, phase, thread);
      return;
    case 8:
      TransposeTiles<u64>(a, shared, block, phase, thread);
      return;
    default:
      TransposeTiles<Vector16>(a, shared, block, phase, thread);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_TRANSPOSE_H_
