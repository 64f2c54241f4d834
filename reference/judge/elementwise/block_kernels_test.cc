// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/elementwise/block_kernels.h"

#include "reference/judge/elementwise/columns_testing.h"

namespace hlocts::reference {
namespace {

// Blocks without specials, which have loops of their own.
TEST(BlocksTest, GiveTheSetsOfSetArithmetic) {
  for (Opcode opcode :
       {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum}) {
    int64_t compared = 0;
    for (int seed = 0; seed < 40; ++seed) {
      const SetArray a = DrawArray(PrimitiveType::kF32, seed & 1, 100 + seed, false, true);
      const SetArray b = DrawArray(PrimitiveType::kF32, seed & 2, 200 + seed, false, true);
      const SetArray* operands[] = {&a, &b};
      for (Profile profile : {Profile::kStrict, Profile::kDefault}) {
        for (HullUse hull : {kHullUnused, kHullAny}) {
          Compare(MakeOp(opcode, PrimitiveType::kF32, profile, hull), operands, compared);
          if (HasFatalFailure()) return;
        }
      }
    }
    EXPECT_EQ(compared, 160) << OpcodeName(opcode);
  }
}

}  // namespace
}  // namespace hlocts::reference
