// SPDX-License-Identifier: Apache-2.0
// Reading one of this room's text files: errors name file and line.
#ifndef HLOCTS_SPEC_CLAUSES_PARSE_FILE_H_
#define HLOCTS_SPEC_CLAUSES_PARSE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"

namespace hlocts {

// "FILE:LINE: what".
absl::Status ErrorAt(const std::string& file, int line, absl::string_view what);

// Fills `parsed` from the text of `path`, and `locations` with the places its fields stand in.
absl::Status ParseTextFile(const std::string& path, google::protobuf::Message* parsed,
                           google::protobuf::TextFormat::ParseInfoTree* locations);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CLAUSES_PARSE_FILE_H_
