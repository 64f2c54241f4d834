// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/elementwise/block_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/kernels/loop.h"
#include "spec/base/status.h"
#include "spec/base/vector_clones.h"

namespace hlocts::reference {
namespace {

// Twice the least normal f32, and the largest: a rounded result between them stayed normal.
constexpr double kBlockLeast = 0x1p-125, kBlockMost = 0x1.fffffep+127;

inline bool StaysNormal(double lo, double hi) {
  const double near = std::min(std::fabs(lo), std::fabs(hi));
  const double far = std::max(std::fabs(lo), std::fabs(hi));
  return (near > kBlockLeast) & (far < kBlockMost) & ((lo > 0) == (hi > 0));
}

template <bool kHull>
[[gnu::always_inline]] inline bool MultiplyLoop(const ColumnBlock& x, const ColumnBlock& y,
                                                int64_t count, const BlockEnds& out) {
  const double *alo = x.lo, *ahi = x.hi;
  const double *blo = y.lo, *bhi = y.hi;
  double *lo = out.lo, *hi = out.hi;
  double *rlo = out.rlo, *rhi = out.rhi;
  int64_t bad = 0;
  HLOCTS_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i) {
    const double p = alo[i] * blo[i], q = alo[i] * bhi[i];
    const double r = ahi[i] * blo[i], s = ahi[i] * bhi[i];
    const double least = std::min(std::min(p, q), std::min(r, s));
    const double most = std::max(std::max(p, q), std::max(r, s));
    // Values, not places that are read again: stores might have changed these.
    const double below = static_cast<float>(least), above = static_cast<float>(most);
    lo[i] = below;
    hi[i] = above;
    if constexpr (kHull) {
      rlo[i] = std::min(least, below);
      rhi[i] = std::max(most, above);
    }
    const bool zero = (least == 0) & (most == 0);
    bad |= static_cast<int64_t>(!(zero | StaysNormal(below, above)));
  }
  return bad == 0;
}

// a + b in f64, rounded to f32. `lost`: what the sum lacks (Knuth). The second rounding decides as
// one would, unless the sum lies within a unit of a midpoint and something was lost.
struct BlockSum {
  double sum, lost, rounded;
  [[gnu::always_inline]] BlockSum(double a, double b) : sum(a + b) {
    const double t = sum - a;
    lost = (a - (sum - t)) + (b - t);
    rounded = static_cast<float>(sum);
  }
  [[gnu::always_inline]] bool MayRoundTwice() const {
    const float above = static_cast<float>(sum * (1 + 0x1p-52));
    const float below = static_cast<float>(sum * (1 - 0x1p-52));
    return (lost != 0) & (above != below);
  }
  // The neighbour of the sum on the side of `lost`; the sum if that points to the other side.
  [[gnu::always_inline]] double Towards(double side) const {
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
[[gnu::always_inline]] inline bool SumLoop(const ColumnBlock& x, const ColumnBlock& y,
                                           int64_t count, const BlockEnds& out) {
  const double *alo = x.lo, *ahi = x.hi;
  const double *blo = kSubtract ? y.hi : y.lo, *bhi = kSubtract ? y.lo : y.hi;
  double *lo = out.lo, *hi = out.hi;
  double *rlo = out.rlo, *rhi = out.rhi;
  constexpr double kSign = kSubtract ? -1 : 1;
  int64_t bad = 0;
  HLOCTS_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i) {
    const BlockSum below(alo[i], kSign * blo[i]), above(ahi[i], kSign * bhi[i]);
    lo[i] = below.rounded;
    hi[i] = above.rounded;
    if constexpr (kHull) {
      rlo[i] = std::min(below.Towards(-1), below.rounded);
      rhi[i] = std::max(above.Towards(1), above.rounded);
    }
    // One after the other: without a branch, as || would have.
    bad |= static_cast<int64_t>(!StaysNormal(below.rounded, above.rounded));
    bad |= static_cast<int64_t>(below.MayRoundTwice());
    bad |= static_cast<int64_t>(above.MayRoundTwice());
  }
  return bad == 0;
}

template <bool kMaximum>
[[gnu::always_inline]] inline bool ExtremumLoop(const ColumnBlock& x, const ColumnBlock& y,
                                                int64_t count, const BlockEnds& out) {
  const double *alo = x.lo, *ahi = x.hi;
  const double *blo = y.lo, *bhi = y.hi;
  double *lo = out.lo, *hi = out.hi;
  int64_t bad = 0;
  HLOCTS_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i) {
    const double a = alo[i], b = blo[i], c = ahi[i], d = bhi[i];
    const double below = kMaximum ? std::max(a, b) : std::min(a, b);
    const double above = kMaximum ? std::max(c, d) : std::min(c, d);
    lo[i] = below;
    hi[i] = above;
    const bool numbers = (a == a) & (b == b);
    const bool one_sign = ((below > 0) == (above > 0)) & ((below < 0) == (above < 0));
    bad |= static_cast<int64_t>(!numbers | !one_sign | ((a == 0) & (b == 0)));
  }
  if (out.rlo != nullptr) {
    std::memcpy(out.rlo, out.lo, static_cast<size_t>(count) * sizeof(double));
    std::memcpy(out.rhi, out.hi, static_cast<size_t>(count) * sizeof(double));
  }
  return bad == 0;
}

// wider(i): the cause of element i if it has more numbers than one.
template <class Wider>
[[gnu::always_inline]] inline void PutCausesLoop(const BlockEnds& ends, int64_t count,
                                                 const BlockCauses& causes, const Wider& wider) {
  const double *lo = ends.lo, *hi = ends.hi;
  uint32_t* out = causes.out;
  const uint32_t point = causes.point;
  HLOCTS_INDEPENDENT_LOOP
  for (int64_t i = 0; i < count; ++i) out[i] = SelectBits(lo[i] != hi[i], wider(i), point);
}

}  // namespace

