// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/decimal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/ir/float_format.h"

namespace hlocts {
namespace {

using T = PrimitiveType;

std::string Print(T type, uint64_t bits) {
  std::string out;
  AppendFloat(type, bits, &out);
  return out;
}

TEST(DecimalTest, PrintsTheShortestDecimal) {
  struct Case {
    T type;
    uint64_t bits;
    const char* text;
  };
  for (const Case& c : {
           Case{T::kF32, 0x3dcccccd, "0.1"},
           Case{T::kF32, 0x40490fdb, "3.1415927"},
           Case{T::kF32, 0x00000001, "1e-45"},
           Case{T::kF32, 0x80000000, "-0"},
           Case{T::kF32, 0xff800000, "-inf"},
           Case{T::kF32, 0x7fc00000, "nan"},
           Case{T::kF32, 0xffc00000, "-nan"},
           Case{T::kF32, 0x7fc00001, "nan(0x400001)"},
           Case{T::kF32, 0xff800001, "-nan(0x1)"},
           Case{T::kF64, 0x3fb999999999999a, "0.1"},
           Case{T::kF64, 0x7ff8000000000000, "nan"},
           Case{T::kF16, 0x2e66, "0.1"},    // 0.0999755859375
           Case{T::kF16, 0x7bff, "65500"},  // 65504, which is nearer to 65500 than 65472 is
           Case{T::kBF16, 0x3dcd, "0.1"},
           Case{T::kBF16, 0x7f7f, "3.39e+38"},
           Case{T::kF8E4M3FN, 0x7e, "450"},  // 448; the next code is NaN
           Case{T::kF8E4M3FN, 0x7f, "nan"},
           Case{T::kF8E4M3FN, 0xff, "-nan"},
           Case{T::kF8E5M2, 0x7d, "nan(0x1)"},
           Case{T::kF8E4M3FNUZ, 0x80, "nan"},
           Case{T::kF8E8M0FNU, 0x7f, "1"},
           Case{T::kF8E8M0FNU, 0x00, "6e-39"},
           Case{T::kF8E8M0FNU, 0xff, "nan"},
           Case{T::kF4E2M1FN, 0x07, "6"},
           Case{T::kF4E2M1FN, 0x08, "-0"},
       }) {
    EXPECT_EQ(Print(c.type, c.bits), c.text) << PrimitiveTypeName(c.type) << " " << c.bits;
  }
}

// Returns the two decimals next to a printed decimal that have one significant digit less.
std::vector<std::string> Shorter(absl::string_view text) {
  size_t mantissa_end = std::min(text.find('e'), text.size());
  std::string digits;
  size_t after_point = 0;
  bool point = false;
  for (char c : text.substr(0, mantissa_end)) {
    if (c == '.') point = true;
    if (!absl::ascii_isdigit(c)) continue;
    digits.push_back(c);
    after_point += point;
  }
  int64_t exponent = -static_cast<int64_t>(after_point);
  if (mantissa_end < text.size()) exponent += std::atoi(text.data() + mantissa_end + 1);
  int64_t number = std::strtoll(digits.c_str(), nullptr, 10);
  for (; number % 10 == 0; number /= 10) ++exponent;
  if (number < 10) return {};
  return {absl::StrCat(number / 10, "e", exponent + 1),
          absl::StrCat(number / 10 + 1, "e", exponent + 1)};
}

// Every code of at most 16 bits reads back from its text, but not from a text with one digit less.
TEST(DecimalTest, EveryNarrowCodeReadsBack) {
  for (T type : AllPrimitiveTypes()) {
    if (!IsFloat(type) || BitWidth(type) > 16) continue;
    for (uint64_t bits = 0; bits < (uint64_t{1} << BitWidth(type)); ++bits) {
      std::string text = Print(type, bits);
      HLOCTS_ASSERT_OK_AND_ASSIGN(uint64_t read, ParseFloat(type, text));
      ASSERT_EQ(read, bits) << PrimitiveTypeName(type) << " " << text;
      if (!std::isfinite(DecodeFloat(FormatOf(type), bits)) || text == "0" || text == "-0")
        continue;
      bool negative = text[0] == '-';
      for (const std::string& shorter : Shorter(text.substr(negative))) {
        absl::StatusOr<uint64_t> other =
            ParseFloat(type, absl::StrCat(negative ? "-" : "", shorter));
        ASSERT_FALSE(other.ok() && *other == bits) << PrimitiveTypeName(type) << " " << shorter;
      }
    }
  }
}

TEST(DecimalTest, EveryExponentOfWideFormatsReadsBack) {
  for (T type : {T::kF32, T::kF64}) {
    const FloatFormat& format = FormatOf(type);
    uint64_t pattern = 0x9e3779b97f4a7c15;
    for (uint64_t exponent = 0; exponent < (uint64_t{1} << format.exponent_bits); ++exponent) {
      for (uint64_t mantissa : {uint64_t{0}, uint64_t{1}, pattern, ~uint64_t{0}}) {
        uint64_t bits = (exponent << format.mantissa_bits) |
                        (mantissa & ((uint64_t{1} << format.mantissa_bits) - 1));
        for (uint64_t code : {bits, bits | format.sign_mask()}) {
          HLOCTS_ASSERT_OK_AND_ASSIGN(uint64_t read, ParseFloat(type, Print(type, code)));
          ASSERT_EQ(read, code) << Print(type, code);
        }
        pattern = pattern * 6364136223846793005u + 1442695040888963407u;
      }
    }
  }
}

// Reads a tie of the narrow format, and decimals that are nearer to it than double can represent.
TEST(DecimalTest, DecimalsBesideATieRoundOnce) {
  // In bf16, 1.00390625 is the tie between 1 and 1.0078125.
  EXPECT_EQ(*ParseFloat(T::kBF16, "1.00390625"), 0x3f80u);
  EXPECT_EQ(*ParseFloat(T::kBF16, "1.003906250000000000000000000000001"), 0x3f81u);
  EXPECT_EQ(*ParseFloat(T::kBF16, "1.003906249999999999999999999999999"), 0x3f80u);
  EXPECT_EQ(*ParseFloat(T::kBF16, "1003906250000000000000000000000001e-33"), 0x3f81u);
  // The tie above 1.0078125 rounds up; a decimal just below it rounds down.
  EXPECT_EQ(*ParseFloat(T::kBF16, "1.01171875"), 0x3f82u);
  EXPECT_EQ(*ParseFloat(T::kBF16, "1.0117187499999999999999999999"), 0x3f81u);
  // In f32, the tie is 1 + 2^-24.
  EXPECT_EQ(*ParseFloat(T::kF32, "1.000000059604644775390625"), 0x3f800000u);
  EXPECT_EQ(*ParseFloat(T::kF32, "1.00000005960464477539062500000001"), 0x3f800001u);
  EXPECT_EQ(*ParseFloat(T::kF32, "-1.00000005960464477539062500000001"), 0xbf800001u);
  // In f16, half the least subnormal is a tie with zero.
  EXPECT_EQ(*ParseFloat(T::kF16, "2.98023223876953125e-8"), 0u);
  EXPECT_EQ(*ParseFloat(T::kF16, "2.980232238769531250000000000001e-8"), 1u);
  // Every decimal below the tie above the largest f32 rounds down to the largest f32.
  EXPECT_EQ(*ParseFloat(T::kF32, "340282356779733661637539395458142568447.9999999"), 0x7f7fffffu);
}

TEST(DecimalTest, ReadsSpellings) {
  EXPECT_EQ(*ParseFloat(T::kF32, "1"), 0x3f800000u);
  EXPECT_EQ(*ParseFloat(T::kF32, "1."), 0x3f800000u);
  EXPECT_EQ(*ParseFloat(T::kF32, "1E0"), 0x3f800000u);
  EXPECT_EQ(*ParseFloat(T::kF32, ".5"), 0x3f000000u);
  EXPECT_EQ(*ParseFloat(T::kF32, "5e-00000000000001"), 0x3f000000u);
  EXPECT_EQ(*ParseFloat(T::kF32, "-1e-9999999999999"), 0x80000000u);
  EXPECT_EQ(*ParseFloat(T::kF8E4M3FNUZ, "-0"), 0u);
  EXPECT_EQ(*ParseFloat(T::kF8E4M3FNUZ, "-nan"), 0x80u);
}

TEST(DecimalTest, RefusesWhatTheFormatCannotHold) {
  struct Case {
    T type;
    const char* text;
  };
  for (const Case& c : {
           Case{T::kF32, ""},
           Case{T::kF32, "-"},
           Case{T::kF32, "."},
           Case{T::kF32, "1e"},
           Case{T::kF32, "+1"},
           Case{T::kF32, "0x1p3"},
           Case{T::kF32, "1 2"},
           Case{T::kF32, "--1"},
           Case{T::kF32, "infinity"},
           Case{T::kF32, "NaN"},
           Case{T::kF32, "nan()"},
           Case{T::kF32, "nan(0x0)"},
           Case{T::kF32, "nan(0x800000)"},
           Case{T::kF32, "nan(1)"},
           Case{T::kF32, "1e39"},
           Case{T::kF32, "1e99999999999"},
           Case{T::kF32, "340282356779733661637539395458142568448"},
           Case{T::kF64, "1e309"},
           Case{T::kF16, "65520"},
           Case{T::kF8E4M3FN, "inf"},
           Case{T::kF8E4M3FN, "480"},
           Case{T::kF8E4M3FN, "nan(0x3)"},
           Case{T::kF4E2M1FN, "nan"},
           Case{T::kF4E2M1FN, "7"},
           Case{T::kF4E2M1FN, "-inf"},
           Case{T::kF8E8M0FNU, "0"},
           Case{T::kF8E8M0FNU, "-1"},
           Case{T::kF8E8M0FNU, "inf"},
       }) {
    EXPECT_FALSE(ParseFloat(c.type, c.text).ok()) << PrimitiveTypeName(c.type) << " " << c.text;
  }
}

struct ElementCase {
  T type;
  const char* text;
  const char* printed;  // nullptr: an error
};
void CheckElements(std::initializer_list<ElementCase> cases) {
  for (const ElementCase& c : cases) {
    uint8_t element[16] = {};
    absl::Status status = ParseElement(c.type, c.text, element);
    ASSERT_EQ(status.ok(), c.printed != nullptr) << c.text << ": " << status;
    if (!status.ok()) continue;
    std::string printed;
    AppendElement(c.type, element, &printed);
    EXPECT_EQ(printed, c.printed);
  }
}

TEST(DecimalTest, Integers) {
  CheckElements({
      {T::kPred, "true", "true"},
      {T::kPred, "1", "true"},
      {T::kPred, "0", "false"},
      {T::kPred, "2", nullptr},
      {T::kS8, "-128", "-128"},
      {T::kS8, "128", nullptr},
      {T::kS8, "-129", nullptr},
      {T::kU8, "255", "255"},
      {T::kU8, "-1", nullptr},
      {T::kU8, "-0", "0"},
      {T::kS4, "-8", "-8"},
      {T::kS4, "7", "7"},
      {T::kS4, "8", nullptr},
      {T::kU2, "3", "3"},
      {T::kU2, "4", nullptr},
      {T::kS1, "-1", "-1"},
      {T::kS1, "1", nullptr},
      {T::kU1, "1", "1"},
      {T::kS64, "-9223372036854775808", "-9223372036854775808"},
      {T::kS64, "9223372036854775808", nullptr},
      {T::kU64, "18446744073709551615", "18446744073709551615"},
      {T::kU64, "18446744073709551616", nullptr},
      {T::kS32, "1.0", nullptr},
      {T::kS32, "", nullptr},
      {T::kS32, "-", nullptr},
      {T::kS32, "--1", nullptr},
  });
}

TEST(DecimalTest, ComplexNumbers) {
  CheckElements({
      {T::kC64, "(1, -2.5)", "(1, -2.5)"},
      {T::kC64, "3", "(3, 0)"},
      {T::kC64, "(nan(0x1),-inf)", "(nan(0x1), -inf)"},
      {T::kC64, "(1", nullptr},
      {T::kC64, "(1)", nullptr},
      {T::kC64, "(1,2,3)", nullptr},
      {T::kC128, "(1e300, 1e-300)", "(1e+300, 1e-300)"},
      {T::kC64, "(1e300, 0)", nullptr},
  });
}

}  // namespace
}  // namespace hlocts
