// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"

namespace hlocts {
namespace {

template <typename Float>
void AppendShortest(Float value, std::string* out) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end.ptr);
}

double ReadDouble(const char* begin, const char* end) {
  double value = 0;
  std::from_chars(begin, end, value);
  return value;
}

// A nonnegative decimal: the digits d1 d2 ... dn, of which d1 and dn are not '0', and the exponent
// e of d1.d2...dn·10^e. Zero has no digits. Two such values can be compared exactly.
struct Digits {
  std::string digits;
  int64_t exponent = 0;
};

Digits Normalize(absl::string_view text) {
  Digits result;
  size_t exponent_at = text.find_first_of("eE");
  int64_t exponent = 0;
  if (exponent_at != absl::string_view::npos) {
    absl::string_view written = text.substr(exponent_at + 1);
    bool negative = absl::ConsumePrefix(&written, "-");
    absl::ConsumePrefix(&written, "+");
    while (absl::ConsumePrefix(&written, "0")) {
    }
    // Ten digits suffice: no text that fits in memory can compensate a larger exponent.
    if (!absl::SimpleAtoi(written.substr(0, 10), &exponent)) exponent = 0;
    if (negative) exponent = -exponent;
  }
  int64_t position = -1;  // index of the current digit, not counting the point
  bool after_point = false;
  int64_t integer_digits = 0;
  for (char c : text.substr(0, exponent_at)) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (!after_point) ++integer_digits;
    ++position;
    if (result.digits.empty() && c == '0') continue;
    if (result.digits.empty()) result.exponent = -position;
    result.digits.push_back(c);
  }
  result.exponent += integer_digits - 1 + exponent;
  while (!result.digits.empty() && result.digits.back() == '0') result.digits.pop_back();
  return result;
}

// Compares the decimal `text` with `value` exactly (-1, 0, 1). Both are positive and finite.
int CompareExactly(absl::string_view text, double value) {
  char buffer[1200];  // a double has at most 767 significant digits
  auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific, 800);
  Digits exact = Normalize(absl::string_view(buffer, end.ptr - buffer));
  Digits written = Normalize(text);
  if (written.exponent != exact.exponent) return written.exponent < exact.exponent ? -1 : 1;
  int order = written.digits.compare(exact.digits);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Returns the code of a positive decimal; `value` is `text` rounded to double. If that rounding
// turns a decimal next to a tie of the narrow format into the tie itself, encodes the double on the
// decimal's side of the tie.
uint64_t RoundMagnitude(const FloatFormat& format, absl::string_view text, double value) {
  if (!std::isfinite(value) || value == 0) return EncodeFloat(format, value);
  uint64_t below = EncodeFloat(format, std::nextafter(value, 0.0));
  uint64_t above = EncodeFloat(format, std::nextafter(value, HUGE_VAL));
  if (below == above) return below;
  int side = CompareExactly(text, value);
  return side < 0 ? below : side > 0 ? above : EncodeFloat(format, value);
}

// Returns true for [0-9]+(.[0-9]*)? or .[0-9]+, followed by ([eE][+-]?[0-9]+)?
bool IsDecimal(absl::string_view text) {
  size_t at = 0, digits = 0;
  auto skip_digits = [&] {
    size_t start = at;
    while (at < text.size() && absl::ascii_isdigit(text[at])) ++at;
    return at - start;
  };
  digits = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (skip_digits() == 0) return false;
  }
  return at == text.size();
}

// Returns the magnitude of a decimal as a double: 0 or infinity outside double's range.
double ReadMagnitude(absl::string_view text) {
  double value = 0;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  return Normalize(text).exponent > 0 ? HUGE_VAL : 0.0;
}

// Returns true if a magnitude rounds beyond the largest finite value of a format without NaN.
bool Saturates(const FloatFormat& format, double value) {
  if (format.non_finite != NonFinite::kNone) return false;
  double max = format.max_finite();
  return value >= max + (max - DecodeFloat(format, format.max_finite_bits() - 1)) / 2;
}

absl::Status CannotHold(PrimitiveType type, absl::string_view text, absl::string_view what) {
  return InvalidInput("'", text, "' is not a value of ", PrimitiveTypeName(type), ": ", what);
}

