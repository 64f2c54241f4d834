// SPDX-License-Identifier: Apache-2.0
// Finds the files of cases/ for the tests that judge them. $HLOCTS_CASES names another directory.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/judge/judge_testing.h"
#include "spec/files/file_io.h"
#include "suites/case.h"
#include "suites/case_request.h"

namespace hlocts::reference {

// Returns the paths below the directory, sorted: "25_sort.case" before "executions/25_sort.case".
inline std::vector<std::string> CaseFiles() {
  const char* given = std::getenv("HLOCTS_CASES");
  const std::filesystem::path folder =
      given != nullptr ? given : HLOCTS_SOURCE_DIR "/reference/judge/cases";
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::vector<suites::Case> CasesOf(const std::string& path) {
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  if (!text.ok()) return {};
  const std::string stem = std::filesystem::path(path).stem().string();
  auto cases = suites::ParseCases(*text, "judge", stem, path);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *std::move(cases) : std::vector<suites::Case>();
}

// Judges one answer in one profile. For several devices, returns the first failure.
inline absl::StatusOr<JudgeResult> JudgeAnswer(const suites::Case& one,
                                               const suites::CaseOutput& answer, Profile profile,
                                               const Bounds& bounds = kBounds) {
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseModule(one.module_text));
  const backends::LoadOptions load = suites::LoadOptionsOf(one, *module, {});
  HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteRequest request,
                          suites::MakeRequest(one, *module, load));
  HLOCTS_ASSIGN_OR_RETURN(const auto leaves, suites::OutputLeaves(answer, load));
  JudgeOptions options;
  options.profile = profile;
  options.bounds = &bounds;
  options.replicas = load.replicas;
  options.partitions = load.partitions;
  for (const std::string& fact : one.facts)
    HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, options.facts));
  if (leaves.size() == 1) return Judge(*module, request.arguments.at(0), leaves[0], options);
  HLOCTS_ASSIGN_OR_RETURN(const auto sets,
                          AcceptanceOfDevices(*module, request.arguments, options));
  JudgeResult result;
  for (size_t device = 0; device < leaves.size() && result.outcome != Outcome::kFail; ++device)
    result = JudgeLeaves(sets[device], leaves[device]);
  return result;
}

}  // namespace hlocts::reference
