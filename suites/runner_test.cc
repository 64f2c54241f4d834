// SPDX-License-Identifier: Apache-2.0
// Tests verdicts that depend on the operation that the case is about.
#include "suites/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace hlocts::suites {
namespace {

using ::testing::HasSubstr;

class RefusingEngine : public backends::Backend {
 public:
  backends::BackendInfo info() override { return {.name = "refusing"}; }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module&, const backends::LoadOptions&) override {
    return absl::InvalidArgumentError("no such opcode");
  }
};

reports::Verdict VerdictOn(const std::string& operation, const std::string& instruction) {
  const std::string opcode = instruction.substr(0, instruction.find('('));
  auto cases = ParseCases(
      absl::StrCat("@operation ", operation, "\n@opcode ", opcode,
                   "\n@case a\n@clauses general.1\n@module\nHloModule m\nENTRY e { x = s32[] "
                   "parameter(0) ROOT r = s32[] ",
                   instruction, " }\n@inputs random\n"),
      "area", "stem", "stem.case");
  EXPECT_TRUE(cases.ok()) << cases.status();
  RefusingEngine engine;
  return RunCase((*cases)[0], engine, backends::DiffOptions());
}

TEST(RunnerTest, AnEngineMayLackAnOpcodeOfNoDocument) {
  const reports::Verdict lacking = VerdictOn("mulhi", "mulhi(x, x)");
  EXPECT_EQ(lacking.kind, Outcome::kUnsupported);
  EXPECT_THAT(lacking.reason, HasSubstr("mulhi is not documented"));
  EXPECT_EQ(VerdictOn("Mul", "multiply(x, x)").kind, Outcome::kRejected);
  // Copy is a subject of the documents: rejecting it is a failure.
  EXPECT_EQ(VerdictOn("Copy", "copy(x)").kind, Outcome::kRejected);
}

// An engine with shardings must accept tiles that divide the array, but may reject other tiles.
TEST(RunnerTest, AnEngineMayLackTilesOfUnequalSize) {
  const auto verdict_on = [](int size) {
    auto cases = ParseCases(
        absl::StrCat("@operation Add\n@opcode add\n@case a\n@clauses general.1\n@module\n",
                     "HloModule m\nENTRY e { x = s32[", size,
                     "] parameter(0), sharding={devices=[4]<=[4]} ROOT r = s32[", size,
                     "] add(x, x) }\n@inputs random\n"),
        "area", "stem", "stem.case");
    EXPECT_TRUE(cases.ok()) << cases.status();
    RefusingEngine engine;
    return RunCase((*cases)[0], engine, backends::DiffOptions());
  };
  EXPECT_EQ(verdict_on(8).kind, Outcome::kRejected);
  const reports::Verdict uneven = verdict_on(7);
  EXPECT_EQ(uneven.kind, Outcome::kUnsupported);
  EXPECT_THAT(uneven.reason, HasSubstr("the tiles of x are unequal"));
}

}  // namespace
}  // namespace hlocts::suites
