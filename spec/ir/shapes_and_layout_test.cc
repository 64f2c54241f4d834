// SPDX-License-Identifier: Apache-2.0
// Tests the worked examples of the document "Shapes and layout", sentence by sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "spec/ir/entry_leaves.h"
#include "spec/ir/index_util.h"
#include "spec/ir/layout.h"
#include "spec/ir/shape.h"

namespace hlocts {
namespace {

using ::testing::ElementsAre;

constexpr PrimitiveType kF32 = PrimitiveType::kF32;

Layout WithOrder(std::vector<int64_t> minor_to_major) {
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  return layout;
}

// Returns the letters of the [2 x 3] array "a b c / d e f" in memory order; '0' is padding.
std::string InMemory(const Layout& layout) {
  const std::vector<int64_t> dimensions = {2, 3};
  const std::vector<int64_t> strides = LayoutStrides(dimensions, layout);
  std::string memory(PhysicalElementCount(dimensions, layout), '0');
  ForEachIndex(dimensions, [&](absl::Span<const int64_t> index) {
    memory[LinearIndex(index, strides)] = "abcdef"[index[0] * 3 + index[1]];
  });
  return memory;
}

TEST(ShapesDocumentTest, RankAndTrueRank) {
  EXPECT_EQ(Shape(kF32, {4, 1, 3}).rank(), 3);
  EXPECT_EQ(Shape(kF32, {4, 1, 3}).true_rank(), 2);  // sizes greater than 1
  EXPECT_EQ(Shape(kF32, {1, 0, 3}).true_rank(), 1);
  EXPECT_EQ(Shape(kF32, {1, 1}).true_rank(), 0);
  EXPECT_EQ(Shape(kF32, {}).true_rank(), 0);
}

TEST(ShapesDocumentTest, NegativeDimensionNumbersCountFromTheEnd) {
  const Shape shape(kF32, {5, 6, 7});  // [A x B x C]
  EXPECT_EQ(shape.dimension(0), 5);
  EXPECT_EQ(shape.dimension(2), 7);
  EXPECT_EQ(shape.dimension(-1), 7);
  EXPECT_EQ(shape.dimension(-2), 6);
  EXPECT_EQ(shape.NormalizeDimension(-3), 0);
}

TEST(ShapesDocumentTest, DimensionsAreListedInAscendingOrder) {
  EXPECT_THAT(Shape(kF32, {2, 3, 5, 7}).dimensions(), ElementsAre(2, 3, 5, 7));
}

TEST(LayoutsDocumentTest, ColumnMajor) { EXPECT_EQ(InMemory(WithOrder({0, 1})), "adbecf"); }

TEST(LayoutsDocumentTest, RowMajor) { EXPECT_EQ(InMemory(WithOrder({1, 0})), "abcdef"); }

TEST(LayoutsDocumentTest, TheDefaultIsMajorToMinor) {
  EXPECT_THAT(DefaultLayout(4).minor_to_major, ElementsAre(3, 2, 1, 0));
  EXPECT_TRUE(DefaultLayout(4).IsMajorToMinor());
  EXPECT_FALSE(WithOrder({0, 1}).IsMajorToMinor());
}

TEST(LayoutsDocumentTest, TheOrderIsAPermutation) {
  EXPECT_TRUE(ValidateLayout(WithOrder({0, 2, 1}), 3).ok());
  EXPECT_FALSE(ValidateLayout(WithOrder({0, 0, 1}), 3).ok());
  EXPECT_FALSE(ValidateLayout(WithOrder({0, 3, 1}), 3).ok());
  EXPECT_FALSE(ValidateLayout(WithOrder({0, 1}), 3).ok());
}

// The text describes [3,5] as widths of the margin, but its example uses totals (ruling 0017).
TEST(LayoutsDocumentTest, PaddedDimensionsAreTotals) {
  Layout layout = WithOrder({0, 1});
  layout.padded_dimensions = {3, 5};
  EXPECT_EQ(InMemory(layout), "ad0be0cf0000000");
  layout.minor_to_major = {1, 0};  // rows a b c 0 0, d e f 0 0, 0 0 0 0 0
  EXPECT_EQ(InMemory(layout), "abc00def0000000");
}

TEST(LayoutsDocumentTest, PaddedLikeAnArrayOfThePaddedSizes) {
  Layout padded = WithOrder({1, 2, 0});
  padded.padded_dimensions = {4, 5, 6};
  const std::vector<int64_t> of_padded = LayoutStrides({2, 3, 4}, padded);
  EXPECT_EQ(of_padded, LayoutStrides({4, 5, 6}, WithOrder({1, 2, 0})));
  EXPECT_EQ(PhysicalElementCount({2, 3, 4}, padded), 4 * 5 * 6);
}

TEST(LayoutsDocumentTest, LinearAndMultiDimensionalIndicesConvert) {
  const std::vector<int64_t> dimensions = {2, 3, 4};
  for (int64_t linear = 0; linear < 24; ++linear) {
    std::vector<int64_t> index = MultiIndex(linear, dimensions);
    ASSERT_EQ(index.size(), 3u);
    EXPECT_EQ(LinearIndex(index, RowMajorStrides(dimensions)), linear);
  }
  const std::vector<int64_t> strides = LayoutStrides(dimensions, WithOrder({0, 1, 2}));
  EXPECT_THAT(strides, ElementsAre(1, 2, 6));
  EXPECT_EQ(LinearIndex({1, 2, 3}, strides), 1 + 4 + 18);
}

// A position is the row-major position if dimensions are ordered from slowest to fastest.
TEST(LayoutsDocumentTest, IndicesOfEveryLayoutConvertBothWays) {
  const std::vector<int64_t> dimensions = {2, 3, 4};
  std::vector<int64_t> order = {0, 1, 2};
  do {
    const std::vector<int64_t> strides = LayoutStrides(dimensions, WithOrder(order));
    const std::vector<int64_t> slowest_first(order.rbegin(), order.rend());
    std::vector<int64_t> sizes;
    for (int64_t d : slowest_first) sizes.push_back(dimensions[d]);
    for (int64_t linear = 0; linear < 24; ++linear) {
      const std::vector<int64_t> places = MultiIndex(linear, sizes);
      std::vector<int64_t> index(3);
      for (size_t k = 0; k < 3; ++k) index[slowest_first[k]] = places[k];
      EXPECT_EQ(LinearIndex(index, strides), linear);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

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
