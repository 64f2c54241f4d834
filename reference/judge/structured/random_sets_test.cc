// SPDX-License-Identifier: Apache-2.0
// Tests draws of 64-bit integers whose bounds a double cannot represent.
#include <random>

#include "absl/strings/str_format.h"
#include "reference/judge/cases_testing.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kDraws = 4096;

// Judges integer draws, the first one replaced by `first`, as results of rng with bounds [a, b).
template <typename T>
Outcome OutcomeOf(T a, T b, T draws_from, T draws_to, T first) {
  const bool is_signed = std::is_signed_v<T>;
  const PrimitiveType type = is_signed ? PrimitiveType::kS64 : PrimitiveType::kU64;
  const std::string name(PrimitiveTypeName(type));
  const std::string text = absl::StrFormat(
      "ENTRY e { a = %s[] constant(%d) b = %s[] constant(%d)\n"
      " ROOT r = %s[%d] rng(a, b), distribution=rng_uniform }",
      name, a, name, b, name, kDraws);
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  Literal draws(Shape(type, {kDraws}));
  std::mt19937_64 random(1);
  std::uniform_int_distribution<T> distribution(draws_from, draws_to);
  for (T& draw : draws.mutable_data<T>()) draw = distribution(random);
  draws.mutable_data<T>()[0] = first;
  auto result = Judge(**module, {}, {draws}, JudgeOptions());
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? AcceptedOr(*result) : Outcome::kError;
}

TEST(RandomSets, IntegersBetweenNeighboursOfF64) {
  const int64_t a = int64_t{1} << 60, b = a + 200;
  EXPECT_EQ(OutcomeName(OutcomeOf(a, b, a, b - 1, a)), OutcomeName(Outcome::kPass));
  EXPECT_EQ(OutcomeName(OutcomeOf(a, b, a, b - 1, b)), OutcomeName(Outcome::kFail));
  EXPECT_EQ(OutcomeName(OutcomeOf(a, b, a, b - 1, a - 1)), OutcomeName(Outcome::kFail));
  EXPECT_EQ(OutcomeName(OutcomeOf(a, b, a, a + 99, a)), OutcomeName(Outcome::kFail));
}

TEST(RandomSets, AllOfU64ButTheLast) {
  const uint64_t b = UINT64_MAX;
  EXPECT_EQ(OutcomeName(OutcomeOf<uint64_t>(0, b, 0, b - 1, b - 1)), OutcomeName(Outcome::kPass));
  EXPECT_EQ(OutcomeName(OutcomeOf<uint64_t>(0, b, 0, b - 1, b)), OutcomeName(Outcome::kFail));
}

}  // namespace
}  // namespace hlocts::reference
