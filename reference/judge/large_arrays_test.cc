// SPDX-License-Identifier: Apache-2.0
// Tests large arrays: verdicts on a large matrix, and time and memory for cumulative windows.
#include <limits>

#include "reference/judge/cases_testing.h"
#include "spec/base/status_testing.h"

namespace hlocts::reference {
namespace {

absl::StatusOr<JudgeResult> JudgeArrays(const char* text, const Literal& argument,
                                        const Literal& output) {
  auto module = ParseModule(text);
  if (!module.ok()) return module.status();
  return Judge(**module, {argument}, {output}, {});
}

// A matrix with 4 on the diagonal and 0.001 next to it has a condition number of about 1.
TEST(LargeArrays, AWellConditionedMatrixOf256IsJudged) {
  constexpr int64_t n = 256;
  const Shape shape(PrimitiveType::kF32, {n, n});
  Literal matrix(shape), factor(shape);
  double pivot = 0;  // the pivot of the previous row
  for (int64_t i = 0; i < n; ++i) {
    matrix.mutable_data<float>()[i * n + i] = 4;
    if (i > 0) matrix.mutable_data<float>()[i * n + i - 1] = 0.001f;
    const double below = i > 0 ? 0.001 / pivot : 0;
    pivot = std::sqrt(4 - below * below);
    factor.mutable_data<float>()[i * n + i] = static_cast<float>(pivot);
    if (i > 0) factor.mutable_data<float>()[i * n + i - 1] = static_cast<float>(below);
  }
  const char* text =
      "ENTRY e { a = f32[256,256] parameter(0)\n"
      " ROOT r = f32[256,256] cholesky(a), lower=true }";
  HLOCTS_ASSERT_OK_AND_ASSIGN(JudgeResult right, JudgeArrays(text, matrix, factor));
  EXPECT_EQ(OutcomeName(right.outcome), OutcomeName(kPass)) << right.reason;
  factor.mutable_data<float>()[200 * n + 199] = 0.001f;
  HLOCTS_ASSERT_OK_AND_ASSIGN(JudgeResult wrong, JudgeArrays(text, matrix, factor));
  EXPECT_EQ(OutcomeName(wrong.outcome), OutcomeName(kFail));
}

// The sets of a million windows of up to a million elements are computed in one pass, in seconds.
TEST(LargeArrays, CumulativeSumsTakeOnePass) {
  constexpr int64_t n = 1 << 20;
  for (const char* padding : {"1048575_0", "0_1048575"}) {
    const std::string text = absl::StrCat(
        ADD_BODY("f32") "ENTRY e { x = f32[1048576] parameter(0) i = f32[] constant(0)\n"
        " ROOT r = f32[1048576] reduce-window(x, i), window={size=1048576 pad=", padding,
        "}, to_apply=add }");
    Literal ones(Shape(PrimitiveType::kF32, {n})), sums = ones;
    for (float& x : ones.mutable_data<float>()) x = 1;
    for (int64_t i = 0; i < n; ++i) {
      sums.mutable_data<float>()[i] = static_cast<float>(padding[0] == '0' ? n - i : i + 1);
    }
    HLOCTS_ASSERT_OK_AND_ASSIGN(JudgeResult right, JudgeArrays(text.c_str(), ones, sums));
    EXPECT_EQ(OutcomeName(right.outcome), OutcomeName(kPass)) << right.reason;
    sums.mutable_data<float>()[n / 2] += 1;
    HLOCTS_ASSERT_OK_AND_ASSIGN(JudgeResult wrong, JudgeArrays(text.c_str(), ones, sums));
    EXPECT_EQ(OutcomeName(wrong.outcome), OutcomeName(kFail));
  }
}

// A subnormal may be read as zero, so listing each window's elements would take terabytes.
TEST(LargeArrays, WindowsThatCannotBeListedAreRefused) {
  const char* text =
      "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
      "ENTRY e { x = f32[1048576] parameter(0) i = f32[] constant(-inf)\n"
      " ROOT r = f32[1048576] reduce-window(x, i), window={size=1048576 pad=1048575_0},\n"
      "   to_apply=max }";
  Literal x(Shape(PrimitiveType::kF32, {1 << 20}));
  x.mutable_data<float>()[0] = std::numeric_limits<float>::denorm_min();
  const absl::Status status = JudgeArrays(text, x, x).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

}  // namespace
}  // namespace hlocts::reference
