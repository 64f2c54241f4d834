// SPDX-License-Identifier: Apache-2.0
// Implements selections and comparisons of complex numbers.
#include <algorithm>

#include "spec/judge/complex_boxes.h"

namespace hlocts {
namespace {

bool MayBe(absl::string_view direction, const AcceptanceSet& a, const AcceptanceSet& b,
           const SetContext& context) {
  return CompareFloat(direction, false, a, b, context).ihi == 1;
}
bool MayBeNan(const ComplexSet& z) {
  return z.re.Has(AcceptanceSet::kNan) || z.im.Has(AcceptanceSet::kNan);
}
// Returns an operand as a selection returns it: subnormal parts may have been flushed.
ComplexSet Selected(const ComplexSet& z, const SetContext& context) {
  if (!context.rule.Allows(kFlushOperand)) return z;
  return {WithFlushes(z.re, *context.operand), WithFlushes(z.im, *context.operand)};
}

}  // namespace

ComplexSet ComplexMaximum(bool minimum, const ComplexSet& a, const ComplexSet& b,
                          const SetContext& context) {
  for (const AcceptanceSet* s : {&a.re, &a.im, &b.re, &b.im}) {
    if (s->unspecified()) return OpenSet(WideningCause::kUnknown, context);
  }
  // Orders by the real part (ruling 0060). If the parts are equal or NaN, either may be returned.
  auto may_lead = [&](const ComplexSet& x, const ComplexSet& y) {
    return MayBe(minimum ? "LT" : "GT", x.re, y.re, context) || MayBe("EQ", x.re, y.re, context);
  };
  bool nan = MayBeNan(a) || MayBeNan(b);
  bool first = nan || may_lead(a, b), second = nan || may_lead(b, a);
  if (first && second) return JoinBoxes(Selected(a, context), Selected(b, context));
  return Selected(first ? a : b, context);
}

ComplexSet ComplexClamp(const ComplexSet& min, const ComplexSet& operand, const ComplexSet& max,
                        const SetContext& context) {
  ComplexSet lower = ComplexMaximum(false, min, operand, context);
  ComplexSet s = ComplexMaximum(true, lower, max, context);
  if (!context.rule.Allows(kClampEither) || s.re.unspecified()) return s;
  bool wrong_way = MayBe("GT", min.re, max.re, context) ||
                   (MayBe("EQ", min.re, max.re, context) && MayBe("GT", min.im, max.im, context));
  if (!wrong_way) return s;
  return JoinBoxes(s, JoinBoxes(Selected(min, context), Selected(max, context)));
}

AcceptanceSet ComplexCompare(absl::string_view direction, const ComplexSet& a, const ComplexSet& b,
                             const SetContext& context) {
  AcceptanceSet re = CompareFloat("EQ", false, a.re, b.re, context);
  AcceptanceSet im = CompareFloat("EQ", false, a.im, b.im, context);
  AcceptanceSet s = AcceptanceSet::Integers(std::min(re.ilo, im.ilo), std::min(re.ihi, im.ihi));
  if (direction == "NE") s = AcceptanceSet::Integers(1 - s.ihi, 1 - s.ilo);
  s.origin = context.origin;
  if (s.ilo != s.ihi) s.cause = WideningCause::kJump;
  return s;
}

}  // namespace hlocts
