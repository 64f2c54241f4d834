// SPDX-License-Identifier: Apache-2.0
// Reads hlocts.toml, which has defaults of options. The file is in the working directory, or at the
// path $HLOCTS_CONFIG.
#pragma once

#include <string>
#include <vector>

#include "spec/base/status.h"
#include "tools/cli/program_table.h"

namespace hlocts::tools {

// Appends options of the file to the words unless the words have them; words[0] is the subcommand.
// A key that is not an option of any subcommand is an error, so that nothing is silently ignored. A
// file in the working directory may be untrusted: a value in it that runs code or names a file to
// write is an error.
absl::StatusOr<std::vector<std::string>> WithConfigFile(const ProgramTable& table,
                                                        std::vector<std::string> words);

}  // namespace hlocts::tools
