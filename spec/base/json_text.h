// SPDX-License-Identifier: Apache-2.0
// Parses and prints JSON. The header of nlohmann/json takes seconds to compile, so only the
// implementation of these functions includes it.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace hlocts {

// Parses into nlohmann::json or nlohmann::ordered_json. If `text` is not JSON, is_discarded() is
// true.
template <class Json>
Json ParseJson(absl::string_view text);

// Prints JSON on one line, or indented if `indent` is not negative. Replaces invalid UTF-8, which
// an engine's message may contain.
std::string JsonText(const nlohmann::json& json, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);

// Returns the text with U+FFFD instead of invalid UTF-8, which string fields of protobuf reject.
std::string AsUtf8(absl::string_view text);

}  // namespace hlocts
