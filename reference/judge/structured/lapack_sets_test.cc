// SPDX-License-Identifier: Apache-2.0
// Routines of LAPACK: what a routine may return, in all its freedom of signs, and what it may not.
#include <string>

#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define CALL(result, target, config)                                        \
  "ROOT r = " result " custom-call(a), custom_call_target=\"lapack_" target \
  "_ffi\", "                                                                \
  "backend_config={" config "} }"
const char kCholesky[] =
    "ENTRY e { a = f32[2,2] parameter(0) " CALL("(f32[2,2], s32[])", "spotrf", "uplo = 76 : ui8");
const char kLu[] =
    "ENTRY e { a = f32[2,2] parameter(0) " CALL("(f32[2,2], s32[2], s32[])", "sgetrf", "");
const char kQr[] = "ENTRY e { a = f32[2,1] parameter(0) " CALL("(f32[2,1], f32[1])", "sgeqrf", "");
const char kQrProduct[] =
    "ENTRY e { a = f32[2,1] parameter(0) t = f32[1] parameter(1)\n"
    " ROOT r = f32[2,1] custom-call(a, t), custom_call_target=\"lapack_sorgqr_ffi\" }";
const char kEigen[] = "ENTRY e { a = f32[2,2] parameter(0) " CALL(
    "(f32[2,2], f32[2], s32[])", "ssyevd", "mode = 86 : ui8, uplo = 76 : ui8");
const char kSingular[] = "ENTRY e { a = f32[2,2] parameter(0) " CALL(
    "(f32[2,2], f32[2], f32[2,2], f32[2,2], s32[])", "sgesdd", "mode = 65 : ui8");
// x of A x = b as JAX has it for two unknowns whose rows are exchanged.
const char kSolve[] =
    "ENTRY e { a = f32[2,2] parameter(0) b = f32[2,1] parameter(1)\n"
    " f = (f32[2,2], s32[2], s32[]) custom-call(a), custom_call_target=\"lapack_sgetrf_ffi\"\n"
    " lu = f32[2,2] get-tuple-element(f), index=0 p = f32[2,1] reverse(b), dimensions={0}\n"
    " y = f32[2,1] custom-call(lu, p), custom_call_target=\"lapack_strsm_ffi\", "
    "backend_config={diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}\n"
    " ROOT x = f32[2,1] custom-call(lu, y), custom_call_target=\"lapack_strsm_ffi\", "
    "backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8} }";

#define POSITIVE "f32[2,2] {{4, 2}, {2, 3}}"
#define ROWS "f32[2,2] {{1, 2}, {3, 4}}"
#define EVEN "f32[2,2] {{2, 1}, {1, 2}}"
#define SKEW "f32[2,2] {{3, 0}, {0, -2}}"
#define ONE "f32[2,2] {{1, 0}, {0, 1}}"
#define FLIPPED "f32[2,2] {{1, 0}, {0, -1}}"
#define LEFTOVER "f32[2,2] {{7, 7}, {7, 7}}"

