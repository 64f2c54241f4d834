// SPDX-License-Identifier: Apache-2.0
#include "reports/store/findings.h"

#include <filesystem>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "reports/verdict.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string FileText(const fs::path& path) {
  auto text = ReadFile(path.string());
  return text.ok() ? *text : "";
}

std::string Word(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_string()
             ? json[key].get<std::string>()
             : "";
}

// Lines of blame.txt, beside the folders: name, verdict, who is guilty, and what the run without
// that pass says; two spaces or more between them.
std::string GuiltyOf(const fs::path& folder) {
  const std::string text = FileText(folder.parent_path() / "blame.txt");
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, folder.filename().string() + " ")) continue;
    std::vector<std::string> columns;
    for (absl::string_view part : absl::StrSplit(line, "  ", absl::SkipEmpty()))
      columns.emplace_back(absl::StripAsciiWhitespace(part));
    if (columns.size() < 2) return "";
    return columns[1] + (columns.size() > 2 ? " (" + columns[2] + ")" : "");
  }
  return "";
}

char RecordedMark(const Json& release) {
  const std::string mark = Word(release, "mark"), verdict = Word(release, "verdict");
  if (mark == "o") return kPassMark;
  const bool is_known = verdict == "unsupported" || verdict == "inconclusive";
  if (!verdict.empty() && (mark == "X" || (mark == "/" && is_known))) return verdict[0];
  return kAbsentMark;
}

}  // namespace

Finding ReadFinding(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  Finding finding;
  const std::string page = FileText(path / "README.md");
  absl::string_view title = absl::string_view(page).substr(0, page.find('\n'));
  absl::ConsumePrefix(&title, "# ");
  finding.title = std::string(title);
  const Json verdict = ParseJson<Json>(FileText(path / "verdict.json"));
  if (verdict.is_object() && verdict.contains("first_failure"))
    finding.clause = Word(verdict["first_failure"], "clause");
  finding.guilty = GuiltyOf(path);
  return finding;
}

std::vector<std::pair<std::string, char>> RecordedMarks(const std::string& folder) {
  std::vector<std::pair<std::string, char>> marks;
  const Json history = ParseJson<Json>(FileText(fs::path(folder) / "history.json"));
  if (!history.is_object() || !history.contains("releases") || !history["releases"].is_array())
    return marks;
  for (const Json& release : history["releases"]) {
    const char mark = RecordedMark(release);
    if (mark != kAbsentMark) marks.emplace_back(Word(release, "name"), mark);
  }
  return marks;
}

}  // namespace hlocts::reports
