// SPDX-License-Identifier: Apache-2.0
// "%t#1" as an operand.
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

TEST(OperandsTest, AnElementOfATupleIsAGetTupleElement) {
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  t = (f32[2], (s32[], f32[2])) parameter(0)
  n = f32[2] negate(t#0)
  ROOT r = f32[2] add(f32[2] t#1#1, t#0)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& root = *(*module)->entry()->root();
  const Instruction &left = root.operand(0), &right = root.operand(1);
  EXPECT_EQ(left.opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(*left.Get<int64_t>(Attr::kIndex), 1);
  EXPECT_EQ(left.operand(0).opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(left.operand(0).operand(0).name(), "t");
  EXPECT_EQ(*right.Get<int64_t>(Attr::kIndex), 0);
  EXPECT_EQ(&right, &(*module)->entry()->instructions()[2]->operand(0)) << "read once";
  EXPECT_TRUE(ParseModule(PrintModule(**module)).ok());
}

}  // namespace
}  // namespace hlocts
