// SPDX-License-Identifier: Apache-2.0
// Reading and writing of JSON, compiled once: in every file that does it this costs seconds.
#ifndef HLOCTS_SPEC_BASE_JSON_TEXT_H_
#define HLOCTS_SPEC_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace hlocts {

// As a nlohmann::json or nlohmann::ordered_json, which is_discarded() where the text is no JSON.
template <class Json>
Json ParseJson(absl::string_view text);

// One line, or lines that are indented. Invalid UTF-8, as an engine's message may be, is replaced.
std::string JsonText(const nlohmann::json& json, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_JSON_TEXT_H_
