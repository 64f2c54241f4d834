// SPDX-License-Identifier: Apache-2.0
// Only this code reads engines' error texts. It finds the line that states what happened, and the
// line's data. Other code gets a kind, a condition or a target (spec/base/engine_error.h).
#pragma once

#include "absl/strings/string_view.h"
#include "spec/base/engine_error.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Returns the line that states what happened, as a view into `error`: a failed check or assertion
// in message or log if there is one, otherwise the first line of the message.
absl::string_view MainErrorLine(const EngineError& error);

// Sets the condition, at most 80 characters, if MainErrorLine is from a failed assert(): "n == 2"
// of "opt: a.cpp:99: int f(): Assertion `n == 2' failed.". Line numbers change between releases,
// conditions seldom do.
void ReadAssertion(EngineError& error);

// Returns the custom-call target of the module that the message contains as a full word; "" if
// there is none.
std::string TargetNamed(absl::string_view message, const Module& module);

}  // namespace hlocts::backends
