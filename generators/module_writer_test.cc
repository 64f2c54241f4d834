// SPDX-License-Identifier: Apache-2.0
#include "generators/module_writer.h"

#include <gtest/gtest.h>

#include "generators/plan.h"
#include "spec/judge/joint.h"

namespace hlocts::generators {
namespace {

// Callers use the facts of a constant as a size or a bound, but 1 in s1 is -1.
TEST(ModuleWriterTest, FactsOfAConstantAreThoseOfItsElement) {
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsInteger(type)) continue;
    SeedSource choose(1, 1);
    ModuleWriter writer(choose, DrawPlan(choose, {}));
    for (double value : {0.0, 1.0}) {
      const Value* constant = writer.ScalarConstant(type, value);
      const double held = RealAt(constant->instruction->literal(), 0);
      EXPECT_EQ(constant->facts.low, held) << PrimitiveTypeName(type);
      EXPECT_EQ(constant->facts.high, held) << PrimitiveTypeName(type);
    }
  }
}

}  // namespace
}  // namespace hlocts::generators
