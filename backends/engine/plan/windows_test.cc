// SPDX-License-Identifier: Apache-2.0
// Tests views, pieces and windows of instructions whose attributes are near the limits of int64.
#include "backends/engine/plan/windows.h"

#include <gtest/gtest.h>

#include "backends/engine/plan/segments.h"
#include "backends/engine/plan/view.h"

namespace hlocts::plan {
namespace {

// Attributes may have any int64 value. If there is one element, the stride becomes 1.
TEST(PieceTest, NumbersNearTheEndsOfInt64) {
  const View far = Sliced(View::Dense({4}), {{1, 4, INT64_MAX}});
  EXPECT_EQ(far.elements(), 1);
  EXPECT_EQ(far.offset, 1);
  EXPECT_TRUE(far.Simplified().IsContiguous());

  const ArrayType one = TypeOf(Shape(PrimitiveType::kU8, {1}));
  PaddingConfig padding;
  padding.dimensions = {{-2, 2, INT64_MAX}};  // interior padding of a single element
  EXPECT_TRUE(PieceOfPad(View::Dense({1}), one, padding).IsEmpty());
  // This padding drops the first of two elements.
  padding.dimensions = {{INT64_MIN + 1, 2, INT64_MAX - 1}};
  const ArrayType three = TypeOf(Shape(PrimitiveType::kU8, {3}));
  const Piece last = PieceOfPad(View::Dense({2}), three, padding);
  EXPECT_EQ(last.offset, 1);
  EXPECT_EQ(last.dimensions[0], (PieceDimension{3, 0, 1, 1, 1}));
}

TEST(WindowsTest, OnlyStepsThatAreTakenMayBeLong) {
  auto windows = [](WindowDimension window, int64_t base, int64_t positions) {
    Instruction instruction("r", Opcode::kReduceWindow, Shape(PrimitiveType::kF32, {positions}));
    instruction.Set(Attr::kWindow, Window{{window}});
    return WindowsOf(instruction, {base}, {positions});
  };
  WindowDimension window;
  window.stride = window.window_dilation = window.base_dilation = INT64_MAX;
  const auto idle = windows(window, 1, 1);
  ASSERT_TRUE(idle.ok()) << idle.status();
  EXPECT_EQ((*idle)[0].stride, 1);
  EXPECT_EQ((*idle)[0].base_dilation, 1);
  EXPECT_EQ((*idle)[0].window_dilation, 1);
  EXPECT_FALSE(windows(window, 2, 1).ok());
  EXPECT_FALSE(windows(window, 1, 2).ok());
  window = {};
  window.padding_low = INT64_MIN;
  EXPECT_FALSE(windows(window, 1, 1).ok());
}

}  // namespace
}  // namespace hlocts::plan
