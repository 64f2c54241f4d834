// SPDX-License-Identifier: Apache-2.0
// Reads a text file of this directory; errors name file and line.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"

namespace hlocts {

// Returns the error "FILE:LINE: what".
absl::Status ErrorAt(const std::string& file, int line, absl::string_view what);

// Parses the text of `path` into `parsed`, and the positions of its fields into `locations`.
absl::Status ParseTextFile(const std::string& path, google::protobuf::Message* parsed,
                           google::protobuf::TextFormat::ParseInfoTree* locations);

}  // namespace hlocts
