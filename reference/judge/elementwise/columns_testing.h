// SPDX-License-Identifier: Apache-2.0
// Draws random operands for tests of loops over columns and compares them with set arithmetic.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/interval_columns.h"

namespace hlocts::reference {

inline constexpr int64_t kCount = 700;  // more than two blocks

class Draw {
 public:
  Draw(PrimitiveType type, uint64_t seed) : facts_(FactsOf(type)), random_(seed) {}
  double Number() {
    double x = Any();
    return positive ? std::fabs(x) : x;
  }
  double Any() {
    uint64_t kind = random_() % 160;
    double specials[] = {0,          -0.0,        facts_.min_normal, -facts_.tiny,
                         facts_.max, -facts_.max, kInfinity,         facts_.min_normal / 2,
                         1,          -1};
    if (ordinary) return Ordinary();
    if (kind < std::size(specials)) return specials[kind];
    int exponent = static_cast<int>(random_() % 12) - 6;
    if (kind == 20) exponent *= facts_.emin / 8;
    return facts_.Round(std::ldexp(static_cast<double>(random_() >> 11) * 0x1p-52 - 1, exponent));
  }
  AcceptanceSet Set() {
    double a = Number();
    if (std::isinf(a)) return AcceptanceSet::Float(a);
    double b = facts_.Round(a + a * 0x1p-6 * static_cast<double>(random_() % 4));
    AcceptanceSet s = a == b || std::isinf(b)
                          ? AcceptanceSet::Float(a)
                          : AcceptanceSet::Interval(std::min(a, b), std::max(a, b));
    if (!ordinary && random_() % 40 == 0) s.flags |= AcceptanceSet::kNan;
    if (!ordinary && random_() % 200 == 0) return AcceptanceSet::Unspecified();
    if (!s.IsPoint()) s.cause = WideningCause::kUlps, s.origin = 7;
    bool wide = random_() % 2 == 0 && s.finite() && std::fabs(s.lo) < facts_.max / 2;
    if (wide) {
      s.rlo = s.lo - std::fabs(s.lo) * 0x1p-30;
      s.rhi = s.hi + std::fabs(s.hi) * 0x1p-30;
      if (s.rlo < s.lo || s.rhi > s.hi) s.flags |= AcceptanceSet::kPreRounding | contractible;
    }
    return s;
  }
  // Returns a number that often has few bits, so that sums and products are on or near midpoints.
  double Ordinary() {
    const double few = 1 + static_cast<double>(random_() % 8) / 4;
    const double many = facts_.Round(1 + static_cast<double>(random_() >> 11) * 0x1p-53);
    const double x =
        std::ldexp(random_() % 2 == 0 ? few : many, static_cast<int>(random_() % 60) - 30);
    return random_() % 2 == 0 ? x : -x;
  }
  bool positive = false, ordinary = false;
  uint16_t contractible = AcceptanceSet::kContractible;

 private:
  const FloatFacts& facts_;
  std::mt19937_64 random_;
};

inline SetArray DrawArray(PrimitiveType type, bool points, uint64_t seed, bool positive = false,
                          bool ordinary = false) {
  Draw draw(type, seed);
  draw.positive = positive;
  draw.ordinary = ordinary;
  Shape shape(type, {kCount});
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < kCount; ++i) {
    if (points) {
      sets.push_back(AcceptanceSet::Float(draw.Number()));
    } else {
      sets.push_back(draw.Set());
    }
  }
  return points ? Compress(SetArray(shape, std::move(sets))) : SetArray(shape, std::move(sets));
}

inline ElementOp MakeOp(Opcode opcode, PrimitiveType type, Profile profile, UnroundedUse hull) {
  ElementOp op{.instruction = nullptr, .opcode = opcode};
  op.operand_type = op.result_type = type;
  op.context.operand = op.context.result = &FactsOf(type);
  op.context.rule = RuleFor(opcode, type, profile);
  op.context.guard = RangeGuardOf(opcode);
  op.context.origin = 3;
  op.hull = hull;
  return op;
}

// Returns the flags without kContractible if there is no pre-rounding interval (lemma 5).
inline uint16_t FlagsWithoutContractible(const AcceptanceSet& s) {
  return s.flags & ~(s.Has(AcceptanceSet::kPreRounding) ? 0 : AcceptanceSet::kContractible);
}

// Expects equal sets. If functions are bounded in ulps, `fast` may be wider by one float at an end.
inline void ExpectSame(const ElementOp& op, const AcceptanceSet& fast, const AcceptanceSet& slow,
                       int64_t i) {
  std::string what =
      absl::StrCat(OpcodeName(op.opcode), " ", PrimitiveTypeName(op.operand_type), " at ", i, ": ",
                   SetText(fast, op.result_type), " / ", SetText(slow, op.result_type));
  ASSERT_EQ(FlagsWithoutContractible(fast), FlagsWithoutContractible(slow)) << what;
  if (fast.unspecified() || !fast.finite()) return;
  ASSERT_TRUE(IsSubset(slow, fast)) << what;
  const FloatFacts& facts = *op.context.result;
  if (op.context.rule.rule_class == RuleClass::kUlp) {
    ASSERT_GE(fast.lo, facts.Previous(slow.lo)) << what;
    ASSERT_LE(fast.hi, facts.Next(slow.hi)) << what;
  } else {
    ASSERT_EQ(fast.lo, slow.lo) << what;
    ASSERT_EQ(fast.hi, slow.hi) << what;
  }
  if (!fast.Has(AcceptanceSet::kPreRounding)) return;
  ASSERT_LE(fast.rlo, slow.rlo) << what;
  ASSERT_GE(fast.rhi, slow.rhi) << what;
  if (op.context.rule.rule_class == RuleClass::kUlp) return;
  ASSERT_EQ(fast.rlo, slow.rlo) << what;
  ASSERT_EQ(fast.rhi, slow.rhi) << what;
}

inline void Compare(const ElementOp& op, absl::Span<const SetArray* const> operands,
                    int64_t& compared) {
  Shape shape(op.result_type, {kCount});
  std::optional<SetArray> fast = ElementwiseColumns(op, shape, operands);
  if (!fast.has_value()) return;
  ++compared;
  for (int64_t i = 0; i < kCount; ++i) {
    AcceptanceSet slow = RealElement(op, operands, i);
    DropUnreadPreRounding(slow, op.hull);
    AcceptanceSet s = fast->At(i);
    if (s.IsPoint() && slow.IsPoint()) slow.flags &= ~AcceptanceSet::kBitsKnown;
    s.flags &= ~AcceptanceSet::kBitsKnown;
    ExpectSame(op, s, slow, i);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace hlocts::reference
