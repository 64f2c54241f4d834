// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/element_text.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "spec/ir/decimal.h"
#include "spec/ir/float_format.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/joint.h"

namespace hlocts {

double RealAt(const Literal& literal, int64_t index, int component) {
  AcceptanceSet point = PointOf(literal, index, component);
  if (point.integer()) return static_cast<double>(point.ilo);
  if (point.Has(AcceptanceSet::kNan)) return std::nan("");
  if (point.Has(AcceptanceSet::kPosInf)) return HUGE_VAL;
  if (point.Has(AcceptanceSet::kNegInf)) return -HUGE_VAL;
  return point.Has(AcceptanceSet::kNegZero) ? -0.0 : point.lo;
}

std::string NumberText(double value, PrimitiveType type) {
  if (value == 0) return "0";
  const FloatFormat& format = FormatOf(type);
  const uint64_t bits = EncodeFloat(format, value);
  if (DecodeFloat(format, bits) != value) return absl::StrFormat("%.9g", value);
  std::string text;
  AppendFloat(type, bits, &text);
  return text;
}

std::string IntegerText(Int128 value) {
  bool negative = value < 0;
  return absl::StrCat(negative ? "-" : "", static_cast<uint64_t>(negative ? -value : value));
}

std::string ElementText(const Literal& literal, int64_t index) {
  const PrimitiveType type = literal.element_type();
  std::string text;
  AppendElement(type, literal.raw_data() + index * StorageBytes(type), &text);
  return text;
}

std::string ElementBits(const Literal& literal, int64_t index) {
  int bytes = StorageBytes(literal.element_type());
  const uint8_t* element = literal.raw_data() + index * bytes;
  std::string text = "0x";
  for (int i = bytes - 1; i >= 0; --i) absl::StrAppendFormat(&text, "%02x", element[i]);
  return text;
}

std::string ShortName(const std::string& name) {
  return name.size() <= 60 ? name
                           : absl::StrCat(name.substr(0, 28), "...", name.substr(name.size() - 28));
}

}  // namespace hlocts
