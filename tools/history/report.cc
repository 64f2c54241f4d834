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
    "X the failure, o correct, ? correct but the pattern did not reach the compiler,\n/ other "
    "(unsupported, another failure), - not installed, . not run\n";

using Rows = std::vector<Row>;

Rows RowsOf(const Subject& subject, const Releases& releases) {
  Rows rows;
  for (size_t r = 0; r < releases.size(); ++r) {
    const engines::Engine& engine = releases.engine(r);
    rows.push_back({engine.name(), engine.date(), subject.answers[r]});
  }
  return rows;
}

// Merges the rows, oldest first. A release keeps its old answer unless it has a new one.
Rows WithKept(Rows rows, const Rows& kept) {
  for (const Row& old : kept) {
    auto same = std::find_if(rows.begin(), rows.end(),
                             [&](const Row& row) { return row.name == old.name; });
    if (same == rows.end()) {
      rows.push_back(old);
    } else if (!fuzz::IsAnswer(same->answer.cell)) {
      same->answer = old.answer;
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.date < b.date; });
  return rows;
}

fuzz::RegressionPoints RegressionPointsOf(const Rows& rows) {
  std::vector<Cell> cells;
  for (const Row& row : rows) cells.push_back(row.answer.cell);
  return fuzz::RegressionPointsOf(cells);
}

std::string Strip(const Rows& rows) {
  std::string strip;
  for (const Row& row : rows) strip += fuzz::CellMark(row.answer.cell);
  return strip;
}

std::string NameOf(const Subject& subject) {
  const std::filesystem::path path = std::filesystem::path(subject.path).lexically_normal();
  return absl::StrCat((path.has_filename() ? path : path.parent_path()).filename().string(),
                      subject.options);
}

Json NameOrNull(const Rows& rows, const std::optional<size_t>& release) {
  return release ? Json(rows[*release].name) : Json(nullptr);
}

std::string OneText(const Rows& rows) {
  std::string text;
  std::vector<std::string> missing;
  for (const auto& [name, date, answer] : rows) {
    if (answer.cell == Cell::kMissing && answer.verdict.empty()) {
      missing.push_back(name);
      continue;
    }
    std::string line =
        absl::StrFormat("  %c  %-10s  %-16s  %-12s  %s", fuzz::CellMark(answer.cell), date, name,
                        answer.verdict, absl::string_view(answer.reason).substr(0, 120));
    while (absl::EndsWith(line, " ")) line.pop_back();
    absl::StrAppend(&text, line, "\n");
  }
  if (missing.empty()) return text;
  return absl::StrCat(text, "  -  ", missing.size(),
                      " not installed or not usable here: ", absl::StrJoin(missing, ", "),
                      "\n     --install installs those that a bisection needs\n");
}

std::string Sentence(const Rows& rows) {
  const fuzz::RegressionPoints turns = RegressionPointsOf(rows);
  auto name = [&](size_t release) { return rows[release].name; };
  if (!turns.first_bad) return "the failure was seen in none of them";
  std::string text = absl::StrCat("first bad ", name(*turns.first_bad));
  absl::StrAppend(&text, turns.last_good_before
                             ? absl::StrCat(", good before in ", name(*turns.last_good_before))
                             : ", the oldest release with an answer");
  absl::StrAppend(&text, "; last bad ", name(*turns.last_bad));
  if (turns.first_good_after)
    absl::StrAppend(&text, ", good again in ", name(*turns.first_good_after));
  if (!turns.monotone) absl::StrAppend(&text, "; the failure is not monotone");
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
    const Rows rows = RowsOf(subject, releases);
    absl::StrAppend(&text, name, "  ", Strip(rows), "  ", Sentence(rows), "\n");
  }
  return text;
}

}  // namespace

std::string HistoryText(const std::vector<Subject>& subjects, const Releases& releases) {
  if (subjects.size() != 1) return absl::StrCat(TableText(subjects, releases), "\n", kLegend);
  const Rows rows = RowsOf(subjects[0], releases);
  return absl::StrCat(subjects[0].path, subjects[0].options, "\n", OneText(rows), kLegend,
                      Sentence(rows), "\n");
}

namespace {

Json ToJson(const Subject& subject, const Rows& rows) {
  const fuzz::RegressionPoints turns = RegressionPointsOf(rows);
  Json json = {{"module", NameOf(subject)},
               {"strip", Strip(rows)},
               {"first_bad", NameOrNull(rows, turns.first_bad)},
               {"last_good_before", NameOrNull(rows, turns.last_good_before)},
               {"last_bad", NameOrNull(rows, turns.last_bad)},
               {"first_good_after", NameOrNull(rows, turns.first_good_after)},
               {"monotone", turns.monotone},
               {"releases", Json::array()}};
  for (const auto& [name, date, answer] : rows) {
    json["releases"].push_back({{"name", name},
                                {"date", date},
                                {"mark", std::string(1, fuzz::CellMark(answer.cell))},
                                {"verdict", answer.verdict},
                                {"version", answer.version},
                                {"reason", answer.reason}});
  }
  return json;
}

// The JSON without directories of this machine, which engines name when they crash.
std::string PublicJson(const Subject& subject, const Rows& rows) {
  Json json = ToJson(subject, rows);
  for (Json& release : json["releases"]) {
    release["reason"] = reports::Scrubbed(release["reason"].get<std::string>());
  }
  return JsonText(json);
}

}  // namespace

std::string HistoryJson(const Subject& subject, const Releases& releases) {
  return JsonText(ToJson(subject, RowsOf(subject, releases)));
}

absl::StatusOr<std::vector<Row>> ReadKept(const std::string& folder) {
  const std::string path = folder + "/history.json";
  Rows rows;
  auto text = ReadFile(path);
  if (absl::IsNotFound(text.status())) return rows;
  HLOCTS_RETURN_IF_ERROR(text.status());
  const Json json = ParseJson<Json>(*text);
  if (!json.is_object() || !json.contains("releases") || !json["releases"].is_array())
    return InvalidInput(path, ": expected a history; remove the file to start again");
  for (const Json& release : json["releases"]) {
    auto word = [&](const char* key) {
      const auto found = release.find(key);
      return found != release.end() && found->is_string() ? found->get<std::string>() : "";
    };
    if (!release.is_object() || word("name").empty())
      return InvalidInput(path, ": expected a release with a name");
    rows.push_back(
        {word("name"),
         word("date"),
         {fuzz::CellOfMark(word("mark")), word("verdict"), word("reason"), word("version"), true}});
  }
  return rows;
}

absl::Status KeepInBundle(const Subject& subject, const Releases& releases) {
  const Rows rows = WithKept(RowsOf(subject, releases), subject.kept);
  HLOCTS_RETURN_IF_ERROR(
      WriteFile(subject.path + "/history.json", PublicJson(subject, rows) + "\n"));
  // A finding has no README.md; its page is generated from history.json by tools/certify/fold.py.
  if (std::filesystem::exists(subject.path + "/finding.textproto")) return absl::OkStatus();
  const std::string path = subject.path + "/README.md";
  constexpr absl::string_view kBegin = "History: ";
  const std::string line = absl::StrCat(kBegin, Sentence(rows), " (history.json).");
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
