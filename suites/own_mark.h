// SPDX-License-Identifier: Apache-2.0
// Marks on files that this user's hlocts wrote. A file that others wrote may name code to run (an
// engine's path, a library); only marked files are trusted.
#ifndef HLOCTS_SUITES_OWN_MARK_H_
#define HLOCTS_SUITES_OWN_MARK_H_

#include <string>

namespace hlocts::suites {

// A hash of the text and of a secret, which is in the user's cache directory and is created on
// first use; "" where no secret can be kept.
std::string OwnMark(const std::string& text);
bool IsOwn(const std::string& text, const std::string& mark);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_OWN_MARK_H_
