// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/registry.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"

namespace hlocts {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kFirstClause[] = R"(clause {
  id: "pad.1"
  document: "semantics"
  anchor: "pad-padding"
  text: "Pad takes three arguments."
  state: TESTED
}
)";

constexpr char kDocuments[] = R"text(document {
  id: "semantics"
  name: "Semantics"
  title: "Semantics of operations"
  edition: "this test"
  address: "https://example.org/semantics"
  licence: "Apache-2.0"
  section: "AfterAll"
  section: "Pad (padding)"
  section: "Pad (padding) / Interior"
}
document {
  id: "older"
  name: "Older"
  title: "Semantics"
  edition: "long ago"
  address: "https://example.org/older"
  licence: "Apache-2.0"
  section: "Pad"
}
)text";

// Gives each test its own folder with `clauses` and `rulings` inside.
class BrokenRegistry : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = absl::StrCat(::testing::TempDir(), "/hlocts_clauses_", info->name());
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
    std::filesystem::create_directories(root_ + "/clauses", ignored);
    std::filesystem::create_directories(root_ + "/rulings", ignored);
    Write("clauses/documents.textproto", kDocuments);
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void Write(const std::string& path, const std::string& text) {
    std::ofstream(absl::StrCat(root_, "/", path)) << text;
  }
  absl::StatusOr<ClauseRegistry> Load() { return ClauseRegistry::Load(root_ + "/clauses"); }
  // Writes pad.textproto with a valid first clause (8 lines) and `second`. Returns the load error.
  std::string ErrorFor(const std::string& second) {
    Write("clauses/pad.textproto", absl::StrCat(kFirstClause, second));
    const auto registry = Load();
    EXPECT_FALSE(registry.ok()) << "accepted:\n" << second;
    return std::string(registry.status().message());
  }

  std::string root_;
};

TEST_F(BrokenRegistry, TheControlIsAccepted) {
  Write("clauses/pad.textproto", kFirstClause);
  Write("rulings/INDEX.md", "not a page");
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto registry, Load());
  ASSERT_EQ(registry.clauses().size(), 1u);
  const Clause* clause = registry.Find("pad.1");
  ASSERT_NE(clause, nullptr);
  EXPECT_EQ(clause->operation, "pad");
  EXPECT_EQ(clause->number, 1);
  EXPECT_EQ(clause->section, 2);
  EXPECT_EQ(clause->source, "Semantics of operations (this test), Pad (padding)");
  EXPECT_EQ(clause->address, "https://example.org/semantics#pad-padding");
  EXPECT_EQ(clause->state, ClauseState::kTested);
  EXPECT_EQ(clause->places.size(), 1u);
  EXPECT_FALSE(clause->change.has_value());
  EXPECT_EQ(clause->file_line, 1);
  EXPECT_EQ(registry.Find("pad.2"), nullptr);
  EXPECT_TRUE(registry.rulings().empty());
}

TEST_F(BrokenRegistry, ErrorsNameFileAndLine) {
  EXPECT_THAT(ErrorFor("clause {\n  id: \"pad.2\"\n  sauce: 1\n}\n"),
              AllOf(HasSubstr("pad.textproto:10:"), HasSubstr("sauce")));
  EXPECT_THAT(ErrorFor(kFirstClause),
              AllOf(HasSubstr("pad.textproto:8:"), HasSubstr("expected \"pad.2\"")));
}

TEST_F(BrokenRegistry, GapsAndForeignIdsAreErrors) {
  for (const char* id : {"pad.3", "pad.02", "pad.x", "slice.2", "pad2", ""}) {
    EXPECT_THAT(ErrorFor(absl::StrCat("clause { id: \"", id, "\" }")),
                AllOf(HasSubstr("pad.textproto:8:"), HasSubstr("expected \"pad.2\"")))
        << id;
  }
}

// Each entry breaks one rule of an otherwise good clause.
TEST_F(BrokenRegistry, EachFieldIsChecked) {
  const std::map<std::string, std::string> fields = {{"document", "\"semantics\""},
                                                     {"anchor", "\"interior\""},
                                                     {"text", "\"A fact.\""},
                                                     {"state", "TESTED"}};
  const struct {
    std::string field, value, expected;
  } kBroken[] = {
      {"document", "\"semantic\"", "document: expected the id of a document"},
      {"anchor", "\"pad\"", "document: expected the anchor of a section of semantics"},
      {"anchor", "\"\"", "document: expected the anchor of a section of semantics"},
      {"also", "\"older\"", "also: expected"},
      {"text", "\"\"", "text: expected"},
      {"state", "FREEDOM", "state FREEDOM: expected"},
      {"state", "UNTESTABLE", "reason: expected"},
      {"ruling", "\"0007\"", "ruling: expected a page 0007"},
      {"reason", "\"why not\"", "reason: expected"},
  };
  for (const auto& broken : kBroken) {
    auto changed = fields;
    changed[broken.field] = broken.value;
    std::string text = "clause {\n  id: \"pad.2\"\n";
    for (const auto& [name, value] : changed) absl::StrAppend(&text, "  ", name, ": ", value, "\n");
    EXPECT_THAT(ErrorFor(text + "}\n"),
                AllOf(HasSubstr("pad.textproto:8: pad.2: "), HasSubstr(broken.expected)));
  }
}

