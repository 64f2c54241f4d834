// SPDX-License-Identifier: Apache-2.0
#include "generators/input_recipes.h"

#include <gtest/gtest.h>

#include "spec/ir/module.h"

namespace hlocts::generators {
namespace {

// Records of a search name inputs by number, so a number must mean the same input everywhere. The
// hash differs if a compiler evaluates draws in another order, or if a change renumbers the inputs.
TEST(InputRecipesTest, ANumberMakesTheSameInputsEverywhere) {
  const InputRecipes recipes(Module("m"),
                             {Shape(PrimitiveType::kF32, {64}), Shape(PrimitiveType::kS32, {16}),
                              Shape(PrimitiveType::kBF16, {32}), Shape(PrimitiveType::kC128, {8})},
                             7);
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t number = 0; number < 16 * InputRecipes::Count(); ++number) {
    for (const Literal& leaf : recipes.Make(number)) {
      for (int64_t i = 0; i < ComponentCount(leaf); ++i)
        hash = (hash ^ ElementBits(leaf, i)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(hash, 4130911977118100996U);
}

}  // namespace
}  // namespace hlocts::generators
