// SPDX-License-Identifier: Apache-2.0
#include "reports/finding_file.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "spec/base/status.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

}  // namespace

absl::StatusOr<findings::Finding> ReadFindingFile(const std::string& folder) {
  const std::string path = folder + "/finding.textproto";
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  findings::Finding finding;
  if (!parser.ParseFromString(text, &finding)) return InvalidInput(path, ":", error.text);
  return finding;
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

}  // namespace hlocts::reports