TEST_F(BrokenRegistry, TheOtherDocumentIsLookedUpToo) {
  const auto both = [](const char* also, const char* anchor) {
    return absl::StrCat("clause { id: \"pad.2\" document: \"semantics\" anchor: \"interior\" ",
                        "text: \"Twice.\" state: TESTED also: \"", also, "\" also_anchor: \"",
                        anchor, "\" }");
  };
  EXPECT_THAT(ErrorFor(both("oldest", "pad")), HasSubstr("also: expected the id of a document"));
  EXPECT_THAT(ErrorFor(both("older", "interior")),
              HasSubstr("also: expected the anchor of a section of older"));
  Write("clauses/pad.textproto", absl::StrCat(kFirstClause, both("older", "pad")));
  EXPECT_TRUE(Load().ok()) << Load().status();
}

// Tests tables of a later edition of `semantics`: invalid ones, then a table that rewords pad.1.
TEST_F(BrokenRegistry, TablesOfEditions) {
  Write("clauses/documents.textproto",
        absl::StrCat(
            kDocuments,
            "document { id: \"newer\" name: \"Newer\" title: \"Semantics\" edition: \"now\" "
            "address: \"https://example.org/newer\" licence: \"L\" key: \"new\" "
            "follows: \"semantics\" table: \"new.txt\" section: \"Pad\" section: \"Free\" }"));
  Write("clauses/pad.textproto",
        absl::StrCat(kFirstClause,
                     "clause { id: \"pad.2\" document: \"newer\" anchor: \"semantics\" text: \"A\" "
                     "state: TESTED }\n"
                     "clause { id: \"pad.3\" document: \"newer\" anchor: \"free\" text: \"B\" "
                     "state: TESTED }\n"));
  const auto complaint = [&](const std::string& table) {
    Write("clauses/new.txt", table);
    return std::string(Load().status().message());
  };
  EXPECT_THAT(complaint("semantics\npad kept pad.1\n"), HasSubstr("expected section free"));
  EXPECT_THAT(complaint("semantics\nfree\npad kept pad.1\n"), HasSubstr("expected section pad"));
  EXPECT_THAT(complaint("semantics\npad\nfree\n"), HasSubstr("expected a section with pad.1"));
  EXPECT_THAT(complaint("semantics\npad gone pad.1\nfree\n"),
              HasSubstr("section pad: expected a clause"));
  EXPECT_THAT(complaint("semantics\npad kept pad.1,1\nfree\n"), HasSubstr("new.txt:2: pad.1"));
  EXPECT_THAT(complaint("semantics\npad kept pad.2\nfree\n"), HasSubstr("an earlier edition"));
  EXPECT_THAT(complaint("semantics\npad kept pad.7\nfree\n"), HasSubstr("no clause pad.7"));
  EXPECT_THAT(complaint("semantics\npad moved pad.1\nfree\n"), HasSubstr("kept, reworded or gone"));
  Write("clauses/new.txt", "# a table\nsemantics\npad reworded pad.1-1\nfree\n");
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto registry, Load());
  const Clause& kept = *registry.Find("pad.1");
  EXPECT_EQ(kept.change, ClauseChange::kReworded);
  EXPECT_EQ(kept.source, "Semantics (now), Pad");
  EXPECT_EQ(kept.places.size(), 2u);
  EXPECT_EQ(registry.Find("pad.2")->change, ClauseChange::kNew);
}

TEST_F(BrokenRegistry, RulingPages) {
  const std::string freedom =
      "clause { id: \"pad.2\" document: \"semantics\" anchor: \"interior\" "
      "text: \"Free.\" state: FREEDOM ruling: \"0007\" }";
  EXPECT_THAT(ErrorFor(freedom), HasSubstr("ruling: expected a page 0007"));
  Write("rulings/0007-free.md", "# Free");
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto registry, Load());
  ASSERT_NE(registry.FindRuling("0007"), nullptr);
  EXPECT_EQ(registry.FindRuling("0007")->file, "0007-free.md");
  EXPECT_EQ(registry.FindRuling("0008"), nullptr);
  Write("rulings/0007-free-again.md", "# Free");
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("already used"));
}

TEST_F(BrokenRegistry, FolderAndFileNames) {
  EXPECT_EQ(ClauseRegistry::Load(root_ + "/nowhere", root_ + "/rulings").status().code(),
            absl::StatusCode::kNotFound);
  Write("rulings/free.md", "# Free");
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("NNNN-title.md"));
  std::filesystem::remove(root_ + "/rulings/free.md");
  Write("clauses/Pad.textproto", "");
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("Pad.textproto:1:"));
}

}  // namespace
}  // namespace hlocts
