// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/surgery.h"

#include <gtest/gtest.h>

#include <utility>

#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/shape.h"

namespace hlocts {
namespace {

Instruction* Add(Computation& computation, const char* name, Opcode opcode,
                 std::vector<Instruction*> operands = {}) {
  auto made = std::make_unique<Instruction>(name, opcode, Shape(PrimitiveType::kF32, {}));
  made->mutable_operands() = std::move(operands);
  return computation.Add(std::move(made));
}

std::string Names(const Computation& computation) {
  std::string names;
  for (const auto& instruction : computation.instructions()) {
    EXPECT_EQ(computation.instructions()[instruction->index()].get(), instruction.get());
    names += instruction->name() + " ";
  }
  return names;
}

TEST(Surgery, WhatIsMovedToTheFrontStandsBeforeItsUsersAndTheOthersKeepTheirOrder) {
  Computation computation("main");
  Instruction* a = Add(computation, "a", Opcode::kParameter);
  Instruction* b = Add(computation, "b", Opcode::kNegate, {a});
  Instruction* c = Add(computation, "c", Opcode::kParameter);
  computation.set_root(b);
  MoveToFront(c);
  EXPECT_EQ(Names(computation), "c a b ");
  MoveToFront(c);
  EXPECT_EQ(Names(computation), "c a b ");
  EXPECT_EQ(computation.root(), b);
}

TEST(Surgery, WhatIsMovedBehindKeepsItsOrder) {
  Computation computation("main");
  Instruction* a = Add(computation, "a", Opcode::kParameter);
  Instruction* b = Add(computation, "b", Opcode::kNegate, {a});
  Instruction* c = Add(computation, "c", Opcode::kAbs, {a});
  Instruction* d = Add(computation, "d", Opcode::kNegate, {c});
  computation.set_root(b);
  MoveBehind(a, {c, d});
  EXPECT_EQ(Names(computation), "a c d b ");
}

TEST(Surgery, UsesAreReplacedExceptByTheNewOneAndThoseThatKeep) {
  Computation computation("main");
  Instruction* a = Add(computation, "a", Opcode::kParameter);
  Instruction* b = Add(computation, "b", Opcode::kNegate, {a});
  Instruction* c = Add(computation, "c", Opcode::kAbs, {a});
  Instruction* d = Add(computation, "d", Opcode::kNegate, {a});
  computation.set_root(a);
  ReplaceUses(a, c, {d});
  EXPECT_EQ(b->mutable_operands()[0], c);
  EXPECT_EQ(c->mutable_operands()[0], a);
  EXPECT_EQ(d->mutable_operands()[0], a);
  EXPECT_EQ(computation.root(), c);
}

}  // namespace
}  // namespace hlocts
