// SPDX-License-Identifier: Apache-2.0
// Reads hlocts.toml, which contains defaults of options. The file is in the working directory, or
// at the path $HLOCTS_CONFIG.
#pragma once

#include <string>
#include <vector>

#include "spec/base/status.h"
#include "tools/cli/program_table.h"

namespace hlocts::tools {

// Appends to `words`, the command line, each option of the file that `words` lacks; words[0] is the
// subcommand. A key that is not an option of any subcommand is an error, so nothing is silently
// ignored. Other users may have written a file in the working directory: a value in it that runs
// code or names a file to be written is an error. Sets `path` to the path of the file.
absl::StatusOr<std::vector<std::string>> WithConfigFile(const ProgramTable& table,
                                                        std::vector<std::string> words,
                                                        std::string& path);

}  // namespace hlocts::tools
