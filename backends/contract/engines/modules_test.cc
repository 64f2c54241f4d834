// SPDX-License-Identifier: Apache-2.0
// Runs and judges each module of cases/modules.case on our engines.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "backends/contract/engines/engines_testing.h"
#include "backends/differ/differ.h"
#include "spec/base/status_testing.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "suites/case.h"

namespace hlocts::backends {
namespace {

constexpr int kSeeds = 5;

TEST(ModulesTest, EnginesReturnWhatTheJudgeAccepts) {
  int passes = 0, all = 0;
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      const auto cases,
      suites::LoadCases(HLOCTS_SOURCE_DIR "/backends/contract/engines/cases/modules.case"));
  for (const suites::Case& one : cases) {
    SCOPED_TRACE(one.address);
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto parsed, ParseModule(one.module_text));
    const Module& module = *parsed;
    ASSERT_TRUE(VerifyModule(module).ok()) << VerifyModule(module);
    // The CUDA engine's merge sort requires a strict weak order. sort_by modules need not have one.
    const bool sorts = absl::StartsWith(one.name(), "sort_by");
    std::vector<const char*> engines = {"reference", "cpu?isolation=none"};
    if (!sorts) engines.push_back("cuda-host?isolation=none");
    for (const char* name : engines) {
      HLOCTS_ASSERT_OK_AND_ASSIGN(auto backend, MakeBackend(name));
      for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        ExecuteRequest request;
        request.arguments = {generators::GenerateArguments(ArgumentLeafShapes(module), seed)};
        const reports::Verdict verdict = Differ(module, request, {}).Diff(*backend);
        // Random arguments without elements or with inconsistent sizes cannot be judged.
        const bool says_nothing = verdict.kind == Outcome::kError || IsInconclusive(verdict.kind);
        EXPECT_TRUE(verdict.kind == Outcome::kPass || says_nothing)
            << name << ", seed " << seed << ": " << reports::VerdictToText(verdict);
        passes += verdict.kind == Outcome::kPass;
        ++all;
      }
    }
  }
  EXPECT_GT(cases.size(), 9u);
  EXPECT_GT(3 * passes, 2 * all);
}

}  // namespace
}  // namespace hlocts::backends
