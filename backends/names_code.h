// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_BACKENDS_NAMES_CODE_H_
#define HLOCTS_BACKENDS_NAMES_CODE_H_

#include "absl/strings/string_view.h"

namespace hlocts::backends {

// Whether the name of an engine decides which code runs or which files are accessed: a plugin's
// path, a command, an option with a path. In an untrusted file it needs the user's consent.
bool NamesCode(absl::string_view text);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_NAMES_CODE_H_
