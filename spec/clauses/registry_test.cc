#include "spec/clauses/registry.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlocts {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kFirstClause[] = R"(clause {
  id: "pad.1"
  document: "semantics"
  anchor: "pad-padding"
  edition: CURRENT
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

// The clause files of this repository.
ClauseRegistry RealRegistry() {
  auto registry = ClauseRegistry::Load(absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/clauses"));
  EXPECT_TRUE(registry.ok()) << registry.status();
  return registry.ok() ? *std::move(registry) : ClauseRegistry();
}

std::string ReadText(const std::string& path) {
  std::ifstream stream(path);
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

// A folder of its own for each test, with `clauses` and `rulings` inside.
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
  // Writes pad.textproto with a good first clause (8 lines) and `second`, and returns the
  // complaint.
  std::string ComplaintAbout(const std::string& second) {
    Write("clauses/pad.textproto", absl::StrCat(kFirstClause, second));
    const auto registry = Load();
    EXPECT_FALSE(registry.ok()) << "accepted:\n" << second;
    return std::string(registry.status().message());
  }

  std::string root_;
};

TEST_F(BrokenRegistry, TheControlIsAccepted) {
  Write("clauses/pad.textproto", kFirstClause);
  Write("rulings/README.md", "not a page");
  const auto registry = Load();
  ASSERT_TRUE(registry.ok()) << registry.status();
  ASSERT_EQ(registry->clauses().size(), 1u);
  const Clause* clause = registry->Find("pad.1");
  ASSERT_NE(clause, nullptr);
  EXPECT_EQ(clause->operation, "pad");
  EXPECT_EQ(clause->number, 1);
  EXPECT_EQ(clause->section, 2);
  EXPECT_EQ(clause->source, "Semantics of operations (this test), Pad (padding)");
  EXPECT_EQ(clause->address, "https://example.org/semantics#pad-padding");
  EXPECT_EQ(clause->state, ClauseState::kTested);
  EXPECT_EQ(clause->edition, ClauseEdition::kCurrent);
  EXPECT_EQ(clause->file_line, 1);
  EXPECT_EQ(registry->Find("pad.2"), nullptr);
  EXPECT_TRUE(registry->rulings().empty());
}

TEST_F(BrokenRegistry, ErrorsNameFileAndLine) {
  EXPECT_THAT(ComplaintAbout("clause {\n  id: \"pad.2\"\n  sauce: 1\n}\n"),
              AllOf(HasSubstr("pad.textproto:11:"), HasSubstr("sauce")));
  EXPECT_THAT(ComplaintAbout(kFirstClause),
              AllOf(HasSubstr("pad.textproto:9:"), HasSubstr("expected \"pad.2\"")));
}

TEST_F(BrokenRegistry, GapsAndForeignIdsAreErrors) {
  for (const char* id : {"pad.3", "pad.02", "pad.x", "slice.2", "pad2", ""}) {
    EXPECT_THAT(ComplaintAbout(absl::StrCat("clause { id: \"", id, "\" }")),
                AllOf(HasSubstr("pad.textproto:9:"), HasSubstr("expected \"pad.2\"")))
        << id;
  }
}

// Each entry breaks one rule of an otherwise good clause.
TEST_F(BrokenRegistry, EachFieldIsChecked) {
  const std::map<std::string, std::string> fields = {{"document", "\"semantics\""},
                                                     {"anchor", "\"interior\""},
                                                     {"edition", "CURRENT"},
                                                     {"text", "\"A fact.\""},
                                                     {"state", "TESTED"}};
  const struct {
    std::string field, value, expected;
  } kBroken[] = {
      {"document", "\"semantic\"", "document: expected the id of a document"},
      {"anchor", "\"pad\"", "document: expected the anchor of a section of semantics"},
      {"anchor", "\"\"", "document: expected the anchor of a section of semantics"},
      {"edition", "EDITION_UNSPECIFIED", "edition: expected"},
      {"edition", "BOTH", "also: expected"},
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
    EXPECT_THAT(ComplaintAbout(text + "}\n"),
                AllOf(HasSubstr("pad.textproto:9: pad.2: "), HasSubstr(broken.expected)));
  }
}

TEST_F(BrokenRegistry, TheOtherDocumentIsLookedUpToo) {
  const auto both = [](const char* also, const char* anchor) {
    return absl::StrCat("clause { id: \"pad.2\" document: \"semantics\" anchor: \"interior\" ",
                        "edition: BOTH text: \"Twice.\" state: TESTED also: \"", also,
                        "\" also_anchor: \"", anchor, "\" }");
  };
  EXPECT_THAT(ComplaintAbout(both("oldest", "pad")),
              HasSubstr("also: expected the id of a document"));
  EXPECT_THAT(ComplaintAbout(both("older", "interior")),
              HasSubstr("also: expected the anchor of a section of older"));
  Write("clauses/pad.textproto", absl::StrCat(kFirstClause, both("older", "pad")));
  EXPECT_TRUE(Load().ok()) << Load().status();
}

TEST_F(BrokenRegistry, RulingPages) {
  const std::string freedom =
      "clause { id: \"pad.2\" document: \"semantics\" anchor: \"interior\" edition: CURRENT "
      "text: \"Free.\" state: FREEDOM ruling: \"0007\" }";
  EXPECT_THAT(ComplaintAbout(freedom), HasSubstr("ruling: expected a page 0007"));
  Write("rulings/0007-free.md", "# Free");
  const auto registry = Load();
  ASSERT_TRUE(registry.ok()) << registry.status();
  ASSERT_NE(registry->FindRuling("0007"), nullptr);
  EXPECT_EQ(registry->FindRuling("0007")->file, "0007-free.md");
  EXPECT_EQ(registry->FindRuling("0008"), nullptr);
  Write("rulings/0007-free-again.md", "# Free");
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("already taken"));
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

TEST(RealRegistry, HasEveryDocumentAndAThousandClauses) {
  const ClauseRegistry registry = RealRegistry();
  EXPECT_GE(registry.clauses().size(), 1000u);
  std::map<std::string, int> cited;
  for (const Clause& clause : registry.clauses()) ++cited[clause.document];
  EXPECT_GE(cited["operation-semantics"], 800);
  EXPECT_GE(cited["operation-semantics-2018"], 60);
  EXPECT_GE(cited["broadcasting"], 35);
  EXPECT_GE(cited["shapes"], 30);
  EXPECT_GE(cited["aliasing"], 12);
  EXPECT_EQ(cited.size(), 5u);
  EXPECT_EQ(registry.documents().all().size(), 5u);
}

TEST(RealRegistry, NothingIsOpenAndNothingIsSaidTwice) {
  const ClauseRegistry registry = RealRegistry();
  std::map<std::string, std::string> texts;
  for (const Clause& clause : registry.clauses()) {
    EXPECT_NE(clause.state, ClauseState::kOpen) << clause.id;
    const auto [before, fresh] = texts.emplace(clause.operation + clause.text, clause.id);
    EXPECT_TRUE(fresh) << clause.id << " repeats " << before->second;
    EXPECT_EQ(registry.Find(clause.id), &clause) << clause.id;
  }
}

TEST(RealRegistry, ClausesOfTheOlderEditionSayWhere) {
  const ClauseRegistry registry = RealRegistry();
  for (const Clause& clause : registry.clauses()) {
    const bool older = clause.document == "operation-semantics-2018";
    EXPECT_EQ(older, clause.edition == ClauseEdition::kY2018) << clause.id;
    EXPECT_TRUE(!older || !clause.words.empty()) << clause.id;
    EXPECT_TRUE(clause.also.empty() || clause.also == "operation-semantics-2018") << clause.id;
  }
}

// Every section of the current text that is about an operation is cited: a heading that no clause
// names is one that was overlooked, or misspelt.
TEST(RealRegistry, EverySectionIsCited) {
  const ClauseRegistry registry = RealRegistry();
  std::set<std::pair<std::string, std::string>> cited;
  for (const Clause& clause : registry.clauses()) {
    cited.insert({clause.document, clause.anchor});
    cited.insert({clause.also, clause.also_anchor});
  }
  for (const Document& document : registry.documents().all()) {
    for (const std::string& section : document.sections) {
      // A section may be cited by its parts only, and a part by its section only.
      const auto below = [&](const std::string& other) {
        return other == section || absl::StartsWith(other, section + " / ") ||
               absl::StartsWith(section, other + " / ");
      };
      EXPECT_TRUE(
          std::any_of(document.sections.begin(), document.sections.end(),
                      [&](const std::string& other) {
                        return below(other) && cited.count({document.id, AnchorOf(other)}) > 0;
                      }))
          << document.id << ": " << section;
    }
  }
}

// A ruling that no clause needs is either superfluous or a clause forgot to cite it; and a page
// that lacks one of its parts decides nothing.
TEST(RealRegistry, EveryRulingIsCompleteCitedAndIndexed) {
  const ClauseRegistry registry = RealRegistry();
  EXPECT_GE(registry.rulings().size(), 60u);
  std::set<std::string> cited;
  for (const Clause& clause : registry.clauses()) cited.insert(clause.ruling);
  const std::string folder = absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/rulings/");
  const std::string index = ReadText(folder + "README.md");
  for (const Ruling& ruling : registry.rulings()) {
    EXPECT_EQ(cited.count(ruling.number), 1u) << ruling.file << " is cited by no clause";
    EXPECT_THAT(index, HasSubstr(absl::StrCat("(", ruling.file, ")")));
    const std::string page = ReadText(folder + ruling.file);
    for (const char* part : {"# ", "## Question", "## What the documents say", "## What XLA does",
                             "XLA: ", "## Decision", "## Cases"}) {
      EXPECT_THAT(page, HasSubstr(part)) << ruling.file;
    }
  }
}

// What a page says before the colon of a quoted clause.
std::string Citation(const Clause& clause, const Documents& documents) {
  const auto section = documents.FindSection(clause.document, clause.anchor);
  const bool both = clause.edition == ClauseEdition::kBoth;
  return absl::StrCat("- `", clause.id, "` (", ShortSourceOf(*section),
                      both ? ", both editions): " : "): ");
}

// Clauses quoted in the pages exist, and stand where the page says.
TEST(RealRegistry, RulingsQuoteExistingClauses) {
  const ClauseRegistry registry = RealRegistry();
  int quoted = 0;
  for (const Ruling& ruling : registry.rulings()) {
    std::string page = ReadText(absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/rulings/", ruling.file));
    absl::StrReplaceAll({{"\n  ", " "}}, &page);  // a citation may run over the line's end
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(page, '\n'))) {
      if (line.rfind("- `", 0) != 0) continue;
      const std::string id = line.substr(3, line.find('`', 3) - 3);
      if (id.find('/') != std::string::npos) continue;  // the address of a case
      const Clause* clause = registry.Find(id);
      ASSERT_NE(clause, nullptr) << ruling.file << ": " << line;
      EXPECT_THAT(line, StartsWith(Citation(*clause, registry.documents()))) << ruling.file;
      ++quoted;
    }
  }
  EXPECT_GE(quoted, 100);
}

}  // namespace
}  // namespace hlocts
