// SPDX-License-Identifier: Apache-2.0
// The reason why an engine returned no values, as a structure. The source of an error (an adapter,
// the worker's client) sets its kind. The payload of a status and the record of a verdict carry the
// error. The text of an error is for users and is never parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nlohmann/json_fwd.hpp"
#include "spec/base/status.h"

namespace hlocts {

enum class ErrorKind : uint8_t {
  kOther,
  kOutOfMemory,
  kNoHandler,           // no handler is registered for a custom call
  kNeedsDevices,        // the module needs more devices than the engine has
  kRejectsEveryModule,  // the engine rejects even a constant: wrong options or device count
  kNotEncodable,        // the text contains no module that could be sent
  kAssertion,           // a failed assertion ended the process
  kSignal,              // a signal ended the process
  kReference,           // the reference evaluator, not the engine, returned no values
};
absl::string_view ErrorKindName(ErrorKind kind);  // "other", "out-of-memory", ...
std::optional<ErrorKind> ErrorKindFromName(absl::string_view name);

struct EngineError {
  ErrorKind kind = ErrorKind::kOther;
  std::string message;    // from the engine, or from the harness about the engine's process
  std::string log;        // the last output of the process to standard error; "" for none
  std::string condition;  // kAssertion: the failed condition
  std::string target;     // kNoHandler: the target of the custom call
  int64_t devices = 0;    // kNeedsDevices: the number needed
  int64_t signal = 0;     // kAssertion, kSignal: the signal number

  // Returns "MESSAGE; it last wrote: LOG", for users.
  std::string Text() const;
};

// Returns a status with the text of `error`, from which ErrorOf recovers the error.
absl::Status EngineStatus(absl::StatusCode code, const EngineError& error);
// Returns the error of a status. If the status has none, returns the status message with the kind
// that the status code implies.
EngineError ErrorOf(const absl::Status& status);
// Returns the same status, payloads included, with another code.
absl::Status WithCode(absl::StatusCode code, const absl::Status& status);

// Converts an error to JSON and back. The JSON is null if the error consists of its text only.
// `text` is the result of Text(), which the JSON does not repeat.
nlohmann::ordered_json ErrorToJson(const EngineError& error);
EngineError ErrorFromJson(const nlohmann::ordered_json& json, const std::string& text);

}  // namespace hlocts
