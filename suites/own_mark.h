// SPDX-License-Identifier: Apache-2.0
// Marks on files that this user's hlocts wrote. A file that others wrote may say which code is to
// run (an engine's path, a library); only what carries the mark is obeyed.
#ifndef HLOCTS_SUITES_OWN_MARK_H_
#define HLOCTS_SUITES_OWN_MARK_H_

#include <string>

namespace hlocts::suites {

// A hash of the text and of a secret, which lies in the user's cache folder and is made on first
// use; "" where no secret can be kept.
std::string OwnMark(const std::string& text);
bool IsOwn(const std::string& text, const std::string& mark);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_OWN_MARK_H_
