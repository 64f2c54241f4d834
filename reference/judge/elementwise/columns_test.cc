// SPDX-License-Identifier: Apache-2.0
// Compares the loops over columns with set arithmetic. Operands are random numbers of every kind,
// as literals and as sets, in every profile and with every use of unrounded values.
#include <gtest/gtest.h>

#include "reference/judge/cases_testing.h"
#include "reference/judge/elementwise/columns_testing.h"
#include "reference/judge/sums/linear.h"
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
          for (UnroundedUse hull : {kHullUnused, kHullContract, kHullWiden, kHullAny}) {
            Compare(MakeOp(opcode, type, profile, hull), operands, compared);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
    EXPECT_GE(compared, 8) << OpcodeName(opcode);  // only f32 has a bound in ulps for sqrt
  }
}

// Tests operands without zeros, subnormals, infinities and NaNs.
TEST(ColumnsTest, OrdinaryNumbersHaveTheSetsOfSetArithmetic) {
  for (Opcode opcode :
       {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum}) {
    int64_t compared = 0;
    for (int seed = 0; seed < 40; ++seed) {
      const SetArray a = DrawArray(PrimitiveType::kF32, seed & 1, 100 + seed, false, true);
      const SetArray b = DrawArray(PrimitiveType::kF32, seed & 2, 200 + seed, false, true);
      const SetArray* operands[] = {&a, &b};
      for (Profile profile : {Profile::kStrict, Profile::kDefault}) {
        for (UnroundedUse hull : {kHullUnused, kHullAny}) {
          Compare(MakeOp(opcode, PrimitiveType::kF32, profile, hull), operands, compared);
          if (HasFatalFailure()) return;
        }
      }
    }
    EXPECT_EQ(compared, 160) << OpcodeName(opcode);
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
        ASSERT_EQ(FlagsWithoutContractible(s), FlagsWithoutContractible(from));
        ASSERT_EQ(s.cause, from.cause);
        ASSERT_EQ(s.origin, from.origin);
        if (!s.finite()) continue;
        ASSERT_EQ(s.lo, from.lo);
        ASSERT_EQ(s.hi, from.hi);
      }
    }
  }
}

// The verdict, bits and effective bits of outputs do not depend on how the sets are stored.
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
