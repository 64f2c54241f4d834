// SPDX-License-Identifier: Apache-2.0
// Tests that each pass leaves the result's bits unchanged, on the programs of cases/passes.case,
// which use every kind of step.
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "generators/arguments.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"
#include "suites/case.h"

namespace hlocts::backends {
namespace {

std::unique_ptr<Backend> EngineWith(const std::string& options) {
  auto backend = MakeBackend("cpu?isolation=none" + options);
  EXPECT_TRUE(backend.ok()) << backend.status();
  return backend.ok() ? *std::move(backend) : nullptr;
}

// Returns the pass names that the engine lists if it gets an unknown name.
std::vector<std::string> PassNames() {
  const absl::Status status = MakeBackend("cpu?isolation=none&disable=none-of-them").status();
  const std::vector<std::string> parts = absl::StrSplit(status.message(), "the passes are ");
  std::vector<std::string> names = absl::StrSplit(parts.back(), ", ");
  names.pop_back();  // the text "and all"
  EXPECT_GT(names.size(), 10u) << status;
  return names;
}

std::vector<suites::Case> Programs() {
  const std::string path = HLOCTS_SOURCE_DIR "/backends/contract/engines/cases/passes.case";
  auto cases = suites::LoadCases(path);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *std::move(cases) : std::vector<suites::Case>();
}

TEST(PassPairsTest, GiveTheSameBits) {
  std::vector<std::string> settings = {"&guard=true",
                                       "&guard=true&disable=rows",
                                       "&guard=true&threads=1",
                                       "&guard=true&disable=small-loops",
                                       "&disable=no-op-moves,cse,dce,fusion,in-place",
                                       "&disable=all"};
  for (const std::string& pass : PassNames()) settings.push_back("&disable=" + pass);
  const std::vector<suites::Case> programs = Programs();
  EXPECT_GT(programs.size(), 10u);
  for (const suites::Case& program : programs) {
    SCOPED_TRACE(program.address);
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto module, ParseModule(program.module_text));
    ExecuteRequest request;
    request.arguments = {generators::GenerateArguments(ArgumentLeafShapes(*module), 7)};
    const RunOutcome expected = RunModule(*EngineWith(""), *module, {}, request);
    ASSERT_TRUE(expected.has_values()) << expected.error.Text();
    for (const std::string& setting : settings) {
      const RunOutcome actual = RunModule(*EngineWith(setting), *module, {}, request);
      ASSERT_TRUE(actual.has_values()) << setting << "\n" << actual.error.Text();
      for (size_t i = 0; i < expected.result.outputs[0].size(); ++i) {
        EXPECT_TRUE(actual.result.outputs[0][i].BitwiseEqual(expected.result.outputs[0][i]))
            << setting;
      }
    }
  }
}

}  // namespace
}  // namespace hlocts::backends
