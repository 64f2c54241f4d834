// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"

namespace hlocts {

namespace {

bool LessAsLow(const Bound& a, const Bound& b) {
  if (a.value != b.value) return a.value < b.value;
  auto rank = [](const Bound& x) { return x.residual == Bound::kUnknown ? -2 : x.residual; };
  return rank(a) < rank(b);
}
bool LessAsHigh(const Bound& a, const Bound& b) {
  if (a.value != b.value) return a.value < b.value;
  return a.residual < b.residual;
}

}  // namespace

void Include(const Bound& bound, Image& r) {
  if (!r.finite) {
    r.lo = r.hi = bound;
    r.finite = true;
    return;
  }
  if (LessAsLow(bound, r.lo)) r.lo = bound;
  if (LessAsHigh(r.hi, bound)) r.hi = bound;
}

Image AddImage(const View& a, const View& b) {
  Image r{.nan = a.nan || b.nan || (a.pos_inf && b.neg_inf) || (a.neg_inf && b.pos_inf),
          .pos_inf = (a.pos_inf && (b.finite || b.pos_inf)) || (b.pos_inf && a.finite),
          .neg_inf = (a.neg_inf && (b.finite || b.neg_inf)) || (b.neg_inf && a.finite),
          .finite = a.finite && b.finite};
  if (!r.finite) return r;
  r.lo = AddExact(a.lo, b.lo);
  r.hi = AddExact(a.hi, b.hi);
  if (r.lo.value > 0 || r.hi.value < 0) return r;
  bool cancels = (a.Positive() && b.Negative()) || (a.Negative() && b.Positive());
  r.pos_zero = cancels || (a.pos_zero && b.Zero()) || (b.pos_zero && a.Zero());
  r.neg_zero = a.neg_zero && b.neg_zero;
  return r;
}

View Negated(View v) {
  std::swap(v.pos_inf, v.neg_inf);
  std::swap(v.pos_zero, v.neg_zero);
  double lo = v.lo;
  v.lo = -v.hi;
  v.hi = -lo;
  return v;
}

Image MultiplyImage(const View& a, const View& b) {
  Image r;
  r.nan = a.nan || b.nan || (a.Infinite() && b.Zero()) || (b.Infinite() && a.Zero());
  SetInfinities(ProductSigns(InfinitySigns(a), FiniteSigns(b) | InfinitySigns(b)), r);
  SetInfinities(ProductSigns(InfinitySigns(b), FiniteSigns(a)), r);
  SetZeros(ProductSigns(ZeroSigns(a), FiniteSigns(b) | ZeroSigns(b)), r);
  SetZeros(ProductSigns(ZeroSigns(b), FiniteSigns(a)), r);
  if (!a.finite || !b.finite) return r;
  Include(MultiplyExact(a.lo, b.lo), r);
  if (a.lo != a.hi || b.lo != b.hi) {
    Include(MultiplyExact(a.lo, b.hi), r);
    Include(MultiplyExact(a.hi, b.lo), r);
    Include(MultiplyExact(a.hi, b.hi), r);
  }
  return r;
}

Image DivideImage(const View& a, const View& b, double least) {
  Image r;
  r.nan = a.nan || b.nan || (a.Infinite() && b.Infinite()) || (a.Zero() && b.Zero());
  SetInfinities(ProductSigns(InfinitySigns(a), FiniteSigns(b) | ZeroSigns(b)), r);
  SetInfinities(ProductSigns(FiniteSigns(a), ZeroSigns(b)), r);
  SetZeros(ProductSigns(ZeroSigns(a), FiniteSigns(b) | InfinitySigns(b)), r);
  SetZeros(ProductSigns(FiniteSigns(a), InfinitySigns(b)), r);
  const bool zero = a.Zero() && !a.Positive() && !a.Negative();
  if (!a.finite || !b.finite || zero) return r;
  auto part = [&](double lo, double hi) {
    for (double x : {a.lo, a.hi}) {
      Include(DivideExact(x, lo), r);
      if (hi != lo) Include(DivideExact(x, hi), r);
    }
  };
  if (b.Positive()) part(std::max(b.lo, least), std::max(b.hi, least));
  if (b.Negative()) part(std::min(b.lo, -least), std::min(b.hi, -least));
  return r;
}

// The remainder has the dividend's sign and is smaller than the divisor in magnitude (ruling 0001).
Image RemainderImage(const View& a, const View& b) {
  Image r;
  r.nan = a.nan || b.nan || a.Infinite() || b.Zero();
  if (!a.finite || !(b.finite || b.Infinite())) return r;
  SetZeros(b.Positive() || b.Negative() || b.Infinite() ? ZeroSigns(a) : 0, r);
  if (b.Infinite()) {
    Include(Point(a.lo), r);
    Include(Point(a.hi), r);
  }
  if (!b.Positive() && !b.Negative()) return r;
  double least = b.lo > 0 ? b.lo : b.hi < 0 ? -b.hi : 0, most = std::max(-b.lo, b.hi);
  if (std::max(-a.lo, a.hi) < least) {  // below every divisor: the remainder is the dividend
    Include(Point(a.lo), r);
    Include(Point(a.hi), r);
    return r;
  }
  double low = std::fmod(a.lo, b.hi), high = std::fmod(a.hi, b.hi);
  bool one_branch =
      b.lo == b.hi && b.lo != 0 && a.lo * a.hi >= 0 && low <= high && a.hi - a.lo < std::fabs(b.hi);
  if (!one_branch) {
    low = std::max(std::min(a.lo, 0.0), -most);
    high = std::min(std::max(a.hi, 0.0), most);
    SetZeros(FiniteSigns(a), r);
  }
  Include(Point(low), r);
  Include(Point(high), r);
  if (low == 0 || high == 0) SetZeros(FiniteSigns(a), r);
  return r;
}

}  // namespace hlocts
