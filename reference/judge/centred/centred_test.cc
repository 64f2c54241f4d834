// SPDX-License-Identifier: Apache-2.0
// Tests centred forms (lemma 43). The slopes must bound every secant. All uses of a sum see the
// same number, while two uses of an element-wise value may see different numbers.
#include <cmath>
#include <random>

#include "absl/strings/str_replace.h"
#include "reference/judge/cases_testing.h"
#include "reference/judge/centred/slopes.h"
#include "spec/ir/opcode.h"

namespace hlocts::reference {
namespace {

// ---------------------------------------------------------------- slopes

struct Range {
  Opcode opcode;
  double lo, hi;  // the range of all operands
};

class SlopesTest : public testing::TestWithParam<Range> {};

// Checks that |f(x) - f(at)| is within the slopes' bound for x at corners, on edges and in boxes.
TEST_P(SlopesTest, HoldEverySecant) {
  const SlopeRow* row = SlopeRowOf(GetParam().opcode);
  ASSERT_NE(row, nullptr);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(GetParam().lo, GetParam().hi), part(0, 1);
  int known = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Box boxes[3];
    Slope slopes[3];
    double at[3], x[3];
    for (int k = 0; k < row->operands; ++k) {
      const double a = any(random), b = a + (any(random) - a) * std::pow(part(random), 4);
      boxes[k] = {std::min(a, b), std::max(a, b), 0};
      boxes[k].at = at[k] = boxes[k].lo + part(random) * (boxes[k].hi - boxes[k].lo);
    }
    if (!row->slopes(boxes, slopes)) continue;
    ++known;
    for (int sample = 0; sample < 20; ++sample) {
      double middle = 0, reach = 0;
      for (int k = 0; k < row->operands; ++k) {
        const double share = sample < 8 ? (sample >> k & 1) : part(random);
        x[k] = boxes[k].lo + share * (boxes[k].hi - boxes[k].lo);
        middle += slopes[k].middle * (x[k] - at[k]);
        reach += slopes[k].radius * std::fabs(x[k] - at[k]);
      }
      const double change = row->value(x) - row->value(at);
      const double slack = 1e-13 * (std::fabs(row->value(x)) + std::fabs(row->value(at)) + 1e-3);
      ASSERT_LE(std::fabs(change - middle), reach + slack) << "trial " << trial;
    }
  }
  EXPECT_GT(known, 200);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SlopesTest,
    testing::Values(Range{Opcode::kAdd, -9, 9}, Range{Opcode::kSubtract, -9, 9},
                    Range{Opcode::kMultiply, -9, 9}, Range{Opcode::kDivide, -9, 9},
                    Range{Opcode::kPower, 0.1, 4}, Range{Opcode::kPower, -0.5, 1.5},
                    Range{Opcode::kMaximum, -9, 9}, Range{Opcode::kMinimum, -9, 9},
                    Range{Opcode::kClamp, -3, 3}, Range{Opcode::kNegate, -9, 9},
                    Range{Opcode::kAbs, -2, 2}, Range{Opcode::kConvert, -9, 9},
                    Range{Opcode::kExponential, -30, 30},
                    Range{Opcode::kExponentialMinusOne, -9, 9}, Range{Opcode::kLog, -1, 9},
                    Range{Opcode::kLogPlusOne, -2, 9}, Range{Opcode::kTanh, -9, 9},
                    Range{Opcode::kLogistic, -20, 20}, Range{Opcode::kErf, -4, 4},
                    Range{Opcode::kSqrt, -1, 9}, Range{Opcode::kRsqrt, -1, 9},
                    Range{Opcode::kCbrt, -9, 9}, Range{Opcode::kSine, -9, 9},
                    Range{Opcode::kCosine, -9, 9}, Range{Opcode::kTan, -2, 2}));

TEST(SlopesTest, ThereAreNoneAtAPole) {
  const Box around[2] = {{1, 2, 1.5}, {-1, 1, 0.5}};
  Slope slopes[2];
  EXPECT_FALSE(SlopeRowOf(Opcode::kDivide)->slopes(around, slopes));
  EXPECT_FALSE(SlopeRowOf(Opcode::kLog)->slopes(&around[1], slopes));
  EXPECT_FALSE(SlopeRowOf(Opcode::kRsqrt)->slopes(&around[1], slopes));
  EXPECT_EQ(SlopeRowOf(Opcode::kFloor), nullptr);
}

TEST(SlopesTest, OfSelectionsOnlyWhatMayBeSelectedMoves) {
  const Box boxes[3] = {{1, 2, 1.5}, {1.9, 3, 2}, {0, 1.5, 1}};
  Slope slopes[3];
  SelectionSlopes(/*largest=*/true, boxes, slopes);
  EXPECT_EQ(slopes[0].middle + slopes[0].radius, 1);
  EXPECT_EQ(slopes[1].middle - slopes[1].radius, 0);
  EXPECT_TRUE(slopes[2].IsZero());
}

// ---------------------------------------------------------------- modules

const char kSum[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[64] parameter(0) z = f32[] constant(0)\n"
    " ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add }";
// Computes 3 s - 2.5 s from one sum s.
const char kTwice[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[64] parameter(0) z = f32[] constant(0)\n"
    " s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
    " a = f32[] constant(3) b = f32[] constant(2.5)\n"
    " t = f32[] multiply(s, a) u = f32[] multiply(s, b) ROOT r = f32[] subtract(t, u) }";

Literal Terms() {
  Literal x(Shape(PrimitiveType::kF32, {64}));
  std::mt19937 random(3);
  for (float& v : x.mutable_data<float>()) v = static_cast<float>(random() >> 8) * 0x1p-22f - 2;
  return x;
}

JudgeOptions Options(Profile profile, bool centred = true) {
  JudgeOptions options;
  options.profile = profile;
  options.centred = centred;
  return options;
}

AcceptanceSet SetOf(const char* text, const Literal& x, const JudgeOptions& options) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  auto accepted = AcceptanceOf(**module, {x}, options);
  EXPECT_TRUE(accepted.ok()) << accepted.status();
  return accepted->leaves[0].set.At(0);
}

class ProfilesTest : public testing::TestWithParam<Profile> {};

// Both products read the same sum s, and any s in the sum's set is legal.
TEST_P(ProfilesTest, OneSumReadTwiceIsOneNumber) {
  const Literal x = Terms();
  const AcceptanceSet sum = SetOf(kSum, x, Options(GetParam()));
  const AcceptanceSet result = SetOf(kTwice, x, Options(GetParam()));
  auto value = [](double s, double t) {
    return static_cast<double>(static_cast<float>(3 * s) - static_cast<float>(2.5 * t));
  };
  for (int k = 0; k <= 64; ++k) {
    const double s = static_cast<float>(sum.lo + (sum.hi - sum.lo) * k / 64);
    EXPECT_GE(value(s, s), result.lo) << k;
    EXPECT_LE(value(s, s), result.hi) << k;
  }
  EXPECT_GT(value(sum.hi, sum.lo), result.hi);
  EXPECT_LT(value(sum.lo, sum.hi), result.lo);
}

// The error is at most half (3 - 2.5) of the sum's error plus the roundings of all operations.
TEST_P(ProfilesTest, TheSetIsThatOfFirstOrder) {
  const Literal x = Terms();
  const AcceptanceSet sum = SetOf(kSum, x, Options(GetParam()));
  const AcceptanceSet result = SetOf(kTwice, x, Options(GetParam()));
  const AcceptanceSet apart = SetOf(kTwice, x, Options(GetParam(), /*centred=*/false));
  const double most = std::max(std::fabs(sum.lo), std::fabs(sum.hi));
  const double ulp = 0x1p-23 * std::exp2(std::floor(std::log2(most)));
  // 3 s and 2.5 s have an ulp of at most 4 ulps of s; the relaxed profile permits twice the error.
  const double rounded = (GetParam() == kRelaxed ? 2 : 1) * (5.5 / 2 + 2 * 4.0 / 2 + 1.0 / 2) * ulp;
  EXPECT_LE((result.hi - result.lo) / 2, 0.5 * (sum.hi - sum.lo) / 2 + rounded);
  EXPECT_LT(result.hi - result.lo, 0.5 * (apart.hi - apart.lo));
}

INSTANTIATE_TEST_SUITE_P(Profiles, ProfilesTest,
                         testing::Values(Profile::kStrict, Profile::kDefault, Profile::kRelaxed));

// Computes 3 e - 2.5 e. A compiler may compute the exponential e twice, with 3 ulps of error each.
const char kExponentialTwice[] =
    "ENTRY e { x = f32[1] parameter(0) e = f32[1] exponential(x)\n"
    " a = f32[] constant(3) b = f32[] constant(2.5)\n"
    " c = f32[1] broadcast(a), dimensions={} d = f32[1] broadcast(b), dimensions={}\n"
    " t = f32[1] multiply(e, c) u = f32[1] multiply(e, d) ROOT r = f32[1] subtract(t, u) }";

TEST(CentredTest, AnElementwiseValueReadTwiceMayBeTwoNumbers) {
  Literal x(Shape(PrimitiveType::kF32, {1}));
  x.mutable_data<float>()[0] = 0.7F;
  const AcceptanceSet result = SetOf(kExponentialTwice, x, Options(Profile::kDefault));
  const float e = std::exp(0.7F), ulp = std::nextafter(e, 9.0F) - e;
  const float above = e + 2 * ulp, below = e - 2 * ulp;
  EXPECT_LE(3 * above - 2.5F * below, result.hi);
  EXPECT_GE(3 * below - 2.5F * above, result.lo);
}

// If an engine declares that it computes and rounds each value once, all uses of a value see one
// number. The error of the difference is then 3 - kLess times the error of the value, plus the
// roundings of the two products.
TEST_P(ProfilesTest, AValueThatIsComputedOnceIsOneNumber) {
  Literal x(Shape(PrimitiveType::kF32, {1}));
  x.mutable_data<float>()[0] = 0.7F;
  constexpr double kLess = 2.9990234375;  // the difference loses most bits, so it is narrowed
  const std::string module = absl::StrReplaceAll(kExponentialTwice, {{"2.5", "2.9990234375"}});
  JudgeOptions once = Options(GetParam());
  once.facts.values_once = true;
  const AcceptanceSet result = SetOf(module.c_str(), x, once);
  const AcceptanceSet e = SetOf(
      "ENTRY e { x = f32[1] parameter(0) ROOT e = f32[1] exponential(x) }", x, Options(GetParam()));
  for (double value = e.lo; value <= e.hi; value = std::nextafterf(value, 9.0F)) {
    const float r = static_cast<float>(3 * value) - static_cast<float>(kLess * value);
    EXPECT_GE(r, result.lo) << value;
    EXPECT_LE(r, result.hi) << value;
  }
  if (GetParam() == kStrict) return;  // an ulp of e does not exceed the roundings of the products
  EXPECT_GT(3 * e.hi - kLess * e.lo, result.hi);
  EXPECT_LT(3 * e.lo - kLess * e.hi, result.lo);
}

// An engine that computes and rounds each value once never uses an unrounded product.
TEST(CentredTest, WhatIsRoundedOnceIsNotContracted) {
  Case fused = {"",
                "ENTRY e { x = f32[] parameter(0) z = f32[] parameter(1) p = f32[] multiply(x, x)\n"
                " ROOT r = f32[] add(p, z) }",
                {"f32[] 1.0000001", "f32[] -1.0000002"},
                {"f32[] 1.4210855e-14"},
                kPass};
  EXPECT_NE(JudgeCase(fused).outcome, Outcome::kFail);
  fused.facts.values_once = true;
  EXPECT_EQ(JudgeCase(fused).outcome, Outcome::kFail);
  fused.outputs = {"f32[] 0"};
  EXPECT_NE(JudgeCase(fused).outcome, Outcome::kFail);
}

// A NaN that the interval evaluation permits is still permitted after narrowing.
TEST(CentredTest, WhatMayBeNoNumberIsNotNarrowed) {
  const char module[] =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[64] parameter(0) z = f32[] constant(0)\n"
      " s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      " t = f32[] subtract(s, s) u = f32[] multiply(s, z) v = f32[] add(t, u)\n"
      " w = f32[] sqrt(v) ROOT r = f32[] add(w, s) }";
  const Literal x = Terms();
  const AcceptanceSet with = SetOf(module, x, Options(Profile::kDefault));
  const AcceptanceSet without = SetOf(module, x, Options(Profile::kDefault, /*centred=*/false));
  EXPECT_EQ(with.flags, without.flags);
}

}  // namespace
}  // namespace hlocts::reference