const Case kCalls[] = {
    {"cholesky", kCholesky, {POSITIVE}, {"f32[2,2] {{2, 2}, {1, 1.41421354}}", "s32[] 0"}, kPass},
    {"cholesky_leaves_the_other_triangle",
     kCholesky,
     {POSITIVE},
     {"f32[2,2] {{2, nan}, {1, 1.41421354}}", "s32[] 0"},
     kPass},
    {"cholesky_wrong", kCholesky, {POSITIVE}, {"f32[2,2] {{2, 2}, {1, 1.4143}}", "s32[] 0"}, kFail},
    {"cholesky_says_it_broke_down",
     kCholesky,
     {POSITIVE},
     {"f32[2,2] {{2, 2}, {1, 1.41421354}}", "s32[] 2"},
     kFail},
    {"lu",
     kLu,
     {ROWS},
     {"f32[2,2] {{3, 4}, {0.333333343, 0.666666627}}", "s32[2] {2, 2}", "s32[] 0"},
     kPass},
    {"lu_without_pivoting",
     kLu,
     {ROWS},
     {"f32[2,2] {{1, 2}, {3, -2}}", "s32[2] {1, 2}", "s32[] 0"},
     kFail},
    {"lu_of_the_rows_as_they_were",
     kLu,
     {ROWS},
     {"f32[2,2] {{3, 4}, {0.333333343, 0.666666627}}", "s32[2] {1, 2}", "s32[] 0"},
     kFail},
    {"qr", kQr, {"f32[2,1] {{3}, {4}}"}, {"f32[2,1] {{-5}, {0.5}}", "f32[1] {1.6}"}, kPass},
    {"qr_with_the_other_sign",
     kQr,
     {"f32[2,1] {{3}, {4}}"},
     {"f32[2,1] {{5}, {-2}}", "f32[1] {0.4}"},
     kPass},
    {"qr_wrong_factor",
     kQr,
     {"f32[2,1] {{3}, {4}}"},
     {"f32[2,1] {{-5}, {0.5}}", "f32[1] {1.601}"},
     kFail},
    {"qr_product",
     kQrProduct,
     {"f32[2,1] {{-5}, {0.5}}", "f32[1] {1.6}"},
     {"f32[2,1] {{-0.6}, {-0.8}}"},
     kPass},
    {"qr_product_wrong",
     kQrProduct,
     {"f32[2,1] {{-5}, {0.5}}", "f32[1] {1.6}"},
     {"f32[2,1] {{-0.6}, {-0.801}}"},
     kFail},
    {"eigen",
     kEigen,
     {EVEN},
     {"f32[2,2] {{-0.707106769, 0.707106769}, {0.707106769, 0.707106769}}", "f32[2] {1, 3}",
      "s32[] 0"},
     kPass},
    {"eigen_with_other_signs",
     kEigen,
     {EVEN},
     {"f32[2,2] {{0.707106769, -0.707106769}, {-0.707106769, -0.707106769}}", "f32[2] {1, 3}",
      "s32[] 0"},
     kPass},
    {"eigen_descending",
     kEigen,
     {EVEN},
     {"f32[2,2] {{0.707106769, -0.707106769}, {0.707106769, 0.707106769}}", "f32[2] {3, 1}",
      "s32[] 0"},
     kFail},
    {"eigen_of_exchanged_vectors",
     kEigen,
     {EVEN},
     {"f32[2,2] {{0.707106769, -0.707106769}, {0.707106769, 0.707106769}}", "f32[2] {1, 3}",
      "s32[] 0"},
     kFail},
    {"eigen_of_one_vector_twice",
     kEigen,
     {EVEN},
     {"f32[2,2] {{0.707106769, 0.707106769}, {0.707106769, 0.707106769}}", "f32[2] {1, 3}",
      "s32[] 0"},
     kFail},
    {"singular", kSingular, {SKEW}, {LEFTOVER, "f32[2] {3, 2}", ONE, FLIPPED, "s32[] 0"}, kPass},
    {"singular_with_other_signs",
     kSingular,
     {SKEW},
     {LEFTOVER, "f32[2] {3, 2}", FLIPPED, ONE, "s32[] 0"},
     kPass},
    {"singular_below_zero",
     kSingular,
     {SKEW},
     {LEFTOVER, "f32[2] {3, -2}", ONE, ONE, "s32[] 0"},
     kFail},
    {"singular_of_no_orthogonal_matrix",
     kSingular,
     {SKEW},
     {LEFTOVER, "f32[2] {3, 2}", "f32[2,2] {{1, 0.001}, {0, 1}}", FLIPPED, "s32[] 0"},
     kFail},
    {"solve",
     kSolve,
     {ROWS, "f32[2,1] {{5}, {11}}"},
     {"f32[2,1] {{1.0000001}, {1.99999988}}"},
     kPass},
    {"solve_wrong", kSolve, {ROWS, "f32[2,1] {{5}, {11}}"}, {"f32[2,1] {{1}, {2.01}}"}, kFail},
};

// An exponential of 1000, less 1000, stands all along the last row: each column of the stated
// triangle holds the width of one, and the last column of the matrix that of seven.
const char kWideRow[] =
    "ENTRY e { q = f32[8,8] parameter(0) c = f32[8,8] parameter(1) y = f32[8,8] exponential(q)\n"
    " a = f32[8,8] subtract(y, c) " CALL("(f32[8,8], s32[])", "spotrf", "uplo = 76 : ui8");

// `row` in the last row before its diagonal, `diagonal`, 0 elsewhere.
std::string LastRow(const char* row, const char* diagonal, const char* below = "0") {
  std::string text = "f32[8,8] {";
  for (int i = 0; i < 8; ++i) {
    text += i == 0 ? "{" : ", {";
    for (int j = 0; j < 8; ++j) {
      text += j == 0 ? "" : ", ";
      text += i == j ? diagonal : i == 7 ? row : below;
    }
    text += "}";
  }
  return text + "}";
}

TEST(LapackWidths, TheWidthOfAMirroredTriangleIsThatOfItsRowsToo) {
  const std::string q = LastRow("6.9077554", "0"), c = LastRow("1000", "0", "1");
  // Four last places of 1000, of which exp may be three off, and what is far beyond them.
  const std::string legal = LastRow("0.000244140625", "1"), wrong = LastRow("0.001", "1");
  const Case cases[] = {
      {"", kWideRow, {q.c_str(), c.c_str()}, {legal.c_str(), "s32[] 0"}, kPass},
      {"", kWideRow, {q.c_str(), c.c_str()}, {wrong.c_str(), "s32[] 0"}, kFail},
  };
  for (const Case& one : cases) {
    const JudgeResult result = JudgeCase(one);
    EXPECT_EQ(result.outcome, one.outcome) << result.reason;
  }
}

using LapackSets = AcceptanceTest;
TEST_P(LapackSets, AcceptsWhatARoutineReturnsAndRefusesWhatItMustNot) {
  const JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(result.outcome, GetParam().outcome) << result.reason;
}
INSTANTIATE_TEST_SUITE_P(, LapackSets, testing::ValuesIn(kCalls),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hlocts::reference
