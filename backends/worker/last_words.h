// SPDX-License-Identifier: Apache-2.0
// The only code that reads the error texts of engines. It finds the line that states what happened,
// and the data in that line. Other code gets a kind, a condition or a target
// (spec/base/engine_error.h).
#pragma once

#include "absl/strings/string_view.h"
#include "spec/base/engine_error.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Returns the line that states what happened, as a view into `error`: a failed check, assertion or
// other error in the message or the log. If there is none, returns the message's first line.
absl::string_view MainErrorLine(const EngineError& error);

// If MainErrorLine is from a failed assert(), sets the condition (at most 80 characters), e.g. "n
// == 2" for "opt: a.cpp:99: int f(): Assertion `n == 2' failed.". Unlike a line number, a condition
// rarely changes between releases.
void ReadAssertion(EngineError& error);

// Returns true if the log says that an allocation failed.
bool SaysOutOfMemory(absl::string_view log);

// Returns the target of a custom call of the module that occurs in the message as a full word; ""
// if there is none.
std::string TargetNamed(absl::string_view message, const Module& module);

}  // namespace hlocts::backends
