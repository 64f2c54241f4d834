// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/judge/float_images.h"

namespace hlocts {

using Flag = AcceptanceSet::Flag;

View ReadSet(const AcceptanceSet& s, const FloatFacts& facts, uint32_t permissions,
             bool read_hull) {
  View v;
  v.nan = s.Has(Flag::kNan);
  v.pos_inf = s.Has(Flag::kPosInf);
  v.neg_inf = s.Has(Flag::kNegInf);
  v.pos_zero = s.Has(Flag::kPosZero);
  v.neg_zero = s.Has(Flag::kNegZero);
  v.integral = s.Has(Flag::kIntegral);
  v.finite = s.finite();
  if (v.finite) v.lo = s.lo, v.hi = s.hi;
  if (read_hull && s.Has(Flag::kPreRounding)) {
    v.lo = v.finite ? std::min(s.lo, s.rlo) : s.rlo;
    v.hi = v.finite ? std::max(s.hi, s.rhi) : s.rhi;
    v.finite = true;
    v.integral = false;
    if (v.lo <= 0 && v.hi >= 0 && !v.Zero()) v.pos_zero = v.neg_zero = true;
  }
  bool flushed_below = false;
  if ((permissions & kFlushOperand) && v.finite) {
    if (MeetsBelow(v.lo, v.hi, facts.min_normal)) {
      v.pos_zero = true;
      v.lo = std::min(v.lo, 0.0);
    }
    flushed_below = MeetsBelow(-v.hi, -v.lo, facts.min_normal);
    if (flushed_below) {
      v.neg_zero = true;
      v.hi = std::max(v.hi, 0.0);
    }
  }
  // A format without a negative zero stores -0 as +0, but the unrounded value may be -0. An operand
  // that is flushed in a wider format, which has both zeros, may also be -0 (lemma 7).
  if (v.Zero() && !facts.negative_zero) {
    v.pos_zero = true;
    v.neg_zero = flushed_below ||
                 (read_hull && (s.Has(Flag::kPreRounding) || (permissions & kSkipRounding)));
  }
  return v;
}

// Lemma. Rounding rn is monotone, so rounding the max, min or |x| of unrounded values yields the
// max, min or |x| of the rounded values. The stored set does not grow.
AcceptanceSet KeepUnrounded(AcceptanceSet stored, const AcceptanceSet& wide) {
  if (!wide.finite()) return stored;
  const bool finite = stored.finite();
  if (finite && wide.lo >= stored.lo && wide.hi <= stored.hi) return stored;
  stored.rlo = finite ? std::min(stored.lo, wide.lo) : wide.lo;
  stored.rhi = finite ? std::max(stored.hi, wide.hi) : wide.hi;
  stored.flags |= Flag::kPreRounding;
  return stored;
}

AcceptanceSet WithFlushes(AcceptanceSet s, const FloatFacts& facts) {
  if (s.unspecified() || s.integer() || !s.finite()) return s;
  bool above = MeetsBelow(s.lo, s.hi, facts.min_normal);
  bool below = MeetsBelow(-s.hi, -s.lo, facts.min_normal);
  if (!above && !below) return s;
  if (s.cause == WideningCause::kPoint) s.cause = WideningCause::kUnderflow;
  s.flags |= (above || !facts.negative_zero ? Flag::kPosZero : 0) |
             (below && facts.negative_zero ? Flag::kNegZero : 0);
  if (below && !facts.negative_zero) s.flags |= Flag::kPreRounding;
  s.lo = std::min(s.lo, 0.0);
  s.hi = std::max(s.hi, 0.0);
  s.rlo = std::min(s.rlo, s.lo);
  s.rhi = std::max(s.rhi, s.hi);
  return s;
}

}  // namespace hlocts
