// SPDX-License-Identifier: Apache-2.0
// An engine's message about a failure, without the parts that change from one module to the next.
#ifndef HLOCTS_FUZZ_TRIAGE_TELLING_WORDS_H_
#define HLOCTS_FUZZ_TRIAGE_TELLING_WORDS_H_

#include <string>

#include "spec/base/engine_error.h"

namespace hlocts::fuzz {

// The condition of a failed assertion; else the words of the line that says what happened: a failed
// check, where there is one, else the first line. Numbers, names, shapes and quoted words are left
// out. At most about 80 characters.
std::string TellingWords(const EngineError& error);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_TELLING_WORDS_H_
