// SPDX-License-Identifier: Apache-2.0
// Runs the files of cases/: the evaluator's values on one or several devices, compared bit for bit.
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "reference/world/world.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "suites/case.h"
#include "suites/case_request.h"

namespace hlocts::reference {
namespace {

std::string TextOf(absl::Span<const Literal> leaves) {
  std::string text;
  for (const Literal& leaf : leaves) absl::StrAppend(&text, PrintLiteralWithShape(leaf), "\n");
  return text;
}

void CheckValue(const suites::Case& one) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(one.module_text));
  const backends::LoadOptions load = suites::LoadOptionsOf(one, *module, {});
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto request, suites::MakeRequest(one, *module, load));
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto expected, suites::PrintedResult(one, *module, load));
  ASSERT_FALSE(expected.empty()) << "no @expect";
  const auto result =
      EvaluateReplicated(*module, request.arguments, {load.replicas, load.partitions, {}});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->outputs.size(), expected.size());
  for (size_t device = 0; device < expected.size(); ++device) {
    EXPECT_EQ(TextOf(FlattenLeaves(result->outputs[device])), TextOf(expected.at(device)))
        << device;
  }
}

TEST(CasesTest, HaveTheirValues) {
  const std::string folder = HLOCTS_SOURCE_DIR "/reference/cases";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string(), stem = entry.path().stem().string();
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto text, ReadFile(path));
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto cases,
                                suites::ParseCases(text, "reference", stem, path));
    for (const suites::Case& one : cases) {
      SCOPED_TRACE(absl::StrCat(path, ":", one.place.line, ": ", one.address));
      CheckValue(one);
    }
  }
}

}  // namespace
}  // namespace hlocts::reference
