// SPDX-License-Identifier: Apache-2.0
// Tests integer operations of every width up to 8 bits on every pair of operands against formulas
// on unbounded integers.
#include <functional>
#include <map>

#include "gtest/gtest.h"
#include "reference/testing/module_runner.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::reference {
namespace {

constexpr PrimitiveType kSmall[] = {PrimitiveType::kS2, PrimitiveType::kU2, PrimitiveType::kS4,
                                    PrimitiveType::kU4, PrimitiveType::kS8, PrimitiveType::kU8};

// Returns `value` modulo 2^width in the range of the type.
int64_t Wrap(PrimitiveType type, int64_t value) {
  int64_t modulus = int64_t{1} << BitWidth(type);
  value = ((value % modulus) + modulus) % modulus;
  return IsSigned(type) && value >= modulus / 2 ? value - modulus : value;
}

using Formula = std::function<int64_t(PrimitiveType, int64_t, int64_t)>;

int64_t Unsigned(PrimitiveType type, int64_t x) {
  return x < 0 ? x + (int64_t{1} << BitWidth(type)) : x;
}

int64_t FloorShift(int64_t x, int64_t amount) {
  for (int64_t i = 0; i < amount && i < 70; ++i) x = x >= 0 ? x / 2 : -((1 - x) / 2);
  return x;
}

int64_t PowerByCounting(PrimitiveType type, int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return -1;
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 ? -1 : 1;
    return 0;
  }
  int64_t power = 1;
  for (int64_t i = 0; i < exponent; ++i) power = Wrap(type, power * base);
  return power;
}

const std::map<std::string, Formula>& BinaryFormulas() {
  static const auto* formulas = new std::map<std::string, Formula>{
      {"add", [](auto, int64_t x, int64_t y) { return x + y; }},
      {"subtract", [](auto, int64_t x, int64_t y) { return x - y; }},
      {"multiply", [](auto, int64_t x, int64_t y) { return x * y; }},
      {"divide", [](auto, int64_t x, int64_t y) { return y == 0 ? -1 : x / y; }},
      {"remainder", [](auto, int64_t x, int64_t y) { return y == 0 ? x : x - x / y * y; }},
      {"maximum", [](auto, int64_t x, int64_t y) { return std::max(x, y); }},
      {"minimum", [](auto, int64_t x, int64_t y) { return std::min(x, y); }},
      {"and", [](auto, int64_t x, int64_t y) { return x & y; }},
      {"or", [](auto, int64_t x, int64_t y) { return x | y; }},
      {"xor", [](auto, int64_t x, int64_t y) { return x ^ y; }},
      {"power", PowerByCounting},
      {"shift-left",
       [](PrimitiveType t, int64_t x, int64_t y) {
         return Unsigned(t, y) >= BitWidth(t) ? 0 : x * (int64_t{1} << Unsigned(t, y));
       }},
      {"shift-right-logical", [](PrimitiveType t, int64_t x,
                                 int64_t y) { return FloorShift(Unsigned(t, x), Unsigned(t, y)); }},
      {"shift-right-arithmetic", [](PrimitiveType t, int64_t x,
                                    int64_t y) { return FloorShift(Wrap(t, x), Unsigned(t, y)); }},
      {"mulhi",
       [](PrimitiveType t, int64_t x, int64_t y) { return FloorShift(x * y, BitWidth(t)); }},
  };
  return *formulas;
}

void AllPairs(PrimitiveType type, Literal& lhs, Literal& rhs) {
  std::vector<double> codes = ToDoubles(AllCodes(type)), x, y;
  for (double a : codes) {
    for (double b : codes) x.push_back(a), y.push_back(b);
  }
  lhs = FromDoubles(type, x), rhs = FromDoubles(type, y);
}

TEST(IntegerTest, EveryPairOfSmallOperands) {
  for (PrimitiveType type : kSmall) {
    Literal lhs, rhs;
    AllPairs(type, lhs, rhs);
    std::vector<double> x = ToDoubles(lhs), y = ToDoubles(rhs);
    for (const auto& [opcode, formula] : BinaryFormulas()) {
      // Arithmetic shifts of unsigned operands treat the top bit as a sign and keep the type.
      bool arithmetic_unsigned = opcode == "shift-right-arithmetic" && !IsSigned(type);
      std::vector<double> got = ToDoubles(Apply(lhs.shape().ToString(false), opcode, {lhs, rhs}));
      for (size_t i = 0; i < got.size(); ++i) {
        int64_t a = static_cast<int64_t>(x[i]), b = static_cast<int64_t>(y[i]);
        if (arithmetic_unsigned && a >= int64_t{1} << (BitWidth(type) - 1)) {
          a -= int64_t{1} << BitWidth(type);
        }
        int64_t want =
            arithmetic_unsigned ? Wrap(type, FloorShift(a, b)) : Wrap(type, formula(type, a, b));
        ASSERT_EQ(got[i], want) << PrimitiveTypeName(type) << " " << opcode << " " << x[i] << ", "
                                << y[i];
      }
    }
  }
}

TEST(IntegerTest, EverySmallOperand) {
  const std::map<std::string, std::function<int64_t(PrimitiveType, int64_t)>> formulas = {
      {"negate", [](auto, int64_t x) { return -x; }},
      {"abs", [](auto, int64_t x) { return x < 0 ? -x : x; }},
      {"sign", [](auto, int64_t x) { return (x > 0) - (x < 0); }},
      {"not", [](auto, int64_t x) { return -1 - x; }},
      {"popcnt",
       [](PrimitiveType t, int64_t x) {
         int64_t bits = 0;
         for (x = Unsigned(t, x); x > 0; x /= 2) bits += x % 2;
         return bits;
       }},
      {"count-leading-zeros", [](PrimitiveType t, int64_t x) {
         int64_t zeros = BitWidth(t);
         for (x = Unsigned(t, x); x > 0; x /= 2) --zeros;
         return zeros;
       }}};
  for (PrimitiveType type : kSmall) {
    Literal codes = AllCodes(type);
    std::vector<double> x = ToDoubles(codes);
    for (const auto& [opcode, formula] : formulas) {
      std::vector<double> got = ToDoubles(Apply(codes.shape().ToString(false), opcode, {codes}));
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i], Wrap(type, formula(type, static_cast<int64_t>(x[i]))))
            << PrimitiveTypeName(type) << " " << opcode << " " << x[i];
      }
    }
  }
}

TEST(IntegerTest, PredSubtractIsUnsupported) {
  absl::StatusOr<Literal> result =
      RunText("HloModule m\nENTRY e { p = pred[1] parameter(0)\n ROOT r = pred[1] subtract(p, p) }",
              {MustLiteral("pred[1] {true}")});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(result.status().message()).find("r: subtract from pred to pred"),
            std::string::npos);
}

}  // namespace
}  // namespace hlocts::reference
