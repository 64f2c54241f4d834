// SPDX-License-Identifier: Apache-2.0
// Reading and writing JSON, compiled once: it costs seconds in each file that includes it.
#ifndef HLOCTS_SPEC_BASE_JSON_TEXT_H_
#define HLOCTS_SPEC_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace hlocts {

// Parses into a nlohmann::json or nlohmann::ordered_json; is_discarded() if the text is not JSON.
template <class Json>
Json ParseJson(absl::string_view text);

// On one line, or indented. Invalid UTF-8 (as in an engine's message) is replaced.
std::string JsonText(const nlohmann::json& json, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);

// The text with U+FFFD instead of invalid UTF-8: string fields of protobuf messages accept nothing
// else.
std::string AsUtf8(absl::string_view text);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_JSON_TEXT_H_
