// SPDX-License-Identifier: Apache-2.0
// Runs and judges each file of modules/ on our engines: run-time sizes, complex extremes, unusual
// comparators.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "backends/contract/engines/engines_testing.h"
#include "backends/differ/differ.h"
#include "spec/base/status_testing.h"
#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"

namespace hlocts::backends {
namespace {

constexpr int kSeeds = 5;

TEST(ModulesTest, EnginesReturnWhatTheJudgeAccepts) {
  int files = 0, passes = 0, all = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           HLOCTS_SOURCE_DIR "/backends/contract/engines/modules")) {
    const std::string path = entry.path().string();
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto loaded, LoadModule(path));
    const Module& module = *loaded.module;
    ASSERT_TRUE(VerifyModule(module).ok()) << path << VerifyModule(module);
    ++files;
    // The CUDA engine merges with any comparator as if it were a weak order.
    const bool sorts = absl::StrContains(entry.path().filename().string(), "sort_by");
    std::vector<const char*> engines = {"reference", "cpu?isolation=none"};
    if (!sorts) engines.push_back("cuda-host?isolation=none");
    for (const char* name : engines) {
      HLOCTS_ASSERT_OK_AND_ASSIGN(auto backend, MakeBackend(name));
      for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        ExecuteRequest request;
        request.arguments = {generators::GenerateArguments(ArgumentLeafShapes(module), seed)};
        const reports::Verdict verdict = Differ(module, request, {}).Diff(*backend);
        // Some random arguments have no elements or inconsistent sizes.
        const bool says_nothing =
            verdict.kind == Outcome::kError || verdict.kind == Outcome::kInconclusive;
        EXPECT_TRUE(verdict.kind == Outcome::kPass || says_nothing)
            << path << " on " << name << ", seed " << seed << ": "
            << reports::VerdictToText(verdict);
        passes += verdict.kind == Outcome::kPass;
        ++all;
      }
    }
  }
  EXPECT_GT(files, 9);
  EXPECT_GT(3 * passes, 2 * all);
}

}  // namespace
}  // namespace hlocts::backends
