// SPDX-License-Identifier: Apache-2.0
// The loops over columns against set arithmetic, element by element: random operands of every kind,
// as literals and as sets, in every profile and with every use of unrounded values.
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "reference/judge/elementwise/columns_testing.h"
#include "reference/judge/interpreter/set_value.h"
#include "reference/judge/judge_testing.h"
#include "reference/judge/sums/sums.h"
#include "spec/judge/interval_columns.h"

namespace hlocts::reference {
namespace {

TEST(ColumnsTest, LoopsGiveTheSetsOfSetArithmetic) {
  constexpr Opcode kOpcodes[] = {
      Opcode::kAdd,     Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
      Opcode::kMaximum, Opcode::kMinimum,  Opcode::kNegate,   Opcode::kExponential,
      Opcode::kTanh,    Opcode::kLog,      Opcode::kRsqrt,    Opcode::kLogistic,
      Opcode::kCbrt,    Opcode::kSine,     Opcode::kErf,      Opcode::kSqrt};
  constexpr PrimitiveType kTypes[] = {PrimitiveType::kF32, PrimitiveType::kF64,
                                      PrimitiveType::kBF16, PrimitiveType::kF16};
  for (Opcode opcode : kOpcodes) {
    int64_t compared = 0;
    bool unary = RowOf(opcode).family == Family::kElementwiseUnary;
    for (PrimitiveType type : kTypes) {
      for (int kinds = 0; kinds < (unary ? 2 : 4); ++kinds) {
        bool positive =
            opcode == Opcode::kLog || opcode == Opcode::kRsqrt || opcode == Opcode::kSqrt;
        SetArray a = DrawArray(type, kinds & 1, 10 + kinds, positive);
        SetArray b = DrawArray(type, kinds & 2, 20);
        std::vector<const SetArray*> operands = {&a};
        if (!unary) operands.push_back(&b);
        for (Profile profile : kAllProfiles) {
          for (HullUse hull : {kHullUnused, kHullContract, kHullWiden, kHullAny}) {
            Compare(MakeOp(opcode, type, profile, hull), operands, compared);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
    EXPECT_GE(compared, 8) << OpcodeName(opcode);  // a square root is bounded in ulps for f32 only
  }
}

// An operation of f32, and how many of the runs below are to be judged as one, or in blocks.
struct RunOp {
  Opcode opcode;
  PrimitiveType result;
  int points_min, points_max, blocks_min;
};
constexpr RunOp kRunOps[] = {
    {Opcode::kExponential, PrimitiveType::kF32, 30, 125, 0},  // overflow
    {Opcode::kExponentialMinusOne, PrimitiveType::kF32, 30, 125, 0},
    {Opcode::kCosh, PrimitiveType::kF32, 50, 125, 0},
    {Opcode::kLog, PrimitiveType::kF32, 60, 80, 0},  // negative numbers
    {Opcode::kLogPlusOne, PrimitiveType::kF32, 30, 80, 0},
    {Opcode::kSqrt, PrimitiveType::kF32, 60, 80, 0},
    {Opcode::kRsqrt, PrimitiveType::kF32, 60, 80, 0},
    {Opcode::kAcos, PrimitiveType::kF32, 60, 80, 0},  // beyond 1
    {Opcode::kAcosh, PrimitiveType::kF32, 90, 125, 0},
    {Opcode::kTanh, PrimitiveType::kF32, 0, 80, 0},
    {Opcode::kErf, PrimitiveType::kF32, 0, 80, 0},
    {Opcode::kLogistic, PrimitiveType::kF32, 0, 80, 0},
    {Opcode::kCbrt, PrimitiveType::kF32, 0, 3, 0},  // constant nowhere
    {Opcode::kSine, PrimitiveType::kF32, 0, 3, 0},
    {Opcode::kTan, PrimitiveType::kF32, 0, 3, 0},
    {Opcode::kConvert, PrimitiveType::kF8E4M3FN, 0, 145, 100},
    {Opcode::kConvert, PrimitiveType::kF8E5M2, 0, 145, 100},
    {Opcode::kConvert, PrimitiveType::kF4E2M1FN, 0, 145, 100},
    {Opcode::kConvert, PrimitiveType::kBF16, 0, 145, 0},
    {Opcode::kConvert, PrimitiveType::kU8, 50, 145, 0},
    {Opcode::kConvert, PrimitiveType::kS32, 30, 145, 0},
    {Opcode::kConvert, PrimitiveType::kPred, 50, 145, 0},
    {Opcode::kReducePrecision, PrimitiveType::kF32, 0, 145, 0},
};

// Neighbouring bit patterns: in and out of domains, at the ends of ranges, beyond them.
Literal NeighboursFrom(uint32_t bits, int64_t count) {
  Literal literal(Shape(PrimitiveType::kF32, {count}));
  for (uint32_t& element : literal.mutable_data<uint32_t>()) element = bits++;
  return literal;
}

void ExpectRunAsElements(const ElementOp& op, const SetArray& operand, const SetArray& fast) {
  const SetArray* operands[] = {&operand};
  for (int64_t i = 0; i < operand.element_count(); i += 37) {
    AcceptanceSet slow = RealElement(op, operands, i), s = fast.At(i);
    DropUnusedHull(slow, op.hull);
    std::string what =
        absl::StrCat(OpcodeName(op.opcode), " to ", PrimitiveTypeName(op.result_type), " of ",
                     operand.literal().data<float>()[i], ": ", SetText(s, op.result_type), " / ",
                     SetText(slow, op.result_type));
    ASSERT_EQ(s.flags, slow.flags) << what;
    if (slow.integer()) {
      ASSERT_TRUE(s.ilo == slow.ilo && s.ihi == slow.ihi) << what;
    } else if (slow.finite()) {
      ASSERT_EQ(s.lo, slow.lo) << what;
      ASSERT_EQ(s.hi, slow.hi) << what;
    }
  }
}

TEST(ColumnsTest, RunsOfOneSetHaveTheSetsOfSetArithmetic) {
  constexpr int64_t kRun = 9000;
  for (const RunOp& row : kRunOps) {
    int points = 0, blocks = 0;
    for (uint32_t magnitude = 0; magnitude < 0x80000000u - kRun; magnitude += 0x05555555u) {
      for (uint32_t sign : {0u, 0x80000000u}) {
        SetArray operand(NeighboursFrom(sign | magnitude, kRun));
        const SetArray* operands[] = {&operand};
        for (Profile profile : kAllProfiles) {
          ElementOp op = MakeOp(row.opcode, PrimitiveType::kF32, profile, kHullUnused);
          op.result_type = row.result;
          if (IsFloat(row.result)) op.context.result = &FactsOf(row.result);
          op.exponent_bits = 5, op.mantissa_bits = 3;
          const Shape shape(row.result, {kRun});
          if (auto fast = UniformPoints(op, shape, operands)) {
            ++points;
            ExpectRunAsElements(op, operand, *fast);
          }
          if (auto fast = UniformBlocks(op, shape, operands)) {
            ++blocks;
            ExpectRunAsElements(op, operand, *fast);
          }
          if (HasFatalFailure()) return;
        }
      }
    }
    // Of 144.
    std::string what = absl::StrCat(OpcodeName(row.opcode), " to ", PrimitiveTypeName(row.result));
    EXPECT_GE(points, row.points_min) << what;
    EXPECT_LE(points, row.points_max) << what;
    EXPECT_GE(blocks, row.blocks_min) << what;
  }
}

TEST(ColumnsTest, ColumnsAreTheSetsTheyWereMadeOf) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SetArray sets = DrawArray(PrimitiveType::kF32, false, seed);
    std::shared_ptr<const IntervalColumns> columns = ColumnsOf(sets);
    ASSERT_NE(columns, nullptr);
    SetArray by_columns(sets.shape(), columns);
    std::vector<AcceptanceSet> all = by_columns.AsSets();
    for (int64_t i = 0; i < kCount; ++i) {
      for (const AcceptanceSet& s : {by_columns.At(i), all[i]}) {
        AcceptanceSet from = sets.At(i);
        ASSERT_EQ(s.flags, from.flags);
        ASSERT_EQ(s.cause, from.cause);
        ASSERT_EQ(s.origin, from.origin);
        if (!s.finite()) continue;
        ASSERT_EQ(s.lo, from.lo);
        ASSERT_EQ(s.hi, from.hi);
      }
    }
  }
}

// Verdict, bits and effective bits of outputs do not depend on how the sets are stored.
TEST(ColumnsTest, VerdictsAreThoseOfTheSets) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SetArray sets = DrawArray(PrimitiveType::kF32, false, seed);
    Literal actual(sets.shape());
    for (int64_t i = 0; i < kCount; ++i) {
      AcceptanceSet s = sets.At(i);
      double inside = i % 2 == 0 ? s.lo : s.hi;
      if (!s.finite()) inside = s.Has(AcceptanceSet::kNegInf) ? -kInfinity : kInfinity;
      if (s.finite() && s.lo <= 0 && s.hi >= 0 && !s.Has(AcceptanceSet::kPosZero)) inside = -0.0;
      if (seed % 2 == 1 && i == 17 * static_cast<int64_t>(seed)) inside = inside * 1.5 + 3;
      actual.mutable_data<float>()[i] = static_cast<float>(inside);
    }
    ModuleAcceptance slow, fast;
    slow.leaves.push_back({sets.shape(), false, sets});
    fast.leaves.push_back({sets.shape(), false, SetArray(sets.shape(), ColumnsOf(sets))});
    slow.origins = fast.origins = std::vector<Origin>(8);
    JudgeResult a = JudgeLeaves(slow, {actual}), b = JudgeLeaves(fast, {actual});
    EXPECT_EQ(a.outcome, b.outcome) << seed << ": " << a.reason << " / " << b.reason;
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.elements, b.elements);
    EXPECT_EQ(a.failed_elements, b.failed_elements);
    EXPECT_EQ(a.unspecified_elements, b.unspecified_elements);
    EXPECT_NEAR(a.bits_checked_mean, b.bits_checked_mean, 1e-9);
    EXPECT_NEAR(a.effective.median, b.effective.median, 0.02);
    EXPECT_NEAR(a.effective.share_below_2, b.effective.share_below_2, 1e-9);
  }
}

TEST(ColumnsTest, SumsReadColumnsAsSets) {
  SetArray sets = DrawArray(PrimitiveType::kF32, false, 5);
  SetArray by_columns(sets.shape(), ColumnsOf(sets));
  for (uint32_t permissions : {0u, uint32_t{kContract}, uint32_t{kContract | kFlushOperand}}) {
    Linear a = Linearize(sets, 0, permissions, false);
    Linear b = Linearize(by_columns, 0, permissions, false);
    EXPECT_TRUE(a.middle.BitwiseEqual(b.middle));
    EXPECT_TRUE(a.magnitude.BitwiseEqual(b.magnitude));
    EXPECT_TRUE(a.radius.BitwiseEqual(b.radius));
    EXPECT_EQ(a.quantum, b.quantum);
    EXPECT_EQ(a.non_finite, b.non_finite);
    EXPECT_EQ(a.has_uncertain, b.has_uncertain);
  }
}

}  // namespace
}  // namespace hlocts::reference
