// SPDX-License-Identifier: Apache-2.0
#include "spec/text/format_number.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/decimal.h"
#include "spec/ir/float_format.h"

namespace hlocts {
namespace {

template <typename Float>
std::string ShortestDigits(Float value) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end.ptr);
}

void AppendWithPrecision(double value, int precision, std::string* out) {
  char buffer[48];
  int length = std::snprintf(buffer, sizeof(buffer), "%.*g", precision, value);
  out->append(buffer, length);
}

// Returns the magnitude of the number in `text` from position `from` on.
double ReadBack(const std::string& text, size_t from) {
  double value = 0;
  const char* begin = text.data() + from;
  if (*begin == '-') ++begin;
  auto read = absl::from_chars(begin, text.data() + text.size(), value);
  // If the digits are beyond the largest double, from_chars sets `ec` and yields that double.
  bool overflow = read.ec == std::errc::result_out_of_range && value > 1;
  return overflow ? HUGE_VAL : value;
}

// Appends small integers without printf, which is faster. Most constants are small integers.
bool AppendSmallInteger(double value, std::string* out) {
  if (!(std::fabs(value) < 1e5) || value != std::floor(value) ||
      (value == 0 && std::signbit(value))) {
    return false;
  }
  absl::StrAppend(out, static_cast<int64_t>(value));
  return true;
}

void AppendF32(const uint8_t* element, std::string* out) {
  float value;
  std::memcpy(&value, element, sizeof(value));
  if (AppendSmallInteger(value, out)) return;
  size_t from = out->size();
  AppendWithPrecision(value, 6, out);
  if (static_cast<float>(ReadBack(*out, from)) == std::fabs(value)) return;
  out->resize(from);
  AppendWithPrecision(value, 9, out);
}

void AppendF64(const uint8_t* element, std::string* out) {
  double value;
  std::memcpy(&value, element, sizeof(value));
  if (AppendSmallInteger(value, out)) return;
  size_t from = out->size();
  AppendWithPrecision(value, 15, out);
  if (ReadBack(*out, from) == std::fabs(value)) return;
  out->resize(from);
  AppendWithPrecision(value, 17, out);
}

// Returns the number of decimal digits that distinguish any two values: 1 + ceil(p * log10(2)).
int DigitsOf(const FloatFormat& format) {
  return 1 + static_cast<int>(std::ceil(format.precision() * 0.30102999566398120));
}

void AppendFloatAsXla(PrimitiveType type, const uint8_t* element, std::string* out) {
  const FloatFormat& format = FormatOf(type);
  uint64_t code = 0;
  std::memcpy(&code, element, StorageBytes(type));
  if (IsNanBits(format, code) || IsInfinityBits(format, code)) {
    AppendElement(type, element, out);
  } else if (type == PrimitiveType::kF32) {
    AppendF32(element, out);
  } else if (type == PrimitiveType::kF64) {
    AppendF64(element, out);
  } else {
    AppendWithPrecision(DecodeFloat(format, code), DigitsOf(format), out);
  }
}

}  // namespace

void AppendElementAsXla(PrimitiveType type, const uint8_t* element, std::string* out) {
  if (IsFloat(type)) return AppendFloatAsXla(type, element, out);
  if (!IsComplex(type)) return AppendElement(type, element, out);
  PrimitiveType component = ComponentType(type);
  out->push_back('(');
  AppendFloatAsXla(component, element, out);
  out->append(", ");
  AppendFloatAsXla(component, element + StorageBytes(component), out);
  out->push_back(')');
}

std::string FormatShortest(double value) { return ShortestDigits(value); }
std::string FormatShortestF32(double value) { return ShortestDigits(static_cast<float>(value)); }

}  // namespace hlocts
