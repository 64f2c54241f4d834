// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/parse_file.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"

namespace hlocts {
namespace {

// Keeps the first error of the text parser, which counts lines from 0.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!message_.empty()) return;
    line_ = line + 1;
    message_ = absl::StrCat("column ", column + 1, ": ", message);
  }
  int line() const { return line_; }
  const std::string& message() const { return message_; }

 private:
  int line_ = 0;
  std::string message_;
};

}  // namespace

absl::Status ErrorAt(const std::string& file, int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", what));
}

absl::Status ParseTextFile(const std::string& path, google::protobuf::Message* parsed,
                           google::protobuf::TextFormat::ParseInfoTree* locations) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  FirstError errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(locations);
  if (parser.ParseFromString(text, parsed)) return absl::OkStatus();
  return ErrorAt(path, errors.line(), errors.message());
}

}  // namespace hlocts
