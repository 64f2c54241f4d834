// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/documents.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"

namespace hlocts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Documents RealDocuments() {
  auto documents =
      Documents::Load(absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/clauses/documents.textproto"));
  EXPECT_TRUE(documents.ok()) << documents.status();
  return documents.ok() ? *std::move(documents) : Documents();
}

TEST(AnchorOf, IsWhatGitHubMakesOfAHeading) {
  EXPECT_EQ(AnchorOf("DotGeneral"), "dotgeneral");
  EXPECT_EQ(AnchorOf("Conv (convolution)"), "conv-convolution");
  EXPECT_EQ(AnchorOf("Gather / General Semantics"), "general-semantics");
  EXPECT_EQ(AnchorOf("Frontend interop / TF/XLA"), "tfxla");
  EXPECT_EQ(AnchorOf("Terminology, notation, and conventions"),
            "terminology-notation-and-conventions");
  EXPECT_EQ(AnchorOf("Element-wise unary functions"), "element-wise-unary-functions");
}

TEST(Documents, SectionsAreCitedByDocumentAndHeading) {
  const Documents documents = RealDocuments();
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      const auto section, documents.FindSection("operation-semantics-2018", "general-semantics"));
  EXPECT_EQ(SourceOf(section),
            "Operation Semantics (TensorFlow, October 2018), Gather, General Semantics");
  EXPECT_EQ(ShortSourceOf(section), "Operation semantics 2018, Gather, General Semantics");
  EXPECT_EQ(AddressOf(section),
            "https://github.com/tensorflow/tensorflow/blob/"
            "5e3c2255b7f90146a895cd20267de699fbb15c27/tensorflow/docs_src/performance/xla/"
            "operation_semantics.md#general-semantics");
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto whole,
                              documents.FindSection("aliasing", "aliasing-in-xla"));
  EXPECT_EQ(whole.number, 0);
  EXPECT_EQ(SourceOf(whole), "Aliasing in XLA (TensorFlow)");
}

TEST(Documents, MisspeltIdsAndAnchorsAreErrors) {
  const Documents documents = RealDocuments();
  EXPECT_THAT(std::string(documents.FindSection("aliases", "layout").status().message()),
              HasSubstr("found \"aliases\""));
  EXPECT_THAT(std::string(documents.FindSection("shapes", "layouts").status().message()),
              HasSubstr("found \"layouts\""));
  EXPECT_FALSE(documents.FindSection("shapes", "").ok());
}

// Addresses must name a commit, not a branch, so that they stay valid.
TEST(Documents, AddressesNameACommit) {
  const Documents documents = RealDocuments();
  EXPECT_EQ(documents.all().size(), 6u);
  for (const Document& document : documents.all()) {
    const std::size_t at = document.address.find("/blob/");
    ASSERT_NE(at, std::string::npos) << document.address;
    const std::string commit = document.address.substr(at + 6, 41);
    EXPECT_EQ(commit.find_first_not_of("0123456789abcdef"), 40u) << document.address;
    EXPECT_FALSE(document.note.empty()) << document.id;
  }
}

// Returns the error for a list with this one document.
std::string ErrorFor(const std::string& fields) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/hlocts_documents.textproto");
  std::ofstream(path) << "document {\n" << fields << "\n}\n";
  const auto documents = Documents::Load(path);
  fs::remove(path);
  return documents.ok() ? "" : std::string(documents.status().message());
}

// Each entry breaks one field of an otherwise good document.
TEST(Documents, EachFieldIsChecked) {
  const std::map<std::string, std::string> fields = {{"id", "a"},      {"name", "A"},
                                                     {"title", "T"},   {"edition", "E"},
                                                     {"licence", "L"}, {"address", "https://a.b"}};
  const auto with = [&](const std::string& field, const std::string& value) {
    std::string text;
    for (const auto& [name, good] : fields) {
      absl::StrAppend(&text, name, ": \"", name == field ? value : good, "\" ");
    }
    return text;
  };
  EXPECT_EQ(ErrorFor(with("", "") + "section: \"X\" section: \"X / Y\""), "");
  for (const auto& [field, good] : fields) {
    EXPECT_THAT(ErrorFor(with(field, "")),
                HasSubstr(absl::StrCat("textproto:1: ", field == "id" ? "" : "a", ": ", field,
                                       ": expected")));
  }
  EXPECT_THAT(ErrorFor(with("address", "a.b")), HasSubstr("address: expected https://"));
  EXPECT_THAT(ErrorFor("heading: \"X\""), HasSubstr("textproto:2: column"));
}

TEST(Documents, SectionsAndNamesAreDistinct) {
  const std::string a =
      "id: \"a\" name: \"A\" title: \"T\" edition: \"E\" licence: \"L\" "
      "address: \"https://a.b\" ";
  EXPECT_THAT(ErrorFor(a + "section: \"X\" section: \"x\""), HasSubstr("found \"x\""));
  EXPECT_THAT(ErrorFor(a + "section: \"t\""), HasSubstr("found \"t\""));
  EXPECT_THAT(ErrorFor(a + "section: \"X / Y\""), HasSubstr("expected \"X\" before"));
  EXPECT_THAT(ErrorFor(a + "}\ndocument {\n" + a), HasSubstr(":3: a: name: expected"));
}

// Returns true if the text contains three digits, an underscore and sixteen hexadecimal digits.
// Such file names mean nothing outside this repository.
bool HasFileNameMadeOfAHash(const std::string& text) {
  const auto run = [&](std::size_t at, int (*is)(int)) {
    std::size_t end = at;
    while (end < text.size() && is(static_cast<unsigned char>(text[end])) != 0) ++end;
    return end - at;
  };
  for (std::size_t at = text.find('_'); at != std::string::npos; at = text.find('_', at + 1)) {
    if (at >= 3 && run(at - 3, std::isdigit) == 3 && run(at + 1, std::isxdigit) >= 16) return true;
  }
  return false;
}

TEST(Documents, NothingInTheTreeCitesThemByAHash) {
  EXPECT_TRUE(HasFileNameMadeOfAHash(absl::StrCat("see 007_01234567", "89abcdef.txt")));
  EXPECT_FALSE(HasFileNameMadeOfAHash(absl::StrCat("see 0", "7_0123456789abcdef")));
  EXPECT_FALSE(HasFileNameMadeOfAHash(absl::StrCat("see 00", "7_0123456789abcde")));
  int files = 0;
  fs::recursive_directory_iterator entry(HLOCTS_SOURCE_DIR);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name == ".git" || absl::StartsWith(name, "build"))) {
      entry.disable_recursion_pending();
    }
    if (!entry->is_regular_file()) continue;
    std::ifstream stream(entry->path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    EXPECT_FALSE(HasFileNameMadeOfAHash(text)) << entry->path();
    ++files;
  }
  EXPECT_GT(files, 1000);
}

}  // namespace
}  // namespace hlocts