HLOCTS_VECTOR_CLONES bool MultiplyBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                                        const BlockEnds& out) {
  return out.rlo != nullptr ? MultiplyLoop<true>(x, y, count, out)
                            : MultiplyLoop<false>(x, y, count, out);
}
HLOCTS_VECTOR_CLONES bool AddBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                                   const BlockEnds& out) {
  return out.rlo != nullptr ? SumLoop<true, false>(x, y, count, out)
                            : SumLoop<false, false>(x, y, count, out);
}
HLOCTS_VECTOR_CLONES bool SubtractBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                                        const BlockEnds& out) {
  return out.rlo != nullptr ? SumLoop<true, true>(x, y, count, out)
                            : SumLoop<false, true>(x, y, count, out);
}
HLOCTS_VECTOR_CLONES bool MaximumBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                                       const BlockEnds& out) {
  return ExtremumLoop<true>(x, y, count, out);
}
HLOCTS_VECTOR_CLONES bool MinimumBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                                       const BlockEnds& out) {
  return ExtremumLoop<false>(x, y, count, out);
}

bool F32Blocks::operator()(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                           const BlockEnds& out) const {
  switch (operation) {
    case ops::FieldOperation::kAdd:
      return AddBlock(x, y, count, out);
    case ops::FieldOperation::kSubtract:
      return SubtractBlock(x, y, count, out);
    case ops::FieldOperation::kMultiply:
      return MultiplyBlock(x, y, count, out);
    case ops::FieldOperation::kDivide:
      return false;
  }
  HLOCTS_UNREACHABLE();
}

HLOCTS_VECTOR_CLONES void PutBlockCauses(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                                         const BlockEnds& ends, const BlockCauses& causes) {
  const uint32_t own = causes.own, *only = x.cause != nullptr ? x.cause : y.cause;
  if (x.cause != nullptr && y.cause != nullptr) {
    PutCausesLoop(
        ends, count, causes, [&](int64_t i) __attribute__((always_inline)) {
          const bool x_is_wider = x.hi[i] - x.lo[i] >= y.hi[i] - y.lo[i];
          return WiderCause(x.cause[i], y.cause[i], x_is_wider, own);
        });
  } else if (only != nullptr) {
    PutCausesLoop(
        ends, count, causes, [=](int64_t i) __attribute__((always_inline)) {
          return SelectBits(only[i] >> 24 != 0, only[i], own);
        });
  } else {
    PutCausesLoop(
        ends, count, causes, [=](int64_t) __attribute__((always_inline)) { return own; });
  }
}

HLOCTS_VECTOR_CLONES bool SomeOpen(const double* lo, const double* hi, int64_t count) {
  int64_t open = 0;
  for (int64_t i = 0; i < count; ++i) open |= static_cast<int64_t>(lo[i] != hi[i]);
  return open != 0;
}

}  // namespace hlocts::reference