absl::StatusOr<uint64_t> ParseNan(PrimitiveType type, absl::string_view text, uint64_t sign,
                                  absl::string_view magnitude) {
  const FloatFormat& format = FormatOf(type);
  if (!format.has_nan()) return CannotHold(type, text, "the type has no NaN");
  uint64_t code = format.nan_bits() | sign;
  if (magnitude != "nan") {
    uint64_t payload = 0;
    uint64_t mask = (uint64_t{1} << format.mantissa_bits) - 1;
    absl::string_view digits = magnitude.substr(4, magnitude.size() - 5);
    bool hexadecimal = absl::ConsumePrefix(&digits, "0x") && digits.size() <= 16 &&
                       absl::SimpleHexAtoi(digits, &payload);
    code = (format.nan_bits() & ~mask) | payload | sign;
    if (!hexadecimal || (payload & ~mask) != 0 || !IsNanBits(format, code)) {
      return CannotHold(
          type, text, absl::StrFormat("expected the significand bits of a NaN, 0x1 to 0x%x", mask));
    }
  }
  // With the sign, the code is no NaN in a format with a single NaN, so the sign is dropped.
  return IsNanBits(format, code) ? code : format.nan_bits();
}

// Changes `text` by `step` in its last digit. Returns its value if it reads back to `code`, else 0.
double ReadsBackTo(const FloatFormat& format, uint64_t code, absl::string_view text, int digits,
                   int64_t step) {
  std::string moved;
  if (step != 0) {
    Digits nearest = Normalize(text);
    nearest.digits.resize(digits, '0');
    int64_t number = std::strtoll(nearest.digits.c_str(), nullptr, 10) + step;
    moved = absl::StrCat(number, "e", nearest.exponent - (digits - 1));
    text = moved;
  }
  double read = ReadDouble(text.data(), text.data() + text.size());
  return read > 0 && RoundMagnitude(format, text, read) == code ? read : 0;
}

// Appends the shortest decimal of a value of at most 16 bits. For n = 1, 2, ..., tries the nearest
// decimal of n digits and, at a power of two, where the spacing changes, the decimals next to it.
void AppendNarrowMagnitude(PrimitiveType type, uint64_t code, std::string* out) {
  const FloatFormat& format = FormatOf(type);
  double value = DecodeFloat(format, code);
  bool even_spacing = (code & ((uint64_t{1} << format.mantissa_bits) - 1)) != 0;
  for (int digits = 1; digits < 17; ++digits) {
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific,
                             digits - 1);
    absl::string_view nearest(buffer, end.ptr - buffer);
    for (int64_t step : {0, 1, -1}) {
      double read = ReadsBackTo(format, code, nearest, digits, step);
      if (read > 0) return AppendShortest(read, out);
      if (even_spacing) break;
    }
  }
  AppendShortest(value, out);
}

template <typename Bits, typename Float>
Float FromBits(uint64_t bits) {
  Bits narrow = static_cast<Bits>(bits);
  Float value;
  std::memcpy(&value, &narrow, sizeof(value));
  return value;
}

int64_t SignExtend(uint64_t bits, int width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

absl::Status ParsePred(absl::string_view text, uint8_t* element) {
  if (text == "true" || text == "1") {
    *element = 1;
  } else if (text == "false" || text == "0") {
    *element = 0;
  } else {
    return InvalidInput("expected true or false, found '", text, "'");
  }
  return absl::OkStatus();
}

absl::Status ParseInteger(PrimitiveType type, absl::string_view text, uint8_t* element) {
  int width = BitWidth(type);
  absl::string_view digits = text;
  bool negative = absl::ConsumePrefix(&digits, "-");
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  bool all_read = !digits.empty() && end == digits.data() + digits.size();
  if (!all_read || error == std::errc::invalid_argument) {
    return InvalidInput("expected an integer, found '", text, "'");
  }
  uint64_t limit = IsSigned(type) ? (uint64_t{1} << (width - 1)) - (negative ? 0 : 1)
                                  : ~uint64_t{0} >> (64 - width);
  if (negative && !IsSigned(type)) limit = 0;
  if (error != std::errc() || magnitude > limit) {
    return InvalidInput("'", text, "' is out of range of ", PrimitiveTypeName(type));
  }
  uint64_t bits = negative ? 0 - magnitude : magnitude;
  std::memcpy(element, &bits, StorageBytes(type));
  return absl::OkStatus();
}

absl::Status ParseComponent(PrimitiveType type, absl::string_view text, uint8_t* element) {
  HLOCTS_ASSIGN_OR_RETURN(uint64_t bits, ParseFloat(type, text));
  std::memcpy(element, &bits, StorageBytes(type));
  return absl::OkStatus();
}

absl::Status ParseComplex(PrimitiveType type, absl::string_view text, uint8_t* element) {
  PrimitiveType component = ComponentType(type);
  int bytes = StorageBytes(component);
  absl::string_view inside = text;
  if (!absl::ConsumePrefix(&inside, "(")) {
    std::memset(element + bytes, 0, bytes);
    return ParseComponent(component, text, element);
  }
  // A NaN's payload has its own parentheses, but no comma.
  size_t comma = inside.find(',');
  if (!absl::ConsumeSuffix(&inside, ")") || comma == absl::string_view::npos) {
    return InvalidInput("expected a complex number (re, im), found '", text, "'");
  }
  HLOCTS_RETURN_IF_ERROR(
      ParseComponent(component, absl::StripAsciiWhitespace(inside.substr(0, comma)), element));
  return ParseComponent(component, absl::StripAsciiWhitespace(inside.substr(comma + 1)),
                        element + bytes);
}

}  // namespace

