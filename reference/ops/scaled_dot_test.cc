// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

constexpr char kContracting[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={1}";

TEST(ScaledDot, AScaleBelongsToABlock) {
  // Blocks of two terms: (1 + 2)·2·1 + (3 + 4)·0.5·4, and twice that where rhs is 2.
  EXPECT_EQ(
      ResultOf(absl::StrCat("x = f8e4m3fn[1,4] parameter(0) y = f8e4m3fn[2,4] parameter(1)\n"
                            "s = f8e8m0fnu[1,2] parameter(2) t = f8e8m0fnu[1,2] parameter(3)\n"
                            "ROOT r = f32[1,2] scaled-dot(x, y, s, t)",
                            kContracting),
               "",
               {"f8e4m3fn[1,4] {{1, 2, 3, 4}}", "f8e4m3fn[2,4] {{1, 1, 1, 1}, {2, 2, 2, 2}}",
                "f8e8m0fnu[1,2] {{2, 0.5}}", "f8e8m0fnu[1,2] {{1, 4}}"}),
      LeafTexts({"f32[1,2] {{20, 40}}"}));
}

TEST(ScaledDot, AScalarStandsForNoScales) {
  EXPECT_EQ(ResultOf(absl::StrCat("x = bf16[1,2] parameter(0) y = f4e2m1fn[1,2] parameter(1)\n"
                                  "s = bf16[] constant(1) t = f8e4m3fn[1,1] parameter(2)\n"
                                  "ROOT r = bf16[1,1] scaled-dot(x, y, s, t)",
                                  kContracting),
                     "", {"bf16[1,2] {{3, 5}}", "f4e2m1fn[1,2] {{1, 0.5}}", "f8e4m3fn[1,1] {{6}}"}),
            LeafTexts({"bf16[1,1] {{33}}"}));
}

}  // namespace
}  // namespace hlocts::reference
