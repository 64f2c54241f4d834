// SPDX-License-Identifier: Apache-2.0
// Tests that the kinds agree with the rows of op_rows.inc: every opcode with a row is in the kind
// of its family.
#include "spec/ops/kinds.h"

#include <gtest/gtest.h>

#include "spec/ops/op_facts.h"
#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

bool IsUnaryOrBinary(Opcode opcode) {
  const Family family = RowOf(opcode).family;
  return family == Family::kElementwiseUnary || family == Family::kElementwiseBinary;
}
bool Takes(Opcode opcode, PrimitiveType type) { return Contains(RowOf(opcode).types, type); }

TEST(Kinds, OfNumbersCoverTheRows) {
  for (Opcode opcode : AllOpcodes()) {
    if (!IsUnaryOrBinary(opcode) || opcode == Opcode::kComplex) continue;
    const absl::string_view name = OpcodeName(opcode);
    EXPECT_EQ(Takes(opcode, PrimitiveType::kF32),
              ops::IsFloatArithmetic(opcode) || ops::RealFunctionOf(opcode).has_value())
        << name;
    EXPECT_EQ(Takes(opcode, PrimitiveType::kC64),
              ops::IsComplexArithmetic(opcode) || ops::IsComplexFunction(opcode))
        << name;
    EXPECT_EQ(Takes(opcode, PrimitiveType::kS32),
              ops::IsBitArithmetic(opcode) || ops::IsSignedArithmetic(opcode))
        << name;
    // No field of a row states that differences of preds are undefined (elementwise_binary.40).
    EXPECT_EQ(Takes(opcode, PrimitiveType::kPred) && opcode != Opcode::kSubtract,
              ops::IsPredArithmetic(opcode))
        << name;
  }
}

TEST(Kinds, OfNumbersAreDisjoint) {
  for (Opcode opcode : AllOpcodes()) {
    EXPECT_FALSE(ops::IsFloatArithmetic(opcode) && ops::RealFunctionOf(opcode).has_value());
    EXPECT_FALSE(ops::IsComplexArithmetic(opcode) && ops::IsComplexFunction(opcode));
    EXPECT_FALSE(ops::IsBitArithmetic(opcode) && ops::IsSignedArithmetic(opcode));
  }
}

TEST(Kinds, OfTwoOperandsCoverTheRows) {
  for (Opcode opcode : AllOpcodes()) {
    if (RowOf(opcode).family != Family::kElementwiseBinary || opcode == Opcode::kComplex) continue;
    EXPECT_EQ(Takes(opcode, PrimitiveType::kF32), ops::IsFloatBinary(opcode));
    EXPECT_EQ(Takes(opcode, PrimitiveType::kC64), ops::IsComplexBinary(opcode));
  }
}

TEST(Kinds, OfFamiliesAreTheFamilies) {
  for (Opcode opcode : AllOpcodes()) {
    const Family family = RowOf(opcode).family;
    const absl::string_view name = OpcodeName(opcode);
    EXPECT_EQ(family == Family::kElementwiseOther, ops::IsTypedOperation(opcode)) << name;
    EXPECT_EQ(family == Family::kMovement, ops::IsMovement(opcode)) << name;
    EXPECT_EQ(RowOf(opcode).accuracy == AccuracyRule::kRoundToIntegral, ops::IsRounding(opcode))
        << name;
    const bool id = opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
    EXPECT_EQ(family == Family::kCollective && !id, ops::IsSynchronousCollective(opcode)) << name;
    EXPECT_TRUE(family != Family::kAsync || ops::IsWiring(opcode)) << name;
    EXPECT_TRUE(family != Family::kTuple || ops::IsWiring(opcode)) << name;
  }
}

TEST(Kinds, TransfersAndMeetingsHaveSideEffects) {
  for (Opcode opcode : AllOpcodes()) {
    const bool effect = ops::IsTransfer(opcode) || ops::IsSynchronousCollective(opcode) ||
                        opcode == Opcode::kRngGetAndUpdateState;
    EXPECT_EQ(effect, FactsOf(opcode).Has(trait::kSideEffect)) << OpcodeName(opcode);
  }
}

TEST(Kinds, StartsCountAsWhatTheyStart) {
  EXPECT_EQ(ops::CollectiveOf(Opcode::kAllReduceStart), ops::Collective::kAllReduce);
  EXPECT_EQ(ops::CollectiveOf(Opcode::kAllReduce), ops::Collective::kAllReduce);
  EXPECT_EQ(ops::CollectiveOf(Opcode::kAllReduceDone), std::nullopt);
}

}  // namespace
}  // namespace hlocts
