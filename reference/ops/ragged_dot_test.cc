// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

TEST(RaggedDot, RowsOfAGroupMeetItsMatrix) {
  // Groups of 1 and 2 rows; the fourth row belongs to none.
  EXPECT_EQ(
      ResultOf("x = f32[4,2] parameter(0) y = f32[3,2,1] parameter(1) g = s32[3] parameter(2) "
               "ROOT d = f32[4,1] ragged-dot(x, y, g), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
               "",
               {"f32[4,2] {{1,2},{3,4},{5,6},{7,8}}",
                "f32[3,2,1] {{{1},{10}},{{9},{9}},{{100},{1}}}", "s32[3] {1,0,2}"}),
      LeafTexts({"f32[4,1] {{21},{304},{506},{0}}"}));
}

TEST(RaggedDot, AContractionByGroups) {
  EXPECT_EQ(
      ResultOf("x = s32[2,3] parameter(0) y = s32[3,1] parameter(1) g = s64[2] parameter(2) "
               "ROOT d = s32[2,2,1] ragged-dot(x, y, g), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={0}, lhs_ragged_dims={1}",
               "", {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[3,1] {{1},{10},{100}}", "s64[2] {1,2}"}),
      LeafTexts({"s32[2,2,1] {{{1},{4}},{{320},{650}}}"}));
}

// Operands are not rounded to the result's type before they are multiplied.
TEST(RaggedDot, TheSumIsRoundedNotTheOperands) {
  EXPECT_EQ(
      ResultOf("x = f64[1,2] parameter(0) y = f64[1,2,1] parameter(1) g = s32[1] parameter(2) "
               "ROOT d = f32[1,1] ragged-dot(x, y, g), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
               "", {"f64[1,2] {{1.0000000009313226, -1}}", "f64[1,2,1] {{{1},{1}}}", "s32[1] {1}"}),
      LeafTexts({"f32[1,1] {{9.313226e-10}}"}));
}

}  // namespace
}  // namespace hlocts::reference