void AppendFloat(PrimitiveType type, uint64_t bits, std::string* out) {
  const FloatFormat& format = FormatOf(type);
  uint64_t sign = bits & format.sign_mask();
  if (IsNanBits(format, bits)) {
    uint64_t magnitude = format.non_finite == NonFinite::kNegZero ? bits : bits & ~sign;
    if (magnitude != bits) out->push_back('-');
    out->append("nan");
    uint64_t mask = (uint64_t{1} << format.mantissa_bits) - 1;
    if (magnitude != format.nan_bits()) absl::StrAppendFormat(out, "(0x%x)", magnitude & mask);
    return;
  }
  if (sign != 0) out->push_back('-');
  uint64_t magnitude = bits & ~sign;
  if (IsInfinityBits(format, magnitude)) {
    out->append("inf");
  } else if (type == PrimitiveType::kF64) {
    AppendShortest(FromBits<uint64_t, double>(magnitude), out);
  } else if (type == PrimitiveType::kF32) {
    AppendShortest(FromBits<uint32_t, float>(magnitude), out);
  } else if (format.has_zero && magnitude == 0) {
    out->push_back('0');
  } else {
    AppendNarrowMagnitude(type, magnitude, out);
  }
}

absl::StatusOr<uint64_t> ParseFloat(PrimitiveType type, absl::string_view text) {
  const FloatFormat& format = FormatOf(type);
  absl::string_view magnitude = text;
  bool negative = absl::ConsumePrefix(&magnitude, "-");
  uint64_t sign = negative ? format.sign_mask() : 0;
  if (magnitude == "nan" || (absl::StartsWith(magnitude, "nan(") && magnitude.back() == ')')) {
    return ParseNan(type, text, sign, magnitude);
  }
  if (negative && !format.has_sign) return CannotHold(type, text, "the type has no sign");
  if (magnitude == "inf") {
    if (!format.has_infinity()) return CannotHold(type, text, "the type has no infinity");
    return format.infinity_bits() | sign;
  }
  if (!IsDecimal(magnitude)) {
    return InvalidInput("expected a number of ", PrimitiveTypeName(type), ", found '", text, "'");
  }
  double value = ReadMagnitude(magnitude);
  if (!format.has_zero && value == 0) return CannotHold(type, text, "the type has no zero");
  uint64_t code;
  if (type == PrimitiveType::kF64) {
    std::memcpy(&code, &value, sizeof(code));
  } else {
    code = RoundMagnitude(format, magnitude, value);
  }
  if (IsNanBits(format, code) || code > format.max_finite_bits() || std::isinf(value) ||
      Saturates(format, value)) {
    return CannotHold(type, text, "out of range");
  }
  if (code == 0 && !format.has_negative_zero()) sign = 0;
  return code | sign;
}

void AppendElement(PrimitiveType type, const uint8_t* element, std::string* out) {
  int bytes = StorageBytes(type);
  switch (TypeClassOf(type)) {
    case TypeClass::kPred:
      out->append(*element ? "true" : "false");
      return;
    case TypeClass::kSigned:
      absl::StrAppend(out, SignExtend(StoredBits(element, bytes), bytes * 8));
      return;
    case TypeClass::kUnsigned:
      absl::StrAppend(out, StoredBits(element, bytes));
      return;
    case TypeClass::kFloat:
      return AppendFloat(type, StoredBits(element, bytes), out);
    case TypeClass::kComplex: {
      PrimitiveType component = ComponentType(type);
      out->push_back('(');
      AppendFloat(component, StoredBits(element, bytes / 2), out);
      out->append(", ");
      AppendFloat(component, StoredBits(element + bytes / 2, bytes / 2), out);
      out->push_back(')');
      return;
    }
    case TypeClass::kOther:
      HLOCTS_CHECK(IsArrayType(type));
  }
}

absl::Status ParseElement(PrimitiveType type, absl::string_view text, uint8_t* element) {
  switch (TypeClassOf(type)) {
    case TypeClass::kPred:
      return ParsePred(text, element);
    case TypeClass::kSigned:
    case TypeClass::kUnsigned:
      return ParseInteger(type, text, element);
    case TypeClass::kFloat:
      return ParseComponent(type, text, element);
    case TypeClass::kComplex:
      return ParseComplex(type, text, element);
    case TypeClass::kOther:
      return InvalidInput(PrimitiveTypeName(type), " has no elements");
  }
  return absl::OkStatus();
}

}  // namespace hlocts
