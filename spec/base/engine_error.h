// SPDX-License-Identifier: Apache-2.0
// Why an engine returned no values, as data. The source of an error (an adapter, the worker's
// client) says its kind; it travels as the payload of a status and in the record of a verdict. Text
// is made of it for people and is never read again.
#ifndef HLOCTS_SPEC_BASE_ENGINE_ERROR_H_
#define HLOCTS_SPEC_BASE_ENGINE_ERROR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "nlohmann/json_fwd.hpp"
#include "spec/base/status.h"

namespace hlocts {

enum class ErrorKind : uint8_t {
  kOther,
  kOutOfMemory,
  kNoHandler,      // of a custom call
  kNeedsDevices,   // more than the engine has
  kTakesNoModule,  // a constant is refused as well: options or number of devices are the cause
  kNotSent,        // the text has no module that could be sent
  kAssertion,      // the process ended itself by a failed assertion
  kSignal,         // a signal ended the process
};
absl::string_view ErrorKindName(ErrorKind kind);  // "other", "out-of-memory", ...
std::optional<ErrorKind> ErrorKindFromName(absl::string_view name);

struct EngineError {
  ErrorKind kind = ErrorKind::kOther;
  std::string message;    // the engine's words, or the harness's about its process
  std::string log;        // end of what its process wrote to standard error; "" for none
  std::string condition;  // kAssertion
  std::string target;     // kNoHandler
  int64_t devices = 0;    // kNeedsDevices: how many
  int64_t signal = 0;     // kAssertion, kSignal: its number

  // For people: "MESSAGE; it last wrote: LOG".
  std::string Text() const;
};

// A status with that text, from which ErrorOf gets the error back.
absl::Status EngineStatus(absl::StatusCode code, const EngineError& error);
// The error of a status; of a status without one, its message and the kind that its code implies.
EngineError ErrorOf(const absl::Status& status);
// The same status, payloads included, under another code.
absl::Status WithCode(absl::StatusCode code, const absl::Status& status);

// null where there is nothing beside the text. `text`: what Text() gave, of which no copy is kept.
nlohmann::ordered_json ErrorToJson(const EngineError& error);
EngineError ErrorFromJson(const nlohmann::ordered_json& json, const std::string& text);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_ENGINE_ERROR_H_
