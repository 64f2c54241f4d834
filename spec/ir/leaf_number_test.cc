// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/leaf_number.h"

#include <gtest/gtest.h>

#include <vector>

namespace hlocts {
namespace {

TEST(LeafNumberTest, LeavesAreCountedOverAllShapes) {
  const Shape array(PrimitiveType::kF32, {2});
  const std::vector<Shape> shapes = {Shape::Tuple({array, Shape::Tuple({array})}), array,
                                     Shape::Tuple({})};
  EXPECT_EQ(LeafNumber(shapes, 0, {0}), 0);
  EXPECT_EQ(LeafNumber(shapes, 0, {1, 0}), 1);
  EXPECT_EQ(LeafNumber(shapes, 1, {}), 2);
}

TEST(LeafNumberTest, NonLeafHasNoNumber) {
  const Shape array(PrimitiveType::kF32, {2});
  const std::vector<Shape> shapes = {Shape::Tuple({array}), Shape::Tuple({})};
  EXPECT_EQ(LeafNumber(shapes, 0, {}), -1) << "a tuple";
  EXPECT_EQ(LeafNumber(shapes, 0, {1}), -1) << "beyond the tuple";
  EXPECT_EQ(LeafNumber(shapes, 1, {}), -1) << "an empty tuple";
  EXPECT_EQ(LeafNumber(shapes, 2, {}), -1) << "beyond the shapes";
}

}  // namespace
}  // namespace hlocts
