// SPDX-License-Identifier: Apache-2.0
#include "tools/history/report.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "reports/store/scrub.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"

namespace hlocts::tools {
namespace {

using fuzz::Cell;
using Json = nlohmann::ordered_json;

constexpr char kLegend[] =
    "X the failure, o right, ? right but the pattern never came to the compiler,\n"
    "/ something else (unsupported, another failure), - not installed, . not asked\n";

std::vector<Cell> CellsOf(const Subject& subject) {
  std::vector<Cell> cells;
  for (const Answer& answer : subject.answers) cells.push_back(answer.cell);
  return cells;
}

std::string Strip(const Subject& subject) {
  std::string strip;
  for (Cell cell : CellsOf(subject)) strip += fuzz::CellMark(cell);
  return strip;
}

std::string NameOf(const Subject& subject) {
  const std::filesystem::path path = std::filesystem::path(subject.path).lexically_normal();
  return absl::StrCat((path.has_filename() ? path : path.parent_path()).filename().string(),
                      subject.options);
}

Json NameOrNull(const Releases& releases, const std::optional<size_t>& release) {
  return release ? Json(releases.engine(*release).name()) : Json(nullptr);
}

std::string OneText(const Subject& subject, const Releases& releases) {
  std::string text;
  for (size_t r = 0; r < releases.size(); ++r) {
    const engines::Engine& engine = releases.engine(r);
    const Answer& answer = subject.answers[r];
    std::string line = absl::StrFormat("  %c  %-10s  %-16s  %-12s  %s", fuzz::CellMark(answer.cell),
                                       engine.date(), engine.name(), answer.verdict,
                                       absl::string_view(answer.reason).substr(0, 120));
    while (absl::EndsWith(line, " ")) line.pop_back();
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string TableText(const std::vector<Subject>& subjects, const Releases& releases) {
  size_t width = 0;
  for (const Subject& subject : subjects) width = std::max(width, NameOf(subject).size());
  std::string text;
  for (size_t r = 0; r < releases.size(); ++r) {
    absl::StrAppend(&text, std::string(width + 2 + r, ' '), "+-- ", releases.engine(r).name(), " ",
                    releases.engine(r).date(), "\n");
  }
  for (const Subject& subject : subjects) {
    std::string name = NameOf(subject);
    name.resize(width, ' ');
    absl::StrAppend(&text, name, "  ", Strip(subject), "  ", HistorySentence(subject, releases),
                    "\n");
  }
  return text;
}

}  // namespace

std::string HistorySentence(const Subject& subject, const Releases& releases) {
  const fuzz::Turns turns = fuzz::TurnsOf(CellsOf(subject));
  auto name = [&](size_t release) { return releases.engine(release).name(); };
  if (!turns.first_bad) return "the failure was seen in none of them";
  std::string text = absl::StrCat("first bad ", name(*turns.first_bad));
  absl::StrAppend(&text, turns.last_good_before
                             ? absl::StrCat(", good before in ", name(*turns.last_good_before))
                             : ", the oldest that says something");
  absl::StrAppend(&text, "; last bad ", name(*turns.last_bad));
  if (turns.first_good_after)
    absl::StrAppend(&text, ", good again in ", name(*turns.first_good_after));
  if (!turns.monotone) absl::StrAppend(&text, "; it came and went");
  return text;
}

std::string HistoryText(const std::vector<Subject>& subjects, const Releases& releases) {
  if (subjects.size() != 1) return absl::StrCat(TableText(subjects, releases), "\n", kLegend);
  return absl::StrCat(subjects[0].path, subjects[0].options, "\n", OneText(subjects[0], releases),
                      kLegend, HistorySentence(subjects[0], releases), "\n");
}

namespace {

Json ToJson(const Subject& subject, const Releases& releases) {
  const fuzz::Turns turns = fuzz::TurnsOf(CellsOf(subject));
  Json json = {{"module", NameOf(subject)},
               {"strip", Strip(subject)},
               {"first_bad", NameOrNull(releases, turns.first_bad)},
               {"last_good_before", NameOrNull(releases, turns.last_good_before)},
               {"last_bad", NameOrNull(releases, turns.last_bad)},
               {"first_good_after", NameOrNull(releases, turns.first_good_after)},
               {"monotone", turns.monotone},
               {"releases", Json::array()}};
  for (size_t r = 0; r < releases.size(); ++r) {
    const Answer& answer = subject.answers[r];
    json["releases"].push_back({{"name", releases.engine(r).name()},
                                {"date", releases.engine(r).date()},
                                {"mark", std::string(1, fuzz::CellMark(answer.cell))},
                                {"verdict", answer.verdict},
                                {"version", answer.version},
                                {"reason", answer.reason}});
  }
  return json;
}

// As others read it: without the folders of this machine, which engines name when they end.
std::string PublicJson(const Subject& subject, const Releases& releases) {
  Json json = ToJson(subject, releases);
  for (Json& release : json["releases"]) {
    release["reason"] = reports::Scrubbed(release["reason"].get<std::string>());
  }
  return JsonText(json);
}

}  // namespace

std::string HistoryJson(const Subject& subject, const Releases& releases) {
  return JsonText(ToJson(subject, releases));
}

absl::Status KeepInBundle(const Subject& subject, const Releases& releases) {
  HLOCTS_RETURN_IF_ERROR(
      WriteFile(subject.path + "/history.json", PublicJson(subject, releases) + "\n"));
  // A finding has no README.md; tools/certify/fold.py reads history.json.
  if (std::filesystem::exists(subject.path + "/finding.textproto")) return absl::OkStatus();
  const std::string path = subject.path + "/README.md";
  constexpr absl::string_view kBegin = "History: ";
  const std::string line =
      absl::StrCat(kBegin, HistorySentence(subject, releases), " (history.json).");
  auto text = ReadFile(path);
  std::vector<std::string> lines;
  if (text.ok()) lines = absl::StrSplit(*text, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  auto old = std::find_if(lines.begin(), lines.end(),
                          [&](const std::string& one) { return absl::StartsWith(one, kBegin); });
  if (old != lines.end()) {
    *old = line;
  } else {
    lines.insert(lines.end(), {"", line});
  }
  return WriteFile(path, absl::StrJoin(lines, "\n") + "\n");
}

}  // namespace hlocts::tools
