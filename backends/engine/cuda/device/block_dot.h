// SPDX-License-Identifier: Apache-2.0
// Matrix products by tiles in shared memory, for types that no library supports, mainly integers.
// Terms are added in the order of DotAt (contraction.h), so the bits are the same.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_DOT_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_DOT_H_

#include "backends/engine/cuda/device/block_reduce.h"
#include "backends/engine/cuda/device/contraction.h"

namespace hl {

constexpr int kDotSide = 32;   // rows and columns of a tile
constexpr int kDotDepth = 16;  // number of terms that are in shared memory at one time
constexpr int kDotCells = kDotSide * kDotDepth;
constexpr int kDotEach = kDotSide * kDotSide / kBlockThreads;  // results of one thread
static_assert((2 * kDotCells + kDotSide * kDotSide) * sizeof(double) <=
              kBlockThreads * kSharedPlaces * sizeof(Value));

// A product [batch, rows, columns] of two matrices. The view `lhs` maps [batch, row] to the first
// term in the left operand, and `rhs` maps [batch, column] to that in the right operand.
struct DotTileArgs {
  NoProgram body;
  int phases;  // for each kDotDepth terms: a phase that reads, one that adds
  int lhs_type, rhs_type, type, computed;
  int lhs_adjoins, rhs_adjoins;  // 1 if the operand's terms are contiguous
  i64 rows, columns, terms, row_tiles, column_tiles;
  View lhs, rhs, lhs_terms, rhs_terms;
  const void* in[2];
  void* out;
};

HL_FN void Take(Value v, u64& to) { to = v.u; }
HL_FN void Take(Value v, float& to) { to = v.f; }
HL_FN void Take(Value v, double& to) { to = v.d; }
HL_FN Value Given(u64 x) {
  Value v;
  v.u = x;
  return v;
}
HL_FN Value Given(float x) {
  Value v;
  v.f = x;
  return v;
}
HL_FN Value Given(double x) {
  Value v;
  v.d = x;
  return v;
}

struct DotPlace {
  i64 batch, row, column;  // position of the tile's first result
  HL_FN DotPlace(const DotTileArgs& a, i64 block)
      : batch(block / (a.row_tiles * a.column_tiles)),
        row(block / a.column_tiles % a.row_tiles * kDotSide),
        column(block % a.column_tiles * kDotSide) {}
};

// Reads one operand's part of a tile as [term][line], where a line is a row of lhs or a column of
// rhs. Stores zeros outside the matrix. Adjacent threads read contiguous elements.
struct DotSource {
  int type, computed, adjoins;
  const View& lines;
  const View& terms;
  const void* in;
};
template <class T>
HL_FN void DotRead(const DotSource& s, i64 line, i64 lines, i64 first_line, i64 term, i64 terms,
                   T* cells, int thread) {
  HL_UNROLL_ALL
  for (int e = thread; e < kDotCells; e += kBlockThreads) {
    const int l = s.adjoins != 0 ? e / kDotDepth : e % kDotSide;
    const int t = s.adjoins != 0 ? e % kDotDepth : e / kDotSide;
    T& cell = cells[t * kDotSide + l];
    cell = 0;
    if (line + l >= lines || term + t >= terms) continue;
    const i64 at = OffsetOf(s.lines, first_line + line + l) + OffsetOf(s.terms, term + t);
    Take(Widened(s.type, s.computed, Load(s.type, s.in, at)), cell);
  }
}

// Adds terms. `cells`: both operands' parts. Sum k of a thread is sums[k * kBlockThreads + thread].
template <class T>
HL_FN void DotAdd(const T* cells, T* sums, int terms, int thread) {
  const int column = thread % kDotSide, row = thread / kDotSide;
  T sum[kDotEach];
  HL_UNROLL_ALL
  for (int k = 0; k < kDotEach; ++k) sum[k] = sums[k * kBlockThreads + thread];
  for (int t = 0; t < terms; ++t) {
    const T y = cells[kDotCells + t * kDotSide + column];
    HL_UNROLL_ALL
    for (int k = 0; k < kDotEach; ++k) {
      sum[k] += cells[t * kDotSide + row + k * (kBlockThreads / kDotSide)] * y;
    }
  }
  HL_UNROLL_ALL
  for (int k = 0; k < kDotEach; ++k) sums[k * kBlockThreads + thread] = sum[k];
}

template <class T>
HL_FN void DotStore(const DotTileArgs& a, const DotPlace& p, const T* sums, int thread) {
  const i64 column = p.column + thread % kDotSide;
  for (int k = 0; k < kDotEach; ++k) {
    const i64 row = p.row + thread / kDotSide + k * (kBlockThreads / kDotSide);
    if (row >= a.rows || column >= a.columns) continue;
    Value sum = Given(sums[k * kBlockThreads + thread]);
    if (a.computed == kPred) sum.u = sum.u != 0;  // sum.u counts the true terms
    StoreSum(a.computed, a.type, a.out, (p.batch * a.rows + row) * a.columns + column, sum);
  }
}

template <class T>
HL_FN void DotTile(const DotTileArgs& a, T* cells, i64 block, int phase, int thread) {
  const DotPlace p(a, block);
  T* const sums = cells + 2 * kDotCells;
  const i64 term = static_cast<i64>(phase / 2) * kDotDepth;
  if (phase % 2 == 0) {
    for (int k = 0; k < kDotEach && phase == 0; ++k) sums[k * kBlockThreads + thread] = 0;
    DotRead(DotSource{a.lhs_type, a.computed, a.lhs_adjoins, a.lhs, a.lhs_terms, a.in[0]}, p.row,
            a.rows, p.batch * a.rows, term, a.terms, cells, thread);
    DotRead(DotSource{a.rhs_type, a.computed, a.rhs_adjoins, a.rhs, a.rhs_terms, a.in[1]}, p.column,
            a.columns, p.batch * a.columns, term, a.terms, cells + kDotCells, thread);
    return;
  }
  DotAdd(cells, sums, static_cast<int>(Least(a.terms - term, kDotDepth)), thread);
  if (phase + 1 == a.phases) DotStore(a, p, sums, thread);
}

// Computes one tile with one block.
template <class F>
HL_FN void DotTileAt(const DotTileArgs& a, const F&, Value* shared, i64 block, int phase,
                     int thread) {
  void* cells = shared;
  if (a.computed == kF32) {
    DotTile(a, static_cast<float*>(cells), block, phase, thread);
  } else if (a.computed == kF64) {
    DotTile(a, static_cast<double*>(cells), block, phase, thread);
  } else {
    DotTile(a, static_cast<u64*>(cells), block, phase, thread);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BLOCK_DOT_H_
