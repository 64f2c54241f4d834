// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts {

namespace {

using Flag = AcceptanceSet::Flag;

double LeastMagnitude(const FloatFacts& facts, const AcceptanceSet& s, bool read_hull) {
  return read_hull && s.Has(Flag::kPreRounding) ? 0x1p-1074 : facts.tiny;
}

double LargestMagnitude(const View& v) {
  if (!v.finite) return 0;
  double magnitude = std::max(std::fabs(v.lo), std::fabs(v.hi));
  return std::isinf(magnitude) ? kLargestDouble : magnitude;
}

AcceptanceSet Selected(bool minimum, const AcceptanceSet& a, const AcceptanceSet& b,
                       const SetContext& context) {
  const uint32_t permissions = context.rule.permissions;
  auto of = [&](bool hull) {
    const View x = ReadSet(a, *context.operand, permissions, hull);
    const View y = ReadSet(b, *context.operand, permissions, hull);
    return minimum ? NegatedSet(MaximumSet(Negated(x), Negated(y), context))
                   : MaximumSet(x, y, context);
  };
  AcceptanceSet s = of(false);
  const bool unrounded = a.Has(Flag::kPreRounding) || b.Has(Flag::kPreRounding);
  return unrounded && context.rule.Allows(kSkipRounding) ? KeepUnrounded(s, of(true)) : s;
}

// Extends the image of a remainder for long quotients. If the quotient may exceed 2^p, its integer
// part has no correct digit: any number smaller than the divisor with the dividend's sign is
// possible.
void IncludeLongQuotients(const View& x, const View& y, const FloatFacts& facts, Image& r) {
  if (!x.finite || !y.finite) return;
  const double most = std::max(std::fabs(x.lo), std::fabs(x.hi));
  const double divisor = std::max(std::fabs(y.lo), std::fabs(y.hi));
  const double least = y.lo <= 0 && y.hi >= 0 ? 0 : std::min(std::fabs(y.lo), std::fabs(y.hi));
  if (divisor == 0 || !(most > std::ldexp(least, facts.p))) return;
  const double below = facts.RoundDown(NextDown(divisor));
  if (x.hi > 0) Include(Point(below), r), Include(Point(0), r), r.pos_zero = true;
  if (x.lo < 0) Include(Point(-below), r), Include(Point(-0.0), r), r.neg_zero = true;
}

// Returns the set for an operand that may be flushed: the join of the image of the operand itself
// and the image of the zeros that may be read instead. The images are computed separately, because
// one interval around operand and zeros would have all values between the images (lemma 14).
template <typename ImageOf>
AcceptanceSet OfReadings(const AcceptanceSet& s, const SetContext& context, bool hull, ImageOf of) {
  const uint32_t permissions = context.rule.permissions;
  const View all = ReadSet(s, *context.operand, permissions, hull);
  if (!all.Zero() || !(permissions & kFlushOperand)) return of(all);
  const View itself = ReadSet(s, *context.operand, permissions & ~uint32_t{kFlushOperand}, hull);
  View zero{.pos_zero = all.pos_zero && !itself.pos_zero,
            .neg_zero = all.neg_zero && !itself.neg_zero};
  zero.finite = zero.Zero();
  if (!zero.finite) return of(all);
  AcceptanceSet joined = Join(of(itself), of(zero));
  if (joined.unspecified()) return joined;
  joined.cause = WideningCause::kUnderflow;
  joined.origin = context.origin;
  return joined;
}

AcceptanceSet NegatedFloat(const AcceptanceSet& a, const View& v, const SetContext& context) {
  AcceptanceSet s = NegatedSet(a);
  if (v.Zero()) {  // the operand may have been flushed
    View n = Negated(v);
    s.lo = std::min(s.lo, 0.0);
    s.hi = std::max(s.hi, 0.0);
    s.rlo = std::min(s.rlo, 0.0);
    s.rhi = std::max(s.rhi, 0.0);
    if (n.pos_zero) s.flags |= Flag::kPosZero;
    if (n.neg_zero) s.flags |= Flag::kNegZero;
  }
  return WithCause(s, context, {&a});
}

}  // namespace

AcceptanceSet UnaryFloat(Opcode opcode, const AcceptanceSet& a, const SetContext& context) {
  if (a.unspecified()) return a;
  bool hull = context.rule.Allows(kSkipRounding);
  View v = ReadSet(a, *context.operand, context.rule.permissions, hull);
  if (opcode == Opcode::kAbs) {
    AcceptanceSet s = Absolute(ReadSet(a, *context.operand, context.rule.permissions, false));
    if (hull && a.Has(Flag::kPreRounding)) s = KeepUnrounded(s, Absolute(v));
    return WithCause(s, context, {&a}, hull ? Flag::kPreRounding : 0);
  }
  if (opcode == Opcode::kNegate) return NegatedFloat(a, v, context);
  if (RealMap map = IntegralMap(opcode)) {
    return WithCause(ToIntegral(map, opcode == Opcode::kSign, v, context), context, {&a},
                     hull ? Flag::kPreRounding : 0);
  }
  if (opcode == Opcode::kSqrt) {
    Image r{.nan = v.nan || v.neg_inf || v.Negative(), .pos_inf = v.pos_inf};
    SetZeros(ZeroSigns(v), r);
    if (v.Positive()) {
      Include(SquareRootExact(std::max(v.lo, 0.0)), r);
      Include(SquareRootExact(v.hi), r);
    }
    return WithCause(StoreImage(r, context), context, {&a});
  }
  const RealFunction* f = RealFunctionOf(opcode);
  if (f == nullptr) return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
  const auto of = [&](const View& x) {
    Image r = FunctionImage(*f, x, LeastMagnitude(*context.operand, a, hull), context.rigorous);
    return StoreImage(r, context, LargestMagnitude(x));
  };
  return WithCause(OfReadings(a, context, hull, of), context, {&a});
}

