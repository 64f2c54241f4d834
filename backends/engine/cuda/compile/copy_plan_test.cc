// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/copy_plan.h"

#include <gtest/gtest.h>

namespace hlocts::cuda {
namespace {

TEST(CopyPlanTest, ElementsWidenOnlyWhereBothSidesAllowIt) {
  const auto bytes = [](const plan::View& from, const plan::View& to, int width) {
    const auto plan = PlanBox(from, to, width, /*widen=*/true);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->args.bytes : 0;
  };
  const plan::View dense = plan::View::Dense({64});
  plan::View rows, odd;
  rows.dimensions = {{4, 32}, {16, 1}};
  odd.dimensions = {{4, 33}, {16, 1}};
  EXPECT_EQ(bytes(rows, dense, 1), 16);
  EXPECT_EQ(bytes(rows, dense, 4), 16);
  EXPECT_EQ(bytes(odd, dense, 4), 4);
  rows.offset = 2;
  EXPECT_EQ(bytes(rows, dense, 4), 8);
  EXPECT_EQ(bytes(dense, rows, 2), 4);
}

}  // namespace
}  // namespace hlocts::cuda
