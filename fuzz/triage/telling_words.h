// SPDX-License-Identifier: Apache-2.0
// What an engine said of a failure, without what changes from one module to the next.
#ifndef HLOCTS_FUZZ_TRIAGE_TELLING_WORDS_H_
#define HLOCTS_FUZZ_TRIAGE_TELLING_WORDS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::fuzz {

// The words of `message`'s line that says what happened: a failed check or assertion, where there
// is one, else the first line. Numbers, names, shapes and quoted words are left out; of an
// assertion its condition stays as it is. At most about 80 characters.
std::string TellingWords(absl::string_view message);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_TELLING_WORDS_H_
