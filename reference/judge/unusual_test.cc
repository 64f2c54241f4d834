// SPDX-License-Identifier: Apache-2.0
// Tests the search for acceptable but improbable results (lemma 32): it reports faults that the
// worst-case sets accept, but not the usual orders of a sum.
#include "spec/judge/unusual.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "reference/judge/cases_testing.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kTerms = 4096, kSide = 8;

const char kDot[] =
    "ENTRY e { x = f32[8,4096] parameter(0) y = f32[4096,8] parameter(1)\n"
    " ROOT r = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";

Literal Uniform(std::vector<int64_t> sizes, uint32_t seed) {
  Literal literal(Shape(PrimitiveType::kF32, std::move(sizes)));
  std::mt19937 random(seed);
  for (float& x : literal.mutable_data<float>()) {
    x = static_cast<float>(random() >> 8) * 0x1p-24f;
  }
  return literal;
}

using TermOf = std::function<float(int64_t)>;  // returns term k of one sum
using SumOfTerms = std::function<float(const TermOf&)>;

Literal Product(const Literal& x, const Literal& y, const SumOfTerms& sum) {
  Literal result(Shape(PrimitiveType::kF32, {kSide, kSide}));
  for (int64_t i = 0; i < kSide; ++i) {
    for (int64_t j = 0; j < kSide; ++j) {
      result.mutable_data<float>()[i * kSide + j] = sum([&](int64_t k) {
        return x.data<float>()[i * kTerms + k] * y.data<float>()[k * kSide + j];
      });
    }
  }
  return result;
}

float Rounded(float x, int bits) {
  int exponent = 0;
  const float mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

float InOrder(const TermOf& term) {
  float sum = 0;
  for (int64_t k = 0; k < kTerms; ++k) sum += term(k);
  return sum;
}
float Backwards(const TermOf& term) {
  float sum = 0;
  for (int64_t k = kTerms - 1; k >= 0; --k) sum += term(k);
  return sum;
}
float InLanes(const TermOf& term) {
  float lanes[16] = {}, sum = 0;
  for (int64_t k = 0; k < kTerms; ++k) lanes[k % 16] += term(k);
  for (float lane : lanes) sum += lane;
  return sum;
}

float NarrowAccumulator(const TermOf& term) {
  float sum = 0;
  for (int64_t k = 0; k < kTerms; ++k) sum = Rounded(sum + term(k), 17);
  return sum;
}
float RoundedProducts(const TermOf& term) {
  return InOrder([&](int64_t k) { return Rounded(term(k), 7); });
}
float LostTerm(const TermOf& term) {
  bool lost = false;
  return InOrder([&](int64_t k) {
    const float x = term(k);
    const bool lose = !lost && x > 0.25f && x < 0.3f;
    lost = lost || lose;
    return lose ? 0 : x;
  });
}

// The usual sets of the product, and its likely sets for two values of JudgeOptions::likely.
struct Sets {
  ModuleAcceptance usual, far, likely;
  Unusual Find(const Literal& output) const {
    return FindUnusual(usual, far, likely, absl::MakeConstSpan(&output, 1));
  }
};

Sets SetsOf(const std::vector<Literal>& arguments) {
  auto module = ParseModule(kDot);
  EXPECT_TRUE(module.ok());
  const auto with = [&](double lambda) {
    JudgeOptions options;
    options.likely = lambda;
    auto sets = AcceptanceOf(**module, arguments, options);
    EXPECT_TRUE(sets.ok());
    return *std::move(sets);
  };
  return {with(0), with(VeryLikelyFactor(kSide * kSide)), with(kLikelyLambda)};
}

struct Judged {
  JudgeResult result;
  std::string unusual;
};

Judged JudgedOf(const SumOfTerms& sum) {
  const std::vector<Literal> arguments = {Uniform({kSide, kTerms}, 1), Uniform({kTerms, kSide}, 2)};
  const Literal output = Product(arguments[0], arguments[1], sum);
  const Sets sets = SetsOf(arguments);
  return {JudgeLeaves(sets.usual, absl::MakeConstSpan(&output, 1)), sets.Find(output).text};
}

TEST(UnusualTest, OrdersOfASumAreUsual) {
  for (const SumOfTerms& sum : {SumOfTerms(InOrder), SumOfTerms(Backwards), SumOfTerms(InLanes)}) {
    Judged verdict = JudgedOf(sum);
    EXPECT_EQ(OutcomeName(verdict.result.outcome), "pass") << verdict.result.reason;
    EXPECT_EQ(verdict.unusual, "");
  }
}

// Some ten thousand sums in random orders: no element and no tensor is improbable.
TEST(UnusualTest, LegalOrdersAreNotMarked) {
  const std::vector<Literal> arguments = {Uniform({kSide, kTerms}, 3), Uniform({kTerms, kSide}, 4)};
  const Sets sets = SetsOf(arguments);
  std::vector<int64_t> order(kTerms);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(5);
  for (int run = 0; run < 160; ++run) {
    std::shuffle(order.begin(), order.end(), random);
    const Literal output = Product(arguments[0], arguments[1], [&](const TermOf& term) {
      float sum = 0;
      for (int64_t k : order) sum += term(k);
      return sum;
    });
    EXPECT_EQ(sets.Find(output).text, "");
    EXPECT_EQ(sets.Find(output).elements, kSide * kSide);
  }
}

TEST(UnusualTest, FaultsWithinTheBoundsAreMarked) {
  for (const SumOfTerms& sum :
       {SumOfTerms(NarrowAccumulator), SumOfTerms(RoundedProducts), SumOfTerms(LostTerm)}) {
    Judged verdict = JudgedOf(sum);
    EXPECT_EQ(OutcomeName(verdict.result.outcome), "pass") << verdict.result.reason;
    EXPECT_NE(verdict.unusual, "");
  }
}

}  // namespace
}  // namespace hlocts::reference
