// SPDX-License-Identifier: Apache-2.0
// Blocks of f32 elements by loops without a branch, which compilers vectorise. The ends are those
// of column_kernels.h. False: some element is no ordinary number, or has to be looked at alone;
// what was written does not count then.
#ifndef HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_BLOCK_KERNELS_H_
#define HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_BLOCK_KERNELS_H_

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/judge/elementwise/column_reader.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {

// Where a block's results go. rlo, rhi: nullptr where nobody reads unrounded values.
struct BlockEnds {
  double *lo, *hi, *rlo, *rhi;
};

// Twice the least normal f32, and the largest: a rounded result between them stayed normal.
inline constexpr double kBlockLeast = 0x1p-125, kBlockMost = 0x1.fffffep+127;

inline bool StaysNormal(double lo, double hi) {
  const double near = std::min(std::fabs(lo), std::fabs(hi));
  const double far = std::max(std::fabs(lo), std::fabs(hi));
  return (near > kBlockLeast) & (far < kBlockMost) & ((lo > 0) == (hi > 0));
}

// Products of two f32 are exact in f64; operands have one sign each, or are zeros.
template <bool kHull>
bool MultiplyBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                   const BlockEnds& out) {
  const double* __restrict alo = x.lo, * __restrict ahi = x.hi;
  const double* __restrict blo = y.lo, * __restrict bhi = y.hi;
  double* __restrict lo = out.lo, * __restrict hi = out.hi;
  double* __restrict rlo = out.rlo, * __restrict rhi = out.rhi;
  int64_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double p = alo[i] * blo[i], q = alo[i] * bhi[i];
    const double r = ahi[i] * blo[i], s = ahi[i] * bhi[i];
    const double least = std::min(std::min(p, q), std::min(r, s));
    const double most = std::max(std::max(p, q), std::max(r, s));
    lo[i] = static_cast<float>(least);
    hi[i] = static_cast<float>(most);
    if constexpr (kHull) {
      rlo[i] = std::min(least, lo[i]);
      rhi[i] = std::max(most, hi[i]);
    }
    const bool zero = (least == 0) & (most == 0);
    bad |= static_cast<int64_t>(!(zero | StaysNormal(lo[i], hi[i])));
  }
  return bad == 0;
}

// a + b in f64, rounded to f32. `lost`: what the sum lacks (Knuth). The second rounding decides as
// one would, unless the sum lies within a unit of a midpoint and something was lost.
struct BlockSum {
  double sum, lost, rounded;
  BlockSum(double a, double b) : sum(a + b) {
    const double t = sum - a;
    lost = (a - (sum - t)) + (b - t);
    rounded = static_cast<float>(sum);
  }
  bool MayRoundTwice() const {
    const float above = static_cast<float>(sum * (1 + 0x1p-52));
    const float below = static_cast<float>(sum * (1 - 0x1p-52));
    return (lost != 0) & (above != below);
  }
  // The neighbour of the sum on the side of `lost`; the sum if that points to the other side.
  double Towards(double side) const {
    int64_t bits;
    std::memcpy(&bits, &sum, sizeof(bits));
    const int64_t step = (sum > 0) == (side > 0) ? 1 : -1;
    bits += lost * side > 0 ? step : 0;
    double moved;
    std::memcpy(&moved, &bits, sizeof(moved));
    return moved;
  }
};

template <bool kHull, bool kSubtract>
bool SumBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count, const BlockEnds& out) {
  const double* __restrict alo = x.lo, * __restrict ahi = x.hi;
  const double* __restrict blo = kSubtract ? y.hi : y.lo, * __restrict bhi =
                                                              kSubtract ? y.lo : y.hi;
  double* __restrict lo = out.lo, * __restrict hi = out.hi;
  double* __restrict rlo = out.rlo, * __restrict rhi = out.rhi;
  constexpr double kSign = kSubtract ? -1 : 1;
  int64_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    const BlockSum below(alo[i], kSign * blo[i]), above(ahi[i], kSign * bhi[i]);
    lo[i] = below.rounded;
    hi[i] = above.rounded;
    if constexpr (kHull) {
      rlo[i] = std::min(below.Towards(-1), lo[i]);
      rhi[i] = std::max(above.Towards(1), hi[i]);
    }
    // One after the other: without a branch, as || would have.
    bad |= static_cast<int64_t>(!StaysNormal(lo[i], hi[i]));
    bad |= static_cast<int64_t>(below.MayRoundTwice());
    bad |= static_cast<int64_t>(above.MayRoundTwice());
  }
  return bad == 0;
}

template <bool kMaximum>
bool ExtremumBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                   const BlockEnds& out) {
  const double* __restrict alo = x.lo, * __restrict ahi = x.hi;
  const double* __restrict blo = y.lo, * __restrict bhi = y.hi;
  double* __restrict lo = out.lo, * __restrict hi = out.hi;
  int64_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    lo[i] = kMaximum ? std::max(alo[i], blo[i]) : std::min(alo[i], blo[i]);
    hi[i] = kMaximum ? std::max(ahi[i], bhi[i]) : std::min(ahi[i], bhi[i]);
    const bool numbers = (alo[i] == alo[i]) & (blo[i] == blo[i]);
    const bool one_sign = ((lo[i] > 0) == (hi[i] > 0)) & ((lo[i] < 0) == (hi[i] < 0));
    bad |= static_cast<int64_t>(!numbers | !one_sign | ((alo[i] == 0) & (blo[i] == 0)));
  }
  if (out.rlo != nullptr) {
    std::memcpy(out.rlo, out.lo, static_cast<size_t>(count) * sizeof(double));
    std::memcpy(out.rhi, out.hi, static_cast<size_t>(count) * sizeof(double));
  }
  return bad == 0;
}

// Blocks of f32 arithmetic.
template <bool kHull>
struct F32Blocks {
  ops::FieldOperation operation;

  bool operator()(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                  const BlockEnds& out) const {
    switch (operation) {
      case ops::FieldOperation::kAdd:
        return SumBlock<kHull, false>(x, y, count, out);
      case ops::FieldOperation::kSubtract:
        return SumBlock<kHull, true>(x, y, count, out);
      case ops::FieldOperation::kMultiply:
        return MultiplyBlock<kHull>(x, y, count, out);
      case ops::FieldOperation::kDivide:
        return false;
    }
    HLOCTS_UNREACHABLE();
  }
};

// a or b, without a branch.
inline uint32_t SelectBits(bool first, uint32_t a, uint32_t b) {
  const uint32_t mask = 0 - static_cast<uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

// Of an element with more numbers than one wider(i), else `point`.
template <class Wider>
void PutBlockCauses(const double* lo, const double* hi, int64_t count, uint32_t point,
                    const Wider& wider, uint32_t* __restrict causes) {
  for (int64_t i = 0; i < count; ++i) causes[i] = SelectBits(lo[i] != hi[i], wider(i), point);
}

// Some two ends differ.
inline bool SomeOpen(const double* lo, const double* hi, int64_t count) {
  int64_t open = 0;
  for (int64_t i = 0; i < count; ++i) open |= static_cast<int64_t>(lo[i] != hi[i]);
  return open != 0;
}

// Where blocks have no loop of their own.
struct NoBlocks {
  bool operator()(const ColumnBlock&, const ColumnBlock&, int64_t, const BlockEnds&) const {
    return false;
  }
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_BLOCK_KERNELS_H_
