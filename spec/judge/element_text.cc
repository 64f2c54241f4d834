// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/element_text.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/joint.h"

namespace hlocts {
namespace {

std::string NanText(uint64_t bits, PrimitiveType type) {
  const FloatFormat& format = FormatOf(type);
  std::string sign = (bits & format.sign_mask()) ? "-" : "";
  uint64_t payload = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  bool plain = (bits & ~format.sign_mask()) == (format.nan_bits() & ~format.sign_mask());
  return plain ? sign + "nan" : absl::StrFormat("%snan(0x%x)", sign, payload);
}

std::string RealText(double value, PrimitiveType type) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  for (int digits = 1; digits < 17; ++digits) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    double back = std::strtod(text.c_str(), nullptr);
    bool same = type == PrimitiveType::kF64 ? back == value
                                            : static_cast<float>(back) == static_cast<float>(value);
    if (same) return text;
  }
  return absl::StrFormat("%.17g", value);
}

std::string ComponentText(const Literal& literal, int64_t index, int component) {
  PrimitiveType type = ComponentType(literal.element_type());
  AcceptanceSet point = PointOf(literal, index, component);
  if (point.integer()) return SetText(point, type);
  if (point.Has(AcceptanceSet::kBitsKnown)) return NanText(point.nan_bits, type);
  return RealText(RealAt(literal, index, component), type);
}

}  // namespace

double RealAt(const Literal& literal, int64_t index, int component) {
  AcceptanceSet point = PointOf(literal, index, component);
  if (point.integer()) return static_cast<double>(point.ilo);
  if (point.Has(AcceptanceSet::kNan)) return std::nan("");
  if (point.Has(AcceptanceSet::kPosInf)) return HUGE_VAL;
  if (point.Has(AcceptanceSet::kNegInf)) return -HUGE_VAL;
  return point.Has(AcceptanceSet::kNegZero) ? -0.0 : point.lo;
}

std::string ElementText(const Literal& literal, int64_t index) {
  if (!IsComplex(literal.element_type())) return ComponentText(literal, index, 0);
  return absl::StrCat("(", ComponentText(literal, index, 0), ", ", ComponentText(literal, index, 1),
                      ")");
}

std::string ElementBits(const Literal& literal, int64_t index) {
  int bytes = StorageBytes(literal.element_type());
  const uint8_t* element = literal.raw_data() + index * bytes;
  std::string text = "0x";
  for (int i = bytes - 1; i >= 0; --i) absl::StrAppendFormat(&text, "%02x", element[i]);
  return text;
}

}  // namespace hlocts
