// SPDX-License-Identifier: Apache-2.0
// Copies between two orders of dimensions, tile by tile: what lies side by side is read side by
// side, and written side by side too, since a tile is turned in shared memory.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_TRANSPOSE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_TRANSPOSE_H_

#include "backends/engine/cuda/device/block_reduce.h"

namespace hl {

constexpr int kTile = 32;

// Rows lie side by side in the operand, columns in the result; `from` and `to` are where the other
// dimensions lie in each.
struct TransposeArgs {
  NoProgram body;
  int phases, bytes, narrow;
  i64 rows, columns;
  i64 column_from,
      row_to;  // elements from one column to the next in the operand, one row in the result
  i64 row_tiles, column_tiles;
  View from, to;
  const void* in;
  void* out;
};

// W is an element; a tile's lines are one element longer where there is room, so that a column of
// the tile meets all banks of the shared memory.
template <class W>
HL_FN void TransposeTile(const TransposeArgs& a, W* tile, i64 block, int phase, int thread) {
  const int pitch = sizeof(W) < 16 ? kTile + 1 : kTile;
  const i64 r = SplitOff(block, a.row_tiles, a.narrow) * kTile;
  const i64 c = SplitOff(block, a.column_tiles, a.narrow) * kTile;
  const int near = thread % kTile, far = thread / kTile;
  const i64 at = phase == 0 ? OffsetOf(a.from, block) : OffsetOf(a.to, block);
  HL_UNROLL_ALL
  for (int k = far; k < kTile; k += kBlockThreads / kTile) {
    if (phase == 0 && r + near < a.rows && c + k < a.columns) {
      tile[k * pitch + near] = static_cast<const W*>(a.in)[at + r + near + (c + k) * a.column_from];
    }
    if (phase == 1 && r + k < a.rows && c + near < a.columns) {
      static_cast<W*>(a.out)[at + (r + k) * a.row_to + c + near] = tile[near * pitch + k];
    }
  }
}

// Phases: read, write. Block: one tile.
template <class F>
HL_FN void TransposeAt(const TransposeArgs& a, const F&, Value* shared, i64 block, int phase,
                       int thread) {
  void* tile = shared;
  switch (a.bytes) {
    case 1:
      TransposeTile(a, static_cast<unsigned char*>(tile), block, phase, thread);
      return;
    case 2:
      TransposeTile(a, static_cast<unsigned short*>(tile), block, phase, thread);
      return;
    case 4:
      TransposeTile(a, static_cast<u32*>(tile), block, phase, thread);
      return;
    case 8:
      TransposeTile(a, static_cast<u64*>(tile), block, phase, thread);
      return;
    default:
      TransposeTile(a, static_cast<Sixteen*>(tile), block, phase, thread);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_TRANSPOSE_H_
