// SPDX-License-Identifier: Apache-2.0
#include "spec/base/json_text.h"

#include "nlohmann/json.hpp"

namespace hlocts {
namespace {

template <class Json>
std::string TextOf(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace

template <class Json>
Json ParseJson(absl::string_view text) {
  return Json::parse(text.begin(), text.end(), /*cb=*/nullptr, /*allow_exceptions=*/false);
}
template nlohmann::json ParseJson(absl::string_view);
template nlohmann::ordered_json ParseJson(absl::string_view);

std::string JsonText(const nlohmann::json& json, int indent) { return TextOf(json, indent); }
std::string JsonText(const nlohmann::ordered_json& json, int indent) {
  return TextOf(json, indent);
}

std::string AsUtf8(absl::string_view text) {
  return ParseJson<nlohmann::json>(JsonText(nlohmann::json(std::string(text)))).get<std::string>();
}

}  // namespace hlocts
