// SPDX-License-Identifier: Apache-2.0
// Tests "%t#1" as an operand, and an instruction instead of an operand name.
#include <set>

#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

TEST(OperandsTest, AnElementOfATupleIsAGetTupleElement) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(R"(HloModule m
ENTRY e {
  t = (f32[2], (s32[], f32[2])) parameter(0)
  n = f32[2] negate(t#0)
  ROOT r = f32[2] add(f32[2] t#1#1, t#0)
})"));
  const Instruction& root = *module->entry()->root();
  const Instruction &left = root.operand(0), &right = root.operand(1);
  EXPECT_EQ(left.opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(*left.Get<int64_t>(Attr::kIndex), 1);
  EXPECT_EQ(left.operand(0).opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(left.operand(0).operand(0).name(), "t");
  EXPECT_EQ(*right.Get<int64_t>(Attr::kIndex), 0);
  EXPECT_EQ(&right, &module->entry()->instructions()[2]->operand(0)) << "read once";
  EXPECT_TRUE(ParseModule(PrintModule(*module)).ok());
}

// Generated names must not collide with names in the preceding or following text.
TEST(OperandsTest, NamesOfTheTextAreItsOwn) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(R"(HloModule m
ENTRY e {
  t = (f32[2], f32[2]) parameter(0)
  t.element.1 = f32[2] negate(t#1)
  negate.anon = f32[2] abs(negate(t#0))
  t.element = f32[2] add(t.element.1, negate.anon)
  ROOT r = f32[2] add(t.element, t#1)
})"));
  const Instruction& root = *module->entry()->root();
  EXPECT_EQ(root.operand(0).name(), "t.element");
  EXPECT_EQ(root.operand(0).opcode(), Opcode::kAdd);
  EXPECT_EQ(root.operand(1).opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(root.operand(0).operand(1).operand(0).name(), "negate.anon.1");
  std::set<std::string> names;
  for (const auto& instruction : module->entry()->instructions())
    EXPECT_TRUE(names.insert(instruction->name()).second) << instruction->name();
  EXPECT_TRUE(ParseModule(PrintModule(*module)).ok());
}

TEST(OperandsTest, ANameThatTheTextDoesNotGiveMeansNothing) {
  EXPECT_FALSE(ParseModule(R"(HloModule m
ENTRY e {
  t = (f32[2], f32[2]) parameter(0)
  n = f32[2] negate(t#1)
  ROOT r = f32[2] add(n, t.element)
})")
                   .ok());
}

}  // namespace
}  // namespace hlocts
