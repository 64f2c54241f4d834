// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/joint_numbers.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"

namespace hlocts::reference {
Complex ElementAt(const Literal& literal, int64_t i) {
  const uint8_t* raw = literal.raw_data();
  if (literal.element_type() == PrimitiveType::kC64) {
    return reinterpret_cast<const std::complex<float>*>(raw)[i];
  }
  if (literal.element_type() == PrimitiveType::kC128)
    return reinterpret_cast<const Complex*>(raw)[i];
  if (!IsComplex(literal.element_type())) return RealAt(literal, i);
  return {RealAt(literal, i, 0), RealAt(literal, i, 1)};
}

double UnitOf(PrimitiveType type) { return std::ldexp(1.0, -FactsOf(type).p); }

PrimitiveType WideType(PrimitiveType type) {
  return IsComplex(type) ? PrimitiveType::kC128 : PrimitiveType::kF64;
}

Literal ToWide(const Literal& literal) {
  Literal wide(literal.shape().WithElementType(WideType(literal.element_type())));
  double* out = reinterpret_cast<double*>(wide.mutable_raw_data());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    *out++ = RealAt(literal, i, 0);
    if (IsComplex(literal.element_type())) *out++ = RealAt(literal, i, 1);
  }
  return wide;
}

AcceptanceSet SetAround(double middle, double off, const SetContext& context) {
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  Image image{.finite = true, .lo = {NextDown(middle - off), 0}, .hi = {NextUp(middle + off), 0}};
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  AcceptanceSet s = StoreImage(image, rounding);
  s.cause = WideningCause::kJoint;
  s.origin = context.origin;
  return s;
}

bool EnclosePart(const AcceptanceSet& s, double& middle, double& radius) {
  if (!IsNumber(s)) return false;
  const auto [lo, hi] = EndsRead(s);
  middle = lo / 2 + hi / 2;
  radius = lo == hi ? 0 : NextUp(std::max(hi - middle, middle - lo));
  return std::isfinite(middle) && std::isfinite(radius);
}

bool FitsInFile(const Literal& literal) {
  return literal.element_count() * (IsComplex(literal.element_type()) ? 2 : 1) <= kNumbersInFileMax;
}
std::string NumbersMember(absl::string_view name, const Literal& literal) {
  std::string text;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    for (int c = 0; c < (IsComplex(literal.element_type()) ? 2 : 1); ++c) {
      double x = RealAt(literal, i, c);
      absl::StrAppend(&text, text.empty() ? "" : ",",
                      std::isfinite(x) ? absl::StrFormat("%.17g", x) : "null");
    }
  }
  return absl::StrCat(",\"", name, "\":[", text, "]");
}
std::string FreeJsonMember(const std::vector<bool>& free) {
  std::string text;
  for (bool f : free) absl::StrAppend(&text, text.empty() ? "" : ",", f ? 1 : 0);
  return absl::StrCat(",\"free\":[", text, "]");
}
absl::string_view TrueOrFalse(bool value) { return value ? "true" : "false"; }

bool AllFinite(const Literal& literal, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i) {
    Complex x = ElementAt(literal, i);
    if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
  }
  return true;
}

}  // namespace hlocts::reference
