// SPDX-License-Identifier: Apache-2.0
// Tests that the reference's own results for complex numbers are in its acceptance sets in every
// profile. Real and imaginary parts are near powers of two and the ends of the range, and sums are
// near midpoints between floats.
#include <cmath>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "reference/judge/cases_testing.h"
#include "spec/base/status_testing.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

template <typename T>
std::vector<T> HardParts() {
  using Limits = std::numeric_limits<T>;
  const T tiny = Limits::denorm_min(), least = Limits::min(), most = Limits::max();
  const T root = std::sqrt(least), unit = Limits::epsilon();
  std::vector<T> parts = {0,
                          tiny,
                          15 * tiny,
                          least / 2 + tiny,
                          least - tiny,
                          least,
                          least + tiny,
                          root,
                          root * (1 + unit),
                          unit / 2,
                          1 - unit / 2,
                          1,
                          1 + unit,
                          3,
                          10,
                          2 / unit - 1,
                          1 / root,
                          std::sqrt(most),
                          most / 2,
                          most,
                          Limits::infinity(),
                          Limits::quiet_NaN()};
  // Sums of products of these factors are next to midpoints between floats.
  for (int numerator : {8654886, 16004301, 14542847, 14074245, 9631161, 2980863, 4471295}) {
    parts.push_back(std::ldexp(static_cast<T>(numerator), -23));
    parts.push_back(std::ldexp(static_cast<T>(numerator), -28));
  }
  for (int small : {2, 3, 15}) parts.push_back(std::ldexp(static_cast<T>(small), -28));
  const size_t count = parts.size();
  for (size_t i = 0; i < count; ++i) parts.push_back(-parts[i]);
  return parts;
}

template <typename T>
Literal HardNumbers(PrimitiveType type, int64_t count, uint64_t seed) {
  const std::vector<T> parts = HardParts<T>();
  std::mt19937_64 random(seed);
  Literal numbers(Shape(type, {count}));
  for (std::complex<T>& z : numbers.mutable_data<std::complex<T>>()) {
    z = {parts[random() % parts.size()], parts[random() % parts.size()]};
  }
  return numbers;
}

Literal HardNumbers(PrimitiveType type, int64_t count, uint64_t seed) {
  return type == PrimitiveType::kC64 ? HardNumbers<float>(type, count, seed)
                                     : HardNumbers<double>(type, count, seed);
}

void ExpectInside(Opcode opcode, PrimitiveType type, std::vector<Literal> arguments) {
  const std::string in = arguments[0].shape().ToString(false);
  const bool real = opcode == Opcode::kAbs;
  const Shape shape =
      real ? arguments[0].shape().WithElementType(ComponentType(type)) : arguments[0].shape();
  const bool binary = arguments.size() == 2;
  const std::string text = absl::StrCat("ENTRY e { x = ", in, " parameter(0)\n",
                                        binary ? absl::StrCat("y = ", in, " parameter(1)\n") : "",
                                        "ROOT r = ", shape.ToString(false), " ", OpcodeName(opcode),
                                        "(x", binary ? ", y" : "", ") }");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(text));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto own, Evaluate(*module, arguments, EvalOptions()));
  for (Profile profile : {Profile::kStrict, Profile::kDefault, Profile::kRelaxed}) {
    JudgeOptions options;
    options.profile = profile;
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto result, Judge(*module, arguments, {own}, options));
    EXPECT_NE(result.outcome, Outcome::kFail)
        << OpcodeName(opcode) << " " << PrimitiveTypeName(type) << " " << ProfileName(profile)
        << ": " << result.failed_elements << ", " << result.reason;
  }
}

class OwnValues : public testing::TestWithParam<PrimitiveType> {};

TEST_P(OwnValues, OfBinaryOperations) {
  for (Opcode opcode : {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide}) {
    ExpectInside(opcode, GetParam(),
                 {HardNumbers(GetParam(), 2000, 1), HardNumbers(GetParam(), 2000, 2)});
  }
}

TEST_P(OwnValues, OfUnaryOperations) {
  for (Opcode opcode : {Opcode::kNegate, Opcode::kAbs, Opcode::kSign}) {
    ExpectInside(opcode, GetParam(), {HardNumbers(GetParam(), 2000, 3)});
  }
}

TEST_P(OwnValues, OfFunctions) {
  for (Opcode opcode : ops::kComplexFunctionOpcodes) {
    std::vector<Literal> arguments = {HardNumbers(GetParam(), 500, 4)};
    if (ops::IsComplexBinary(opcode)) arguments.push_back(HardNumbers(GetParam(), 500, 5));
    ExpectInside(opcode, GetParam(), std::move(arguments));
  }
}

INSTANTIATE_TEST_SUITE_P(Complex, OwnValues,
                         testing::Values(PrimitiveType::kC64, PrimitiveType::kC128),
                         [](const auto& info) {
                           return std::string(PrimitiveTypeName(info.param));
                         });

}  // namespace
}  // namespace hlocts::reference
