#include "spec/clauses/registry.h"

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
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlocts {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kFirstClause[] = R"(clause {
  id: "pad.1"
  source: "000_e2447a076b143c68.txt"
  line: 1068
  edition: CURRENT
  text: "Pad takes three arguments."
  state: TESTED
}
)";

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
  EXPECT_EQ(clause->line, 1068);
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
  const std::map<std::string, std::string> fields = {{"source", "\"000_e2447a076b143c68.txt\""},
                                                     {"line", "1"},
                                                     {"edition", "CURRENT"},
                                                     {"text", "\"A fact.\""},
                                                     {"state", "TESTED"}};
  const struct {
    std::string field, value, expected;
  } kBroken[] = {
      {"source", "\"005_0000000000000000.txt\"", "source: expected"},
      {"line", "0", "line: expected"},
      {"edition", "EDITION_UNSPECIFIED", "edition: expected"},
      {"edition", "BOTH", "also: expected"},
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

TEST_F(BrokenRegistry, RulingPages) {
  const std::string freedom =
      "clause { id: \"pad.2\" source: \"000_e2447a076b143c68.txt\" line: 1 edition: CURRENT "
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
  std::map<std::string, int> sources;
  for (const Clause& clause : registry.clauses()) ++sources[clause.source];
  EXPECT_GE(sources["000_e2447a076b143c68.txt"], 800);
  EXPECT_GE(sources["001_1bb66994d678ee94.txt"], 60);
  EXPECT_GE(sources["002_bccf3c95f2f41833.txt"], 35);
  EXPECT_GE(sources["003_af6560d97d5aaffb.txt"], 30);
  EXPECT_GE(sources["004_dc8d14c17c5c2e41.txt"], 12);
  EXPECT_EQ(sources.size(), 5u);
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

TEST(RealRegistry, LinesLieInTheDocuments) {
  const std::map<std::string, int> kLines = {{"000_e2447a076b143c68.txt", 1715},
                                             {"001_1bb66994d678ee94.txt", 31},
                                             {"002_bccf3c95f2f41833.txt", 122},
                                             {"003_af6560d97d5aaffb.txt", 107},
                                             {"004_dc8d14c17c5c2e41.txt", 52}};
  const ClauseRegistry registry = RealRegistry();
  for (const Clause& clause : registry.clauses()) {
    EXPECT_LE(clause.line, kLines.at(clause.source)) << clause.id;
    // Lines of the 2018 document run to thousands of words.
    EXPECT_TRUE(clause.source[2] != '1' || !clause.anchor.empty()) << clause.id;
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

// Clause ids quoted in the pages must exist.
TEST(RealRegistry, RulingsQuoteExistingClauses) {
  const ClauseRegistry registry = RealRegistry();
  int quoted = 0;
  for (const Ruling& ruling : registry.rulings()) {
    const std::string page =
        ReadText(absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/rulings/", ruling.file));
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(page, '\n'))) {
      if (line.rfind("- `", 0) != 0) continue;
      const std::string id = line.substr(3, line.find('`', 3) - 3);
      if (id.find('/') != std::string::npos) continue;  // the address of a case
      EXPECT_NE(registry.Find(id), nullptr) << ruling.file << ": " << line;
      ++quoted;
    }
  }
  EXPECT_GE(quoted, 100);
}

}  // namespace
}  // namespace hlocts
