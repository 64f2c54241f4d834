// SPDX-License-Identifier: Apache-2.0
#include "spec/base/engine_error.h"

#include <iterator>

#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"

namespace hlocts {
namespace {

using Json = nlohmann::ordered_json;

constexpr absl::string_view kNames[] = {"other",         "out-of-memory",   "no-handler",
                                        "needs-devices", "takes-no-module", "not-sent",
                                        "assertion",     "signal",          "reference"};
constexpr absl::string_view kPayload = "hlocts/engine-error";

}  // namespace

absl::string_view ErrorKindName(ErrorKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<ErrorKind> ErrorKindFromName(absl::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<ErrorKind>(i);
  }
  return std::nullopt;
}

std::string EngineError::Text() const {
  return absl::StrCat(message, log.empty() ? "" : "; it last wrote: ", log);
}

Json ErrorToJson(const EngineError& error) {
  Json json;
  if (error.kind != ErrorKind::kOther) json["kind"] = std::string(ErrorKindName(error.kind));
  if (!error.log.empty()) json["message"] = error.message;
  if (!error.log.empty()) json["log"] = error.log;
  if (!error.condition.empty()) json["condition"] = error.condition;
  if (!error.target.empty()) json["target"] = error.target;
  if (error.devices != 0) json["devices"] = error.devices;
  if (error.signal != 0) json["signal"] = error.signal;
  return json;
}

EngineError ErrorFromJson(const Json& json, const std::string& text) {
  EngineError error{
      .kind = ErrorKindFromName(json.value("kind", "other")).value_or(ErrorKind::kOther),
      .message = json.value("message", text),
      .log = json.value("log", ""),
      .condition = json.value("condition", ""),
      .target = json.value("target", ""),
      .devices = json.value("devices", int64_t{0}),
      .signal = json.value("signal", int64_t{0})};
  return error;
}

absl::Status EngineStatus(absl::StatusCode code, const EngineError& error) {
  absl::Status status(code, error.Text());
  const Json json = ErrorToJson(error);
  if (!json.is_null()) status.SetPayload(kPayload, absl::Cord(JsonText(json)));
  return status;
}

EngineError ErrorOf(const absl::Status& status) {
  EngineError error;
  const std::string text(status.message());
  const auto payload = status.GetPayload(kPayload);
  const Json json = payload ? ParseJson<Json>(std::string(*payload)) : Json();
  if (json.is_object()) {
    error = ErrorFromJson(json, text);
  } else {
    error.message = text;
  }
  if (error.kind == ErrorKind::kOther && absl::IsResourceExhausted(status))
    error.kind = ErrorKind::kOutOfMemory;
  return error;
}

absl::Status WithCode(absl::StatusCode code, const absl::Status& status) {
  absl::Status result(code, status.message());
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { result.SetPayload(url, payload); });
  return result;
}

}  // namespace hlocts
