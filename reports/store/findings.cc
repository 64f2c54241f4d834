// SPDX-License-Identifier: Apache-2.0
#include "reports/store/findings.h"

#include <fstream>
#include <map>

#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/base/json_text.h"
#include "spec/base/status.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

using Json = nlohmann::json;

char RecordedMark(const Json& release) {
  const std::string mark = Field(release, "mark");
  std::string verdict = Field(release, "verdict");
  if (IsInconclusive(OutcomeFromName(verdict).value_or(Outcome::kPass)))
    verdict = std::string(OutcomeName(Outcome::kInconclusive));
  if (mark == "o") return kPassMark;
  const bool is_known = verdict == "unsupported" || verdict == "inconclusive";
  if (!verdict.empty() && (mark == "X" || (mark == "/" && is_known))) return verdict[0];
  return kAbsentMark;
}

}  // namespace

std::string Field(const Json& json, const char* key) {
  const bool has = json.is_object() && json.contains(key) && json[key].is_string();
  return has ? json[key].get<std::string>() : "";
}

absl::Status ReadLines(const std::string& path,
                       const std::function<absl::Status(const Json&)>& take) {
  std::ifstream in(path);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    Json json = ParseJson<Json>(line);
    if (!json.is_object() && in.eof()) break;
    if (!json.is_object()) return InvalidInput(path, ": line ", number, ": expected a JSON object");
    HLOCTS_RETURN_IF_ERROR(take(json));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Json>> LastingFindings(const std::string& path) {
  std::vector<Json> lines;
  std::map<std::pair<std::string, std::string>, size_t> unshrunk;  // by engine and first signature
  HLOCTS_RETURN_IF_ERROR(ReadLines(path, [&](const Json& json) {
    const std::pair key(Field(json, "backend"), json.value("met_as", Field(json, "signature")));
    const bool waits = json.contains("to_shrink");
    if (const auto before = unshrunk.find(key); before != unshrunk.end()) {
      Json& other = lines[before->second];
      if (waits || json.value("module", other["to_shrink"]) == other["to_shrink"]) {
        other = nullptr;
        unshrunk.erase(before);
      }
    }
    if (json.value("known", false) || json.value("cut", false) || json.contains("perhaps_known"))
      return absl::OkStatus();
    if (waits) unshrunk[key] = lines.size();
    lines.push_back(json);
    return absl::OkStatus();
  }));
  std::erase(lines, nullptr);
  return lines;
}

Finding ReadFinding(const std::string& folder) {
  auto file = ReadFindingFile(folder);
  if (!file.ok()) return {};
  return {.title = file->title(), .clause = file->clause(), .failing_phase = file->where()};
}

std::vector<std::pair<std::string, char>> RecordedMarks(const std::string& folder) {
  std::vector<std::pair<std::string, char>> marks;
  const Json history = ParseJson<Json>(ReadFile(folder + "/history.json").value_or(""));
  if (!history.is_object() || !history.contains("releases") || !history["releases"].is_array())
    return marks;
  for (const Json& release : history["releases"]) {
    const char mark = RecordedMark(release);
    if (mark != kAbsentMark) marks.emplace_back(Field(release, "name"), mark);
  }
  return marks;
}

}  // namespace hlocts::reports
