// SPDX-License-Identifier: Apache-2.0
// The only reader of engines' error texts: finds the line that says what happened, and the data in
// it. Other code gets a kind, a condition or a target (spec/base/engine_error.h).
#ifndef HLOCTS_BACKENDS_WORKER_LAST_WORDS_H_
#define HLOCTS_BACKENDS_WORKER_LAST_WORDS_H_

#include "absl/strings/string_view.h"
#include "spec/base/engine_error.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// The line that says what happened: a failed check or assertion in message or log, where there is
// one, else the first line of the message. A view into `error`.
absl::string_view TellingLine(const EngineError& error);

// Sets the condition, at most 80 characters, if that line is from a failed assert(): "n == 2" of
// "opt: a.cpp:99: int f(): Assertion `n == 2' failed.". Its line number changes from release to
// release, the condition seldom does.
void ReadAssertion(EngineError& error);

// A custom-call target of the module that the message names as a whole word; "" for none.
std::string TargetNamed(absl::string_view message, const Module& module);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_WORKER_LAST_WORDS_H_
