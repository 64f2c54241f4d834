// SPDX-License-Identifier: Apache-2.0
// Malformed text yields an error with its position, the expected and the actual text, and a rule.
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

struct BadText {
  std::string text, rule, message;  // `message` is a part of the expected message
};

class ParseErrorTest : public testing::TestWithParam<BadText> {};

TEST_P(ParseErrorTest, NamesPlaceAndRule) {
  auto module = ParseModule(GetParam().text);
  ASSERT_FALSE(module.ok()) << "accepted: " << GetParam().text;
  EXPECT_EQ(RuleOf(module.status()), GetParam().rule) << module.status();
  EXPECT_NE(std::string(module.status().message()).find(GetParam().message), std::string::npos)
      << module.status();
}

// Returns the rows of cases/errors.txt, an empty text and the start of a binary file.
std::vector<BadText> BadTexts() {
  std::vector<BadText> rows = {{"", "text.syntax",
                                "line 1, column 1: expected HloModule, a computation or an "
                                "instruction, found the end of the text"},
                               {"\x7f"
                                "ELF\x02\x01",
                                "text.syntax", "found '\\x7f'"}};
  std::ifstream file(HLOCTS_SOURCE_DIR "/spec/text/cases/errors.txt");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    absl::string_view error = line;
    if (absl::ConsumePrefix(&error, "=> ")) {
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(error, absl::MaxSplits(": ", 1));
      rows.push_back({std::move(text), parts.first, parts.second});
      text.clear();
    } else if (!line.empty() && line[0] != '#') {
      absl::StrAppend(&text, text.empty() ? "" : "\n", line);
    }
  }
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Texts, ParseErrorTest, testing::ValuesIn(BadTexts()));

TEST(BadTextsTest, AreNotEmpty) { EXPECT_GT(BadTexts().size(), 60u); }

// Nesting beyond the limit is an error in every form; nesting below the limit is read.
TEST(ParseLimitTest, DeepNestingIsAnError) {
  auto nested = [](int depth, const char* open, const char* middle, const char* close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += middle;
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_TRUE(ParseShape(nested(100, "(", "f32[]", ")")).ok());
  auto shape = ParseShape(nested(100000, "(", "f32[]", ")"));
  EXPECT_EQ(RuleOf(shape.status()), "text.limit");
  auto sharding = ParseSharding(nested(100000, "{", "", "}"));
  EXPECT_EQ(RuleOf(sharding.status()), "text.limit");
  auto operands = ParseModule("HloModule m\nENTRY e { a = f32[] parameter(0) b = " +
                              nested(100000, "f32[] negate(", "a", ")") + " }");
  EXPECT_EQ(RuleOf(operands.status()), "text.limit");
  auto bodies = ParseModule("HloModule m\nENTRY e " +
                            nested(100000, "{ b = f32[] call(), to_apply=", "x", "}"));
  EXPECT_EQ(RuleOf(bodies.status()), "text.limit");
}

TEST(ParseLimitTest, EveryPrefixOfAModuleEndsInAnError) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[2]{0})->(f32[2]{0})}\n"
      "ENTRY %e (p: f32[2]) -> (f32[2]) {\n"
      "  %p = f32[2]{0:T(8)} parameter(0), sharding={devices=[2]0,1}, metadata={op_name=\"a\\n\"}\n"
      "  %c = f32[2]{0} constant({1, nan(0x7)}), backend_config={\"k\":\"}\"}\n"
      "  ROOT %t = (f32[2]{0}) tuple(f32[2]{0} %c)\n"
      "}";
  ASSERT_TRUE(ParseModule(text).ok()) << ParseModule(text).status();
  for (size_t length = 0; length < text.size(); ++length) {
    auto module = ParseModule(text.substr(0, length));
    ASSERT_FALSE(module.ok()) << length;
    ASSERT_NE(RuleOf(module.status()), "") << length << ": " << module.status();
  }
}

}  // namespace
}  // namespace hlocts
