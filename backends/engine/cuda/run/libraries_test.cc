// SPDX-License-Identifier: Apache-2.0
// The suites reach every library's plan, and a library that declines leaves the general kernel.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/cuda/run/test_device.h"
#include "backends/engine/plan/request.h"
#include "generators/arguments.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "suites/case.h"
#include "suites/suite_files.h"

namespace hlocts::cuda {
namespace {

constexpr const char* kOpcodes[] = {
    " dot(", " convolution(", " fft(", " cholesky(", " triangular-solve(", " sort(", " topk("};

// The values are judged by the suites themselves (ctest cuda_host_suites_by_libraries).
TEST(LibrariesTest, TheSuitesReachEachLibrary) {
  auto cases = suites::LoadCases(suites::HomeFolder() + "/suites/cases");
  ASSERT_TRUE(cases.ok()) << cases.status();
  cuda::CompileOptions options;
  options.libraries = cuda::Libraries::kAlways;
  int64_t before[cuda::kLibraryCount];
  for (int l = 0; l < cuda::kLibraryCount; ++l) before[l] = cuda::LibraryCalls(cuda::Library(l));
  for (const suites::Case& one : *cases) {
    const auto has = [&](const char* opcode) { return absl::StrContains(one.module_text, opcode); };
    if (!one.reject_rule.empty() || std::none_of(std::begin(kOpcodes), std::end(kOpcodes), has))
      continue;
    auto module = ParseModule(one.module_text);
    if (!module.ok() || !VerifyModule(**module).ok() || plan::IsDynamic(**module)) continue;
    auto executable = cuda::MakeStaticExecutable(**module, {}, options, {TestDevice()});
    if (!executable.ok()) continue;
    backends::ExecuteRequest request;
    request.arguments = {generators::GenerateArguments(backends::ArgumentLeafShapes(**module), 1)};
    (void)(*executable)->Execute(request);
  }
  for (int l = 0; l < cuda::kLibraryCount; ++l) {
    const int64_t calls = cuda::LibraryCalls(cuda::Library(l)) - before[l];
    std::printf("%s: %lld calls\n", cuda::kLibraryNames[l], static_cast<long long>(calls));
    EXPECT_GT(calls, 5) << cuda::kLibraryNames[l];
  }
}

std::vector<Literal> RunWith(cuda::Libraries libraries, const std::string& text) {
  auto module = ParseModule("HloModule test\n" + text);
  EXPECT_TRUE(module.ok()) << module.status();
  cuda::CompileOptions options;
  options.libraries = libraries;
  auto executable = cuda::MakeStaticExecutable(**module, {}, options, {TestDevice()});
  EXPECT_TRUE(executable.ok()) << executable.status();
  backends::ExecuteRequest request;
  request.arguments = {generators::GenerateArguments(backends::ArgumentLeafShapes(**module), 3)};
  auto result = (*executable)->Execute(request);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->outputs[0] : std::vector<Literal>();
}

// Integers show every wrong stride; dimension orders that a library takes as they lie, and others.
TEST(LibrariesTest, ProductsOfEveryLayoutAreTheGeneralKernels) {
  const char* const texts[] = {
      "ENTRY e { a = s8[12,8] parameter(0) b = s8[8,4] parameter(1) ROOT r = s32[12,4] dot(a, b),"
      " lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      "ENTRY e { a = s8[8,12] parameter(0) b = s8[4,8] parameter(1) ROOT r = s32[12,4] dot(a, b),"
      " lhs_contracting_dims={0}, rhs_contracting_dims={1} }",
      "ENTRY e { a = s8[4,12,8] parameter(0) b = s8[8,4,4] parameter(1) ROOT r = s32[4,12,4] "
      "dot(a, "
      "b),"
      " lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0} "
      "}",
      "ENTRY e { a = s8[2,4,4,12] parameter(0) b = s8[4,2,16,4] parameter(1) ROOT r = s32[2,12,16] "
      "dot(a, b),"
      " lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={1,2}, "
      "rhs_contracting_dims={3,0} }",
      "ENTRY e { a = s8[16] parameter(0) b = s8[16] parameter(1) ROOT r = s32[] dot(a, b),"
      " lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
      "ENTRY e { a = s8[4] parameter(0) b = s8[16] parameter(1) ROOT r = s32[4,16] dot(a, b) }",
      "ENTRY e { a = s8[1,16,1] parameter(0) b = s8[16,1,12] parameter(1) ROOT r = s32[1,1,1,12] "
      "dot(a, b),"
      " lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      // Sides that the library does not take: zeros stand behind them, in each order of dimensions.
      "ENTRY e { a = s8[7,5] parameter(0) b = s8[5,3] parameter(1) ROOT r = s32[7,3] dot(a, b),"
      " lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      "ENTRY e { a = s8[7,6] parameter(0) b = s8[9,6] parameter(1) ROOT r = s32[7,9] dot(a, b),"
      " lhs_contracting_dims={1}, rhs_contracting_dims={1} }",
      "ENTRY e { a = s8[2,3,5,7] parameter(0) b = s8[5,2,6,3] parameter(1) ROOT r = s32[2,7,6] "
      "dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={1,2}, "
      "rhs_contracting_dims={3,0} }",
  };
  const int64_t before = cuda::LibraryCalls(cuda::Library::kCublasLt);
  for (const char* text : texts) {
    const auto ours = RunWith(cuda::Libraries::kNever, text),
               theirs = RunWith(cuda::Libraries::kAlways, text);
    ASSERT_EQ(ours.size(), 1u);
    EXPECT_TRUE(ours[0].BitwiseEqual(theirs[0])) << text;
  }
  EXPECT_EQ(cuda::LibraryCalls(cuda::Library::kCublasLt) - before, int64_t{std::size(texts)});
}

// Channels last are taken as they lie where padding is symmetric; sums of small integers are exact.
TEST(LibrariesTest, ConvolutionsOfEveryLayoutAreTheGeneralKernels) {
  const std::string head =
      "ENTRY e { p = s8[2,7,5,4] parameter(0) q = s8[3,2,LAST,6] parameter(1)\n"
      " a = f32[2,7,5,4] convert(p) b = f32[3,2,LAST,6] convert(q)\n";
  const char* const tails[] = {
      "4 ROOT r = f32[2,7,6,6] convolution(a, b), window={size=3x2 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f }",
      "2 ROOT r = f32[2,3,2,6] convolution(a, b), window={size=3x2 stride=2x2 rhs_reversal=1x1}, "
      "dim_labels=b01f_01io->b01f, feature_group_count=2 }",
      "4 ROOT r = f32[2,6,5,6] convolution(a, b), window={size=3x2 pad=1_0x0_1}, "
      "dim_labels=b01f_01io->b01f }",
      "4 ROOT r = f32[2,6,7,6] convolution(a, b), window={size=3x2 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->bf01 }",
  };
  for (const char* tail : tails) {
    std::string text = head;
    for (size_t at; (at = text.find("LAST")) != std::string::npos;) text.replace(at, 4, 1, tail[0]);
    text += tail + 1;
    const int64_t before = cuda::LibraryCalls(cuda::Library::kCudnn);
    const auto ours = RunWith(cuda::Libraries::kNever, text),
               theirs = RunWith(cuda::Libraries::kAlways, text);
    ASSERT_EQ(ours.size(), 1u) << text;
    EXPECT_TRUE(ours[0].BitwiseEqual(theirs[0])) << text;
    EXPECT_EQ(cuda::LibraryCalls(cuda::Library::kCudnn) - before, 1) << text;
  }
}

// Keys and rows that fit into one number, and those that need a second pass.
TEST(LibrariesTest, SortedRowsAreTheMerges) {
  for (const char* type : {"s64", "u16", "s8", "f64", "bf16", "f8e4m3fn"}) {
    const std::string t = type;
    const std::string text =
        "less { a = " + t + "[] parameter(0) b = " + t +
        "[] parameter(1) c = s32[] parameter(2)\n"
        " d = s32[] parameter(3) ROOT r = pred[] compare(b, a), direction=LT, type=" +
        (t[0] == 's'   ? "SIGNED"
         : t[0] == 'u' ? "UNSIGNED"
                       : "TOTALORDER") +
        " }\n"
        "ENTRY e { p = " +
        t +
        "[5,40,3] parameter(0) i = s32[5,40,3] iota(), iota_dimension=1\n"
        " ROOT r = (" +
        t +
        "[5,40,3], s32[5,40,3]) sort(p, i), dimensions={1}, is_stable=true,"
        " to_apply=less }";
    const auto ours = RunWith(cuda::Libraries::kNever, text),
               theirs = RunWith(cuda::Libraries::kAlways, text);
    ASSERT_EQ(ours.size(), 2u);
    EXPECT_TRUE(ours[0].BitwiseEqual(theirs[0]) && ours[1].BitwiseEqual(theirs[1])) << text;
  }
}

}  // namespace
}  // namespace hlocts::cuda
