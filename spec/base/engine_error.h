// SPDX-License-Identifier: Apache-2.0
// The reason why an engine returned no values, as data. The source of an error (an adapter, the
// worker's client) sets its kind; it travels as the payload of a status and in the record of a
// verdict. Its text is for people and is never parsed.
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
  kTakesNoModule,  // a constant is refused as well: the cause is options or the number of devices
  kNotSent,        // the text contains no module that could be sent
  kAssertion,      // the process ended by a failed assertion
  kSignal,         // a signal ended the process
};
absl::string_view ErrorKindName(ErrorKind kind);  // "other", "out-of-memory", ...
std::optional<ErrorKind> ErrorKindFromName(absl::string_view name);

struct EngineError {
  ErrorKind kind = ErrorKind::kOther;
  std::string message;    // text of the engine, or of the harness about the engine's process
  std::string log;        // the last output of the process to standard error; "" for none
  std::string condition;  // kAssertion
  std::string target;     // kNoHandler
  int64_t devices = 0;    // kNeedsDevices: how many
  int64_t signal = 0;     // kAssertion, kSignal: its number

  // For people: "MESSAGE; it last wrote: LOG".
  std::string Text() const;
};

// A status with the text of `error`; ErrorOf recovers the error.
absl::Status EngineStatus(absl::StatusCode code, const EngineError& error);
// The error of a status. For a status without one: its message, and the kind that its code implies.
EngineError ErrorOf(const absl::Status& status);
// The same status, payloads included, with another code.
absl::Status WithCode(absl::StatusCode code, const absl::Status& status);

// Null if the error consists of its text only. `text`: the result of Text(), which is not repeated.
nlohmann::ordered_json ErrorToJson(const EngineError& error);
EngineError ErrorFromJson(const nlohmann::ordered_json& json, const std::string& text);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_ENGINE_ERROR_H_
