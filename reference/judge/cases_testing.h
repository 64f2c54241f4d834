// SPDX-License-Identifier: Apache-2.0
// Finds the files of cases/ for the tests that judge them. $HLOCTS_CASES names another directory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/judge/module_sets.h"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "suites/case.h"
#include "suites/case_request.h"

namespace hlocts::reference {

// A test case: a module, its arguments, an engine's outputs and the expected verdict. Tests use it
// if they examine more than the verdict; otherwise the case is a file in cases/.
struct Case {
  const char* name;
  const char* module;
  std::vector<const char*> arguments;
  std::vector<const char*> outputs;
  Outcome outcome;
  Profile profile = Profile::kDefault;
  TargetFacts facts = {};
};

inline std::vector<Literal> Parse(const std::vector<const char*>& texts) {
  std::vector<Literal> literals;
  for (const char* text : texts) {
    auto literal = ParseLiteralWithShape(text);
    EXPECT_TRUE(literal.ok()) << text << ": " << literal.status();
    if (literal.ok()) literals.push_back(*std::move(literal));
  }
  return literals;
}

// Returns the outcome, with "too few bits" counted as a pass: a case states only that an answer is
// accepted, which is also true if the set is wide. too_few_bits_test.cc tests that verdict.
inline Outcome AcceptedOr(const JudgeResult& result) {
  return result.too_few_bits ? Outcome::kPass : result.outcome;
}

// Returns true if the result agrees with the stated outcome. A stated `pass` requires only that the
// answer is accepted, even by a set that is too wide to check anything. A stated `inconclusive` is
// compared with the verdict that a user sees.
inline bool Agrees(const JudgeResult& result, Outcome stated) {
  return (stated == Outcome::kInconclusive ? result.outcome : AcceptedOr(result)) == stated;
}

inline JudgeResult JudgeCase(const Case& c) {
  auto module = ParseModule(c.module);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  JudgeOptions options{.profile = c.profile, .facts = c.facts};
  auto result = Judge(**module, Parse(c.arguments), Parse(c.outputs), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : JudgeResult();
}

inline constexpr Outcome kPass = Outcome::kPass, kFail = Outcome::kFail,
                         kOpen = Outcome::kInconclusive;
inline constexpr Profile kStrict = Profile::kStrict, kRelaxed = Profile::kRelaxed;

#define ADD_BODY(type)                                                           \
  "add { a = " type "[] parameter(0) b = " type "[] parameter(1) ROOT r = " type \
  "[] add(a, b) "                                                                \
  "}\n"
#define UNARY(op, type) "ENTRY e { x = " type "[] parameter(0) ROOT r = " type "[] " op "(x) }"
#define BINARY(op, type)                                                                      \
  "ENTRY e { x = " type "[] parameter(0) y = " type "[] parameter(1) ROOT r = " type "[] " op \
  "(x, y) }"

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
