// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_BACKENDS_NAMES_CODE_H_
#define HLOCTS_BACKENDS_NAMES_CODE_H_

#include "absl/strings/string_view.h"

namespace hlocts::backends {

// The name of an engine says which code runs or which files are touched: a plugin's path, a
// command, an option with a path. In a file that others wrote it needs the user's word.
bool NamesCode(absl::string_view text);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_NAMES_CODE_H_
