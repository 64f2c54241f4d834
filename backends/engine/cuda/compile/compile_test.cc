// SPDX-License-Identifier: Apache-2.0
// NVRTC takes the kernels that the suites need, for sm_90, with no device at hand. By default a
// sample; HLOCTS_CUDA_KERNELS=all compiles every one and prints what registers they use, any other
// word those whose source contains it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <set>

#include "absl/strings/match.h"
#include "backends/engine/cuda/compile/emit.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/request.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "suites/case.h"

namespace hlocts::cuda {
namespace {

using ::testing::HasSubstr;

constexpr size_t kBatch = 32;  // kernels in one source
constexpr size_t kSample = 32;

// Distinct kernels of all cases that are accepted and static.
std::vector<std::string> SuiteKernels() {
  auto cases = suites::LoadCases(std::string(HLOCTS_SOURCE_DIR) + "/suites/cases");
  EXPECT_TRUE(cases.ok()) << cases.status();
  std::set<std::string> kernels;
  for (const suites::Case& one : *cases) {
    if (!one.reject_rule.empty()) continue;
    auto module = ParseModule(one.module_text);
    if (!module.ok() || !VerifyModule(**module).ok() || plan::IsDynamic(**module)) continue;
    auto sources = cuda::KernelSources(**module);
    if (sources.ok()) kernels.insert(sources->begin(), sources->end());
  }
  return {kernels.begin(), kernels.end()};
}

// The library stands beside hlocts, not beside this test.
absl::StatusOr<const hlocts_cuda_api*> Runtime() {
  setenv("HLOCTS_CUDA_LIBRARY", HLOCTS_BINARY_DIR "/libhlocts_cuda.so", 0);
  return cuda::OpenRuntime();
}

struct Usage {
  int kernels = 0, registers = 0, spilling = 0;
};
// ptxas: "N bytes spill stores, M bytes spill loads" and "Used K registers" for each function.
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
  const auto api = Runtime();
  if (!api.ok()) GTEST_SKIP() << "skipped: " << api.status().message();
  std::vector<std::string> kernels = SuiteKernels();
  ASSERT_GT(kernels.size(), 500u);
  const char* wanted = std::getenv("HLOCTS_CUDA_KERNELS");
  const bool all = wanted != nullptr;
  if (all && std::strcmp(wanted, "all") != 0) {
    std::erase_if(kernels,
                  [&](const std::string& text) { return !absl::StrContains(text, wanted); });
  }
  const size_t step = all ? 1 : kernels.size() / kSample;
  std::vector<std::string> batch;
  Usage usage;
  for (size_t k = 0; k < kernels.size(); k += step) {
    batch.push_back(kernels[k]);
    if (batch.size() < kBatch && k + step < kernels.size()) continue;
    const std::string source = cuda::EmitSource(batch);
    const char* log = "";
    const hlocts_cuda_status status = (*api)->compile(source.c_str(), "sm_90", 0, &log);
    if (status == HLOCTS_CUDA_UNAVAILABLE) GTEST_SKIP() << "skipped: " << log;
    ASSERT_EQ(status, HLOCTS_CUDA_OK) << log << "\n" << source;
    Count(log, usage);
    batch.clear();
  }
  EXPECT_EQ(usage.kernels, static_cast<int>((kernels.size() + step - 1) / step));
  std::printf("%d of %zu kernels, at most %d registers, %d with spills\n", usage.kernels,
              kernels.size(), usage.registers, usage.spilling);
}

// No case of the suites has a pad that one loop alone reads.
TEST(CompileTest, LoadsOfPadsAndGathersCompile) {
  const auto api = Runtime();
  if (!api.ok()) GTEST_SKIP() << "skipped: " << api.status().message();
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
  const char* log = "";
  const hlocts_cuda_status status =
      (*api)->compile(cuda::EmitSource(*sources).c_str(), "sm_90", 0, &log);
  if (status == HLOCTS_CUDA_UNAVAILABLE) GTEST_SKIP() << "skipped: " << log;
  EXPECT_EQ(status, HLOCTS_CUDA_OK) << log;
}

TEST(CompileTest, TheRelaxedProfileCompiles) {
  const auto api = Runtime();
  if (!api.ok()) GTEST_SKIP() << "skipped: " << api.status().message();
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[9] parameter(0) a = f32[9] exponential(p)\n"
      " b = f32[9] tanh(a) c = f32[9] rsqrt(b) ROOT d = f32[9] logistic(c) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto sources = cuda::KernelSources(**module);
  ASSERT_TRUE(sources.ok()) << sources.status();
  ASSERT_EQ(sources->size(), 1u);
  const char* log = "";
  const hlocts_cuda_status status =
      (*api)->compile(cuda::EmitSource(*sources).c_str(), "sm_90", 1, &log);
  if (status == HLOCTS_CUDA_UNAVAILABLE) GTEST_SKIP() << "skipped: " << log;
  EXPECT_EQ(status, HLOCTS_CUDA_OK) << log;
}

TEST(CompileTest, AWrongKernelIsRefusedWithItsPlace) {
  const auto api = Runtime();
  if (!api.ok()) GTEST_SKIP() << "skipped: " << api.status().message();
  const char* log = "";
  const std::string source = cuda::EmitSource({"int x = undeclared;\n"});
  const hlocts_cuda_status status = (*api)->compile(source.c_str(), "sm_90", 0, &log);
  if (status == HLOCTS_CUDA_UNAVAILABLE) GTEST_SKIP() << "skipped: " << log;
  EXPECT_EQ(status, HLOCTS_CUDA_COMPILE_ERROR);
  EXPECT_THAT(log, HasSubstr("undeclared"));
}

}  // namespace
}  // namespace hlocts::cuda