namespace {

// Restricts a quotient to the sign that the operands imply, which no permitted error changes (lemma
// 16). A zero keeps both signs, since a quotient that underflows may have either.
AcceptanceSet QuotientOfSign(const View& x, const View& y, AcceptanceSet s) {
  const int signs = ProductSigns(FiniteSigns(x) | InfinitySigns(x), FiniteSigns(y) | ZeroSigns(y));
  if (!s.finite()) return s;
  if (signs == Signs(true, false) && s.lo < 0) {
    s.lo = 0, s.rlo = std::max(s.rlo, 0.0);
    s.flags |= Flag::kPosZero;
  }
  if (signs == Signs(false, true) && s.hi > 0) {
    s.hi = 0, s.rhi = std::min(s.rhi, 0.0);
    s.flags |= Flag::kNegZero;
  }
  return s;
}

// Applies the operation to operands of which neither is unspecified. `a` and `b` are their sets;
// `x` and `y` are the views of these sets.
AcceptanceSet BinaryOfViews(ops::FloatBinary operation, const View& x, const View& y,
                            const AcceptanceSet& a, const AcceptanceSet& b,
                            const SetContext& context) {
  const FloatFacts& facts = *context.operand;
  const bool skip = context.rule.Allows(kSkipRounding);
  // A product may contract with a sum that reads it. A quotient may, since a division by a splat
  // may become a product with the reciprocal. pow(x, 2) may, since compilers expand it to x*x.
  auto contractible = [&](const Image& image) {
    AcceptanceSet s = StoreImage(image, context);
    MarkContractible(s);
    return s;
  };
  Image r;
  switch (operation) {
    case ops::FloatBinary::kAdd:
      return StoreImage(AddImage(x, y), context);
    case ops::FloatBinary::kSubtract:
      return StoreImage(AddImage(x, Negated(y)), context);
    case ops::FloatBinary::kMultiply:
      return contractible(MultiplyImage(x, y));
    case ops::FloatBinary::kDivide:
      r = DivideImage(x, y, LeastMagnitude(facts, b, skip));
      return facts.negative_zero ? QuotientOfSign(x, y, contractible(r)) : contractible(r);
    case ops::FloatBinary::kRemainder:
      r = RemainderImage(x, y);
      if (context.rule.Allows(kLongQuotient)) IncludeLongQuotients(x, y, facts, r);
      return StoreImage(r, context);
    case ops::FloatBinary::kMaximum:
      return Selected(false, a, b, context);
    case ops::FloatBinary::kMinimum:
      return Selected(true, a, b, context);
    case ops::FloatBinary::kAtan2:
      return StoreImage(Atan2Image(x, y, context), context);
    case ops::FloatBinary::kPower:
      if (PowerImage(x, y, LeastMagnitude(facts, a, skip), context, r)) return contractible(r);
      return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
  }
  HLOCTS_UNREACHABLE();
}

// Returns true if the result for a second operand of zero is far from results for operands near
// zero.
bool JumpsAtZero(ops::FloatBinary operation) {
  return operation == ops::FloatBinary::kDivide || operation == ops::FloatBinary::kRemainder;
}

}  // namespace

AcceptanceSet BinaryFloat(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                          const SetContext& context) {
  if (a.unspecified()) return a;
  if (b.unspecified()) return b;
  const std::optional<ops::FloatBinary> operation = ops::FloatBinaryOf(opcode);
  if (!operation.has_value())
    return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
  const bool skip = context.rule.Allows(kSkipRounding);
  const bool contracts = ops::IsSum(opcode) && context.rule.Allows(kContract);
  const auto hull = [&](const AcceptanceSet& s) {
    return skip || (contracts && s.Has(Flag::kContractible));
  };
  const auto of = [&](const View& x, const View& y) {
    return BinaryOfViews(*operation, x, y, a, b, context);
  };
  const auto read = [&](const AcceptanceSet& s) {
    return ReadSet(s, *context.operand, context.rule.permissions, hull(s));
  };
  const View x = read(a);
  const AcceptanceSet s =
      JumpsAtZero(*operation)
          ? OfReadings(b, context, hull(b), [&](const View& y) { return of(x, y); })
          : of(x, read(b));
  if (s.unspecified()) return s;
  return WithCause(s, context, {&a, &b}, contracts ? Flag::kContractible : 0);
}

}  // namespace hlocts
