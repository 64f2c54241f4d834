// SPDX-License-Identifier: Apache-2.0
// Tests a triangular solve in which substitution with magnitudes overestimates the inverse.
#include <string>

#include "absl/strings/str_cat.h"
#include "reference/judge/cases_testing.h"

namespace hlocts::reference {
namespace {

const char kTriangular[] =
    "ENTRY e { a = f32[128,128] parameter(0) b = f32[128,1] parameter(1)\n"
    " ROOT s = f32[128,1] triangular-solve(a, b), left_side=true, lower=true,\n"
    " unit_diagonal=false, transpose_a=NO_TRANSPOSE }";

// Returns a lower triangle in which 1 and -1 alternate. Its inverse has ones on two diagonals, but
// the bound by substitution with magnitudes is 2^127.
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
  const std::string matrix = SignsInTurns(128), right = Column(128, 1, 1, 1);
  for (int last : {2, 10}) {
    const std::string solution = Column(128, 1, 2, last);
    const Case c = {"",
                    kTriangular,
                    {matrix.c_str(), right.c_str()},
                    {solution.c_str()},
                    last == 2 ? kPass : kFail};
    EXPECT_EQ(OutcomeName(JudgeCase(c).outcome), OutcomeName(c.outcome)) << last;
  }
}

}  // namespace
}  // namespace hlocts::reference
