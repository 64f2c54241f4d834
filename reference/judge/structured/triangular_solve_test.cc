// SPDX-License-Identifier: Apache-2.0
// Engines that substitute, and engines that invert diagonal blocks.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define SOLVE(shapes)                                                   \
  "ENTRY e { a = " shapes                                               \
  " s = f32[8,1] triangular-solve(a, b), left_side=true, lower=true,\n" \
  " unit_diagonal=false, transpose_a=NO_TRANSPOSE\n"
#define OPERANDS "f32[8,8] parameter(0) b = f32[8,1] parameter(1)"
const char kTriangular[] = SOLVE(OPERANDS) " ROOT r = f32[8,1] copy(s) }";
const char kNegatedTriangular[] = SOLVE(OPERANDS) " ROOT r = f32[8,1] negate(s) }";
// The same system by its transpose: x op(A) = b.
const char kSolveFromTheRight[] =
    "ENTRY e { a = f32[8,8] parameter(0) b = f32[1,8] parameter(1)\n"
    " ROOT r = f32[1,8] triangular-solve(a, b), left_side=false, lower=true,\n"
    " unit_diagonal=false, transpose_a=TRANSPOSE }";

const char kOneUnknown[] =
    "ENTRY e { a = f32[1,1] parameter(0) b = f32[1,1] parameter(1)\n"
    " ROOT r = f32[1,1] triangular-solve(a, b), left_side=true, lower=true,\n"
    " unit_diagonal=false, transpose_a=NO_TRANSPOSE }";

// 0.55 on the diagonal and -1.7 below: of condition 2e5, which makes inverses large.
const char kGrowing[] =
    "f32[8,8] {{0.55, 0, 0, 0, 0, 0, 0, 0}, {-1.7, 0.55, 0, 0, 0, 0, 0, 0},\n"
    " {-1.7, -1.7, 0.55, 0, 0, 0, 0, 0}, {-1.7, -1.7, -1.7, 0.55, 0, 0, 0, 0},\n"
    " {-1.7, -1.7, -1.7, -1.7, 0.55, 0, 0, 0}, {-1.7, -1.7, -1.7, -1.7, -1.7, 0.55, 0, 0},\n"
    " {-1.7, -1.7, -1.7, -1.7, -1.7, -1.7, 0.55, 0},\n"
    " {-1.7, -1.7, -1.7, -1.7, -1.7, -1.7, -1.7, 0.55}}";
const char kRight[] =
    "f32[8,1] {{0.275000006}, {-0.503500044}, {-1.50300002}, {-2.9380002}, {-3.71650004},\n"
    " {-4.71600008}, {-6.15100002}, {-6.9295001}}";
const char kRightRow[] =
    "f32[1,8] {{0.275000006, -0.503500044, -1.50300002, -2.9380002, -3.71650004,\n"
    " -4.71600008, -6.15100002, -6.9295001}}";
// What XLA returns on a CPU, which inverts all of it.
#define BY_INVERSE(s, last)                                        \
  "f32[8,1] {{" s "0.5}, {" s "0.62999994}, {" s "0.7599991}, {" s \
  "0.4999976},\n"                                                  \
  " {" s "0.62999505}, {" s "0.75998366}, {" s "0.49982423}, {" s last "}}"
// Every product with the inverse, summed in f32.
const char kByInverseRow[] =
    "f32[1,8] {{0.5, 0.629999936, 0.759999037, 0.499997616, 0.629995346, 0.759983063,\n"
    " 0.499946594, 0.629489899}}";

const Case kSolves[] = {
    {"by_inverse", kTriangular, {kGrowing, kRight}, {BY_INVERSE("", "0.62935156")}, kPass},
    {"by_inverse_from_the_right",
     kSolveFromTheRight,
     {kGrowing, kRightRow},
     {kByInverseRow},
     kPass},
    {"by_inverse_for_a_consumer",
     kNegatedTriangular,
     {kGrowing, kRight},
     {BY_INVERSE("-", "0.62935156")},
     kPass},
    {"by_inverse_in_strict",
     kTriangular,
     {kGrowing, kRight},
     {BY_INVERSE("", "0.62935156")},
     kFail,
     kStrict},
    // The last unknown takes part in one row only, where the bound is 0.15.
    {"last_unknown_wrong", kTriangular, {kGrowing, kRight}, {BY_INVERSE("", "1.2")}, kFail},
    {"last_unknown_infinite", kTriangular, {kGrowing, kRight}, {BY_INVERSE("", "inf")}, kFail},
    {"zeros",
     kTriangular,
     {kGrowing, kRight},
     {"f32[8,1] {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}}"},
     kFail},
    // One equation: no inverse is larger than its matrix.
    {"of_the_first_unknown",
     kTriangular,
     {kGrowing, kRight},
     {"f32[8,1] {{0.50001}, {0.63}, {0.76}, {0.5}, {0.63}, {0.76}, {0.5}, {0.63}}"},
     kFail},
    // 1/3 is one quotient. In strict its residual may be u|T||x|, which no neighbour keeps.
    {"one_quotient",
     kOneUnknown,
     {"f32[1,1] {{3}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{0.333333343}}"},
     kPass,
     kStrict},
    {"neighbour_of_one_quotient",
     kOneUnknown,
     {"f32[1,1] {{3}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{0.333333313}}"},
     kFail,
     kStrict},
    {"quotient_by_a_reciprocal",
     kOneUnknown,
     {"f32[1,1] {{3}}", "f32[1,1] {{1}}"},
     {"f32[1,1] {{0.333333313}}"},
     kPass},
};

class SolveTest : public testing::TestWithParam<Case> {};
TEST_P(SolveTest, Verdict) {
  const JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(OutcomeName(result.outcome), OutcomeName(GetParam().outcome)) << result.reason;
}
INSTANTIATE_TEST_SUITE_P(Cases, SolveTest, testing::ValuesIn(kSolves),
                         [](const auto& info) { return info.param.name; });

// 1 and -1 in turns below the diagonal: the inverse has ones on two diagonals, but substitution
// with magnitudes takes it for 2^127.
std::string SignsInTurns(int n) {
  std::string text = absl::StrCat("f32[", n, ",", n, "] {");
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, i == 0 ? "{" : ", {");
    for (int j = 0; j < n; ++j) {
      absl::StrAppend(&text, j == 0 ? "" : ", ", j > i ? 0 : (i - j) % 2 == 0 ? 1 : -1);
    }
    absl::StrAppend(&text, "}");
  }
  return text + "}";
}
std::string Column(int n, int first, int middle, int last) {
  std::string text = absl::StrCat("f32[", n, ",1] {{", first, "}");
  for (int i = 1; i < n - 1; ++i) absl::StrAppend(&text, ", {", middle, "}");
  return absl::StrCat(text, ", {", last, "}}");
}

TEST(TriangularSolve, IsJudgedWhereOnlyMagnitudesGrow) {
  const std::string module =
      absl::StrReplaceAll(kTriangular, {{"f32[8,8]", "f32[128,128]"}, {"f32[8,1]", "f32[128,1]"}});
  const std::string matrix = SignsInTurns(128), right = Column(128, 1, 1, 1);
  for (int last : {2, 10}) {
    const std::string solution = Column(128, 1, 2, last);
    const Case c = {"",
                    module.c_str(),
                    {matrix.c_str(), right.c_str()},
                    {solution.c_str()},
                    last == 2 ? kPass : kFail};
    EXPECT_EQ(OutcomeName(JudgeCase(c).outcome), OutcomeName(c.outcome)) << last;
  }
}

}  // namespace
}  // namespace hlocts::reference
