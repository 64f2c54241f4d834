// SPDX-License-Identifier: Apache-2.0
// Tests floating-point operations: narrow types exhaustively against a search among all values of
// the type, f32 and f64 on selected special values.
#include <cmath>
#include <functional>
#include <map>

#include "gtest/gtest.h"
#include "reference/testing/module_runner.h"

namespace hlocts::reference {
namespace {

constexpr PrimitiveType kFloat8[] = {PrimitiveType::kF8E5M2,       PrimitiveType::kF8E4M3,
                                     PrimitiveType::kF8E3M4,       PrimitiveType::kF8E4M3FN,
                                     PrimitiveType::kF8E5M2FNUZ,   PrimitiveType::kF8E4M3FNUZ,
                                     PrimitiveType::kF8E4M3B11FNUZ};

// Finds correctly rounded results among all finite values of a type: the nearest to the exact
// value, or the value with an even code if two are equally near.
struct Nearest {
  explicit Nearest(PrimitiveType type) : values(ToDoubles(AllCodes(type))) {
    for (size_t code = 0; code < values.size(); ++code) {
      if (std::isfinite(values[code])) codes.emplace(values[code], code);
    }
    const auto last = std::prev(codes.end());
    limit = last->first + (last->first - std::prev(last)->first) / 2;
  }

  bool Accepts(double exact, double got) const {
    if (std::isnan(exact)) return std::isnan(got);
    auto winner = codes.lower_bound(exact);  // the least value not below `exact`
    if (winner == codes.end()) --winner;
    if (winner != codes.begin()) {
      const auto below = std::prev(winner);
      const double distance = std::fabs(below->first - exact);
      const double other = std::fabs(winner->first - exact);
      if (distance < other || (distance == other && below->second % 2 == 0)) winner = below;
    }
    // Beyond the range the result is infinity or NaN. At the limit it is the even code's value.
    if (std::fabs(exact) > limit || (std::fabs(exact) == limit && winner->second % 2 == 1)) {
      return !std::isfinite(got) && (std::isnan(got) || std::signbit(got) == std::signbit(exact));
    }
    return got == winner->first &&
           (got != 0 || !has_negative_zero || std::signbit(got) == std::signbit(exact));
  }

  std::vector<double> values;
  std::map<double, size_t> codes;  // the finite values and their codes
  double limit = 0;                // midpoint of the largest value and the next one
  bool has_negative_zero = false;
};

TEST(FloatTest, ArithmeticOfEveryPairOfFloat8) {
  const std::map<std::string, std::function<double(double, double)>> formulas = {
      {"add", [](double x, double y) { return x + y; }},
      {"multiply", [](double x, double y) { return x * y; }},
      {"divide", [](double x, double y) { return x / y; }}};
  for (PrimitiveType type : kFloat8) {
    Nearest nearest(type);
    nearest.has_negative_zero = FormatOf(type).has_negative_zero();
    Literal codes = AllCodes(type);
    for (const auto& [opcode, formula] : formulas) {
      for (int64_t a = 0; a < 256; a += 3) {  // every third left operand, to finish in a second
        Literal lhs(codes.shape());
        for (uint8_t& byte : lhs.mutable_data<uint8_t>()) byte = static_cast<uint8_t>(a);
        std::vector<double> got =
            ToDoubles(Apply(codes.shape().ToString(false), opcode, {lhs, codes}));
        for (size_t i = 0; i < got.size(); ++i) {
          double exact = formula(nearest.values[a], nearest.values[i]);
          ASSERT_TRUE(nearest.Accepts(exact, got[i]))
              << PrimitiveTypeName(type) << " " << opcode << " " << nearest.values[a] << ", "
              << nearest.values[i] << " gives " << got[i];
        }
      }
    }
  }
}

TEST(FloatTest, FunctionsOfEveryFloat8AreTheNearestValue) {
  const std::map<std::string, double (*)(double)> formulas = {
      {"exponential", std::exp}, {"log", std::log},     {"tanh", std::tanh},
      {"sqrt", std::sqrt},       {"sine", std::sin},    {"cbrt", std::cbrt},
      {"erf", std::erf},         {"floor", std::floor}, {"ceil", std::ceil}};
  for (PrimitiveType type : kFloat8) {
    Nearest nearest(type);
    Literal codes = AllCodes(type);
    for (const auto& [opcode, formula] : formulas) {
      std::vector<double> got = ToDoubles(Apply(codes.shape().ToString(false), opcode, {codes}));
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(nearest.Accepts(formula(nearest.values[i]), got[i]))
            << PrimitiveTypeName(type) << " " << opcode << " " << nearest.values[i] << " gives "
            << got[i];
      }
    }
  }
}

// An f64 is rounded to 16 bits once; the result is compared with both neighbours in the type.
TEST(FloatTest, ConvertToSixteenBitsIsNearestEven) {
  for (PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    uint64_t state = 7;
    std::vector<double> inputs;
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      double value = std::ldexp(1 + static_cast<double>(state >> 12) * 0x1p-52,
                                static_cast<int>(state % 44) - 28);
      inputs.push_back(i % 2 ? -value : value);
    }
    for (uint16_t code = 0; code < 0x7c00; ++code) {  // the type's values and midpoints
      double here = DecodeFloat(FormatOf(type), code), next = DecodeFloat(FormatOf(type), code + 1);
      if (!std::isfinite(next)) continue;
      inputs.push_back((here + next) / 2);
      inputs.push_back(std::nextafter((here + next) / 2, HUGE_VAL));
    }
    Literal converted = FromDoubles(type, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      uint16_t code = converted.data<uint16_t>()[i];
      double got = DecodeFloat(FormatOf(type), code);
      if (!std::isfinite(got)) continue;
      double distance = std::fabs(got - inputs[i]);
      for (int step : {-1, 1}) {
        double other = DecodeFloat(FormatOf(type), static_cast<uint16_t>(code + step));
        if (!std::isfinite(other) || std::signbit(other) != std::signbit(got)) continue;
        double other_distance = std::fabs(other - inputs[i]);
        ASSERT_TRUE(distance < other_distance || (distance == other_distance && code % 2 == 0))
            << inputs[i] << " to " << got << ", but " << other << " is as near or nearer";
      }
    }
  }
}

TEST(FloatTest, NegateAndAbsKeepNanBits) {
  Literal x(Shape(PrimitiveType::kBF16, {1}));
  x.mutable_data<uint16_t>()[0] = 0xffa5;
  EXPECT_EQ(Apply("bf16[1]", "negate", {x}).data<uint16_t>()[0], 0x7fa5);
  EXPECT_EQ(Apply("bf16[1]", "abs", {x}).data<uint16_t>()[0], 0x7fa5);
}

}  // namespace
}  // namespace hlocts::reference
