// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/adapters/compiled/compiled_backend.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;

class TextExecutable : public Executable {
 public:
  explicit TextExecutable(std::string module) : module_(std::move(module)) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest&) override {
    return absl::UnimplementedError("executes nothing");
  }
  absl::StatusOr<std::string> OptimizedModule() override { return module_; }

 private:
  std::string module_;
};

// A compiler that makes `text` of every module.
class FakeCompiler : public Backend {
 public:
  explicit FakeCompiler(std::string text) : text_(std::move(text)) {}
  BackendInfo info() override {
    BackendInfo info;
    info.name = "fake";
    info.capabilities = {"compile-only", "proto", "optimized-module"};
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module&, const LoadOptions&) override {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> made, ParseModule(text_));
    HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(*made));
    return std::make_unique<TextExecutable>(std::move(proto));
  }

 private:
  std::string text_;
};

// The verdict on a compiler that makes `made` of `given`, on arguments of those values.
reports::Verdict Judge(const std::string& given, const std::string& made,
                       const std::vector<std::string>& arguments) {
  auto module = ParseModule(given);
  HLOCTS_CHECK(module.ok());
  ExecuteRequest request;
  request.arguments.emplace_back();
  for (const std::string& text : arguments) {
    auto literal = ParseLiteralWithShape(text);
    HLOCTS_CHECK(literal.ok());
    request.arguments[0].push_back(*literal);
  }
  auto reference = MakeBackend("reference");
  HLOCTS_CHECK(reference.ok());
  auto backend = MakeCompiledBackend(std::make_unique<FakeCompiler>(made), *std::move(reference));
  return Differ(**module, request, DiffOptions()).Diff(*backend);
}

constexpr char kSubtract[] =
    "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
    " ROOT r = f32[2] subtract(x, y) }";
const std::vector<std::string> kTwo = {"f32[2] {5, 3}", "f32[2] {1, 2}"};

TEST(CompiledTest, AFusionInTilesMeansItsComputation) {
  const reports::Verdict verdict =
      Judge(kSubtract,
            "HloModule m, is_scheduled=true\n"
            "f { a = f32[2]{0:T(128)} parameter(0) b = f32[2]{0:T(128)S(1)} parameter(1)\n"
            " ROOT s = f32[2]{0:T(128)} subtract(a, b), backend_config={\"flag_configs\":[]} }\n"
            "ENTRY e { x = f32[2]{0:T(128)} parameter(0) y = f32[2]{0:T(128)} parameter(1)\n"
            " c = (f32[2]{0:T(128)S(1)}, f32[2]{0:T(128)}, u32[]{:S(2)}) copy-start(y)\n"
            " d = f32[2]{0:T(128)S(1)} copy-done(c)\n"
            " ROOT r = f32[2]{0:T(128)} fusion(x, d), kind=kLoop, calls=f }",
            kTwo);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
}

TEST(CompiledTest, WhatIsWrongIsTheOptimizedModule) {
  const reports::Verdict verdict =
      Judge(kSubtract,
            "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
            " ROOT r = f32[2] subtract(y, x) }",
            kTwo);
  EXPECT_EQ(verdict.kind, Outcome::kFail);
  EXPECT_THAT(reports::VerdictToText(verdict), HasSubstr("the optimized module is wrong"));
}

TEST(CompiledTest, WhatHasNoMeaningIsNotEvaluated) {
  const reports::Verdict verdict =
      Judge(kSubtract,
            "HloModule m\nENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
            " ROOT r = f32[2] custom-call(x, y), custom_call_target=\"Mystery\" }",
            kTwo);
  EXPECT_EQ(verdict.kind, Outcome::kUnsupported);
  EXPECT_EQ(verdict.reason, "not evaluated: custom-call Mystery");
}

// {given instruction, made of it, verdict}.
struct Meant {
  const char *given, *made;
  Outcome verdict;
};
class MeaningsTest : public ::testing::TestWithParam<Meant> {};
TEST_P(MeaningsTest, ACustomCallMeansHlo) {
  const std::string head = "HloModule m\nENTRY e { x = f32[2,2] parameter(0)\n ";
  const reports::Verdict verdict = Judge(
      head + GetParam().given + " }", head + GetParam().made + " }", {"f32[2,2] {{4, 2}, {2, 5}}"});
  EXPECT_EQ(verdict.kind, GetParam().verdict) << verdict.reason;
}
constexpr char kCholesky[] = "ROOT r = f32[2,2] cholesky(x), lower=true";
constexpr char kSolve[] =
    "i = f32[2,2] constant({{1,0},{0,1}}) ROOT r = f32[2,2] triangular-solve(x, i), "
    "left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE";
INSTANTIATE_TEST_SUITE_P(
    All, MeaningsTest,
    ::testing::Values(
        Meant{kCholesky, "ROOT r = f32[2,2] custom-call(x), custom_call_target=\"Cholesky\"",
              Outcome::kPass},
        Meant{kSolve,
              "ROOT r = f32[2,2] custom-call(x), "
              "custom_call_target=\"InvertDiagBlocksLowerTriangular\"",
              Outcome::kPass},
        Meant{kSolve,
              "ROOT r = f32[2,2] custom-call(x), "
              "custom_call_target=\"InvertDiagBlocksUpperTriangular\"",
              Outcome::kFail},
        Meant{kSolve,
              "ROOT r = f32[2,2] custom-call(x), custom_call_target=\"AssumeGatherIndicesInBound\"",
              Outcome::kFail},
        Meant{"ROOT r = bf16[2,2] convert(x)", "ROOT r = bf16[2,2] copy(x)",
              Outcome::kPass},
        Meant{"ROOT r = bf16[2,2] convert(x)", "ROOT r = bf16[2,2] transpose(x), dimensions={1,0}",
              Outcome::kPass},
        Meant{"ROOT r = bf16[2,2] convert(x)", "ROOT r = bf16[2,2] reverse(x), dimensions={1}",
              Outcome::kFail},
        Meant{"c = s64[2,2] convert(x) n = s64[2,2] negate(c) ROOT r = s64[2,2] multiply(n, c)",
              "c = s64[2,2] convert(x) n = s64[2,2] negate(c) m = s64[2,2] multiply(n, c) "
              "l = u32[2,2] custom-call(m), custom_call_target=\"X64SplitLow\" "
              "h = u32[2,2] custom-call(m), custom_call_target=\"X64SplitHigh\" "
              "ROOT r = s64[2,2] custom-call(l, h), custom_call_target=\"X64Combine\"",
              Outcome::kPass},
        Meant{"ROOT r = s64[2,2] convert(x)",
              "c = s64[2,2] convert(x) l = u32[2,2] custom-call(c), "
              "custom_call_target=\"X64SplitHigh\" ROOT r = s64[2,2] convert(l)",
              Outcome::kFail},
        Meant{"ROOT r = f64[2,2] convert(x)",
              "c = f64[2,2] convert(x) l = f32[2,2] custom-call(c), "
              "custom_call_target=\"X64SplitHigh\" ROOT r = f64[2,2] convert(l)",
              Outcome::kUnsupported}));

}  // namespace
}  // namespace hlocts::backends
