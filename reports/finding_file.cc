// SPDX-License-Identifier: Apache-2.0
#include "reports/finding_file.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/base/status.h"
#include "spec/clauses/parse_file.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"

namespace hlocts::reports {

absl::StatusOr<findings::Finding> ReadFindingFile(const std::string& folder) {
  findings::Finding finding;
  HLOCTS_RETURN_IF_ERROR(ParseTextFile(folder + "/finding.textproto", &finding, nullptr));
  return finding;
}

std::string InstalledFinding(const std::string& path) {
  std::error_code none;
  if (!absl::StartsWith(path, "results/findings/") || std::filesystem::exists(path, none))
    return path;
  std::string own = absl::StrCat(HomeFolder(), "/", path);
  return std::filesystem::exists(own, none) ? own : path;
}

bool HasRecordedVerdict(const std::string& folder) {
  return std::filesystem::exists(folder + "/verdict.json") ||
         std::filesystem::exists(folder + "/finding.textproto");
}

absl::StatusOr<std::string> RecordedVerdict(const std::string& folder) {
  if (std::filesystem::exists(folder + "/verdict.json")) {
    HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(folder + "/verdict.json"));
    return text.substr(0, text.find('\n'));
  }
  HLOCTS_ASSIGN_OR_RETURN(findings::Finding finding, ReadFindingFile(folder));
  if (finding.verdict().empty())
    return InvalidInput(folder, "/finding.textproto: no verdict; tools/certify/fold.py writes it");
  return finding.verdict();
}

absl::StatusOr<LiteralsFile> ReadRecordedLiterals(const std::string& path,
                                                  const std::optional<ExpectedLeaves>& expected) {
  const std::filesystem::path file(path), folder = file.parent_path();
  const bool inputs = file.filename() == "inputs.txt";
  std::error_code none;
  if (!(inputs || file.filename() == "actual.txt") || std::filesystem::exists(file, none) ||
      !std::filesystem::exists(folder / "finding.textproto", none))
    return ReadLiterals(path, expected);
  HLOCTS_ASSIGN_OR_RETURN(findings::Finding finding, ReadFindingFile(folder));
  auto literals = ParseLiterals(inputs ? finding.inputs() : finding.actual(), expected);
  return literals.ok() ? literals : Annotate(literals.status(), path);
}

}  // namespace hlocts::reports
