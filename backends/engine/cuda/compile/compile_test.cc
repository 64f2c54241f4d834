// SPDX-License-Identifier: Apache-2.0
// Tests that NVRTC compiles the kernels of the suites for sm_90, without a GPU. By default, a
// sample is compiled. HLOCTS_CUDA_KERNELS=all compiles every kernel and prints its register usage;
// any other value selects the kernels whose source contains it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "absl/strings/match.h"
#include "backends/engine/cuda/compile/emit.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/request.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"

namespace hlocts::cuda {
namespace {

using ::testing::HasSubstr;

constexpr size_t kSample = 32;

// Returns the distinct kernels of the valid static modules in the directory $HLOCTS_MODULES, which
// `hlocts export` wrote.
std::vector<std::string> SuiteKernels() {
  std::set<std::string> kernels;
  const char* folder = std::getenv("HLOCTS_MODULES");
  if (folder == nullptr) return {};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream in(entry.path());
    auto module = ParseModule(std::string(std::istreambuf_iterator<char>(in), {}));
    if (!module.ok() || !VerifyModule(**module).ok() || plan::IsDynamic(**module)) continue;
    auto sources = cuda::KernelSources(**module);
    if (sources.ok()) kernels.insert(sources->begin(), sources->end());
  }
  return {kernels.begin(), kernels.end()};
}

// Returns NVRTC's log for sm_90.
absl::StatusOr<std::string> Compiled(const std::string& source, bool fast_math = false) {
  return CompilerLog(source, "sm_90", fast_math);
}

struct Usage {
  int kernels = 0, registers = 0, spilling = 0;
};
// ptxas logs for each function "Used K registers" and "N bytes spill stores, M bytes spill loads".
void Count(const std::string& log, Usage& usage) {
  const std::regex used("Used ([0-9]+) registers"), spills("([0-9]+) bytes spill stores");
  for (std::sregex_iterator it(log.begin(), log.end(), used), end; it != end; ++it) {
    ++usage.kernels;
    usage.registers = std::max(usage.registers, std::stoi((*it)[1]));
  }
  for (std::sregex_iterator it(log.begin(), log.end(), spills), end; it != end; ++it) {
    usage.spilling += (*it)[1] != "0";
  }
}

TEST(CompileTest, EveryKernelOfTheSuitesCompiles) {
  std::vector<std::string> kernels = SuiteKernels();
  if (kernels.empty()) GTEST_SKIP() << "skipped: no modules in HLOCTS_MODULES";
  ASSERT_GT(kernels.size(), 500u);
  const char* wanted = std::getenv("HLOCTS_CUDA_KERNELS");
  const bool all = wanted != nullptr;
  if (all && std::strcmp(wanted, "all") != 0) {
    std::erase_if(kernels,
                  [&](const std::string& text) { return !absl::StrContains(text, wanted); });
  }
  const size_t step = all ? 1 : kernels.size() / kSample;
  Usage usage;
  for (size_t k = 0; k < kernels.size(); k += step) {
    const std::string source = cuda::EmitSource(kernels[k]);
    const auto log = Compiled(source);
    if (absl::IsUnavailable(log.status())) GTEST_SKIP() << "skipped: " << log.status();
    ASSERT_TRUE(log.ok()) << log.status() << "\n" << source;
    Count(*log, usage);
  }
  EXPECT_EQ(usage.kernels, static_cast<int>((kernels.size() + step - 1) / step));
  std::printf("%d of %zu kernels, at most %d registers, %d with spills\n", usage.kernels,
              kernels.size(), usage.registers, usage.spilling);
}

// The suites have no module with a pad or gather that only one loop reads. This module has both.
TEST(CompileTest, LoadsOfPadsAndGathersCompile) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[5,3] parameter(0) z = f32[] constant(7)\n"
      " i = s32[8,1] parameter(1) a = f32[8,3] pad(p, z), padding=-1_0_1x0_0\n"
      " g = f32[8,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0},\n"
      " start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n"
      " ROOT r = f32[8,3] subtract(a, g) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto sources = cuda::KernelSources(**module);
  ASSERT_TRUE(sources.ok()) << sources.status();
  ASSERT_EQ(sources->size(), 1u);
  EXPECT_THAT((*sources)[0], HasSubstr("LoadPadded"));
  EXPECT_THAT((*sources)[0], HasSubstr("LoadGathered"));
  const auto log = Compiled(cuda::EmitSource((*sources)[0]));
  if (absl::IsUnavailable(log.status())) GTEST_SKIP() << "skipped: " << log.status();
  EXPECT_TRUE(log.ok()) << log.status();
}

TEST(CompileTest, TheRelaxedProfileCompiles) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[9] parameter(0) a = f32[9] exponential(p)\n"
      " b = f32[9] tanh(a) c = f32[9] rsqrt(b) ROOT d = f32[9] logistic(c) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto sources = cuda::KernelSources(**module);
  ASSERT_TRUE(sources.ok()) << sources.status();
  ASSERT_EQ(sources->size(), 1u);
  const auto log = Compiled(cuda::EmitSource((*sources)[0]), /*fast_math=*/true);
  if (absl::IsUnavailable(log.status())) GTEST_SKIP() << "skipped: " << log.status();
  EXPECT_TRUE(log.ok()) << log.status();
}

// Returns the source without `entry` in one of its lists (device/used.h).
std::string Without(const std::string& source, const std::string& list, int entry) {
  const std::regex found(absl::StrCat("(#define HL_", list, " [^\n]*), ", entry, "(?=[,\n])"));
  return std::regex_replace(source, found, "$1");
}

// A kernel that omits a used entry from a list must fail to compile, not compute wrong values.
TEST(CompileTest, AKernelThatListsTooLittleIsRefused) {
  struct Row {
    const char *from, *result, *list;
    int entry;
  };
  const Row rows[] = {{"f8e5m2", "f32[9] convert(p)", "TYPES", hl::kF8E5M2},
                      {"f32", "f8e5m2[9] convert(p)", "TYPES", hl::kF8E5M2},
                      {"s32", "f8e5m2[9] convert(p)", "TYPES", hl::kF8E5M2},
                      {"f64", "f64[9] exponential(p)", "TYPES", hl::kF64},
                      {"c64", "c64[9] multiply(p, p)", "TYPES", hl::kC64},
                      {"s32", "s32[9] multiply(p, p)", "TYPES", hl::kS32},
                      {"f32", "f32[9] exponential(p)", "OPS", hl::kOpExponential},
                      {"f32", "f32[9] exponential(p)", "MATHS", hl::kMathSingle}};
  for (const Row& row : rows) {
    auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e { p = ", row.from,
                                           "[9] parameter(0) ROOT r = ", row.result, " }"));
    ASSERT_TRUE(module.ok()) << module.status();
    const auto sources = cuda::KernelSources(**module);
    ASSERT_TRUE(sources.ok() && sources->size() == 1) << row.result;
    const std::string whole = cuda::EmitSource((*sources)[0]);
    const std::string less = Without(whole, row.list, row.entry);
    ASSERT_NE(less, whole) << whole;
    const auto log = Compiled(whole);
    if (absl::IsUnavailable(log.status())) GTEST_SKIP() << "skipped: " << log.status();
    EXPECT_TRUE(log.ok()) << log.status();
    EXPECT_THAT(Compiled(less).status().ToString(), HasSubstr("hl_used_but_not_listed")) << less;
  }
}

TEST(CompileTest, AWrongKernelIsRefusedWithItsPlace) {
  const auto log = Compiled(cuda::EmitSource("int x = undeclared;\n"));
  if (absl::IsUnavailable(log.status())) GTEST_SKIP() << "skipped: " << log.status();
  EXPECT_THAT(log.status().ToString(), HasSubstr("undeclared"));
}

}  // namespace
}  // namespace hlocts::cuda
