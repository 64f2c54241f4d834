// SPDX-License-Identifier: Apache-2.0
// Reads hlocts.toml, which has defaults of options. The file is in the working directory, or at the
// path $HLOCTS_CONFIG.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "tools/cli/program_table.h"

namespace hlocts::tools {

// A key of the file, outside sections or in that of a subcommand.
struct ConfigEntry {
  std::string section, key;
  std::vector<std::string> values;
};

// Parses `text`: lines `key = value`, where a value is "text", a number, true, false or a list of
// these, and lines [section]. Returns kInvalidArgument, with file and line, if one is invalid.
absl::StatusOr<std::vector<ConfigEntry>> ParseConfig(const std::string& text,
                                                     const std::string& path);

// Appends options of the file to the words unless the words have them; words[0] is the subcommand.
// A key that is not an option of any subcommand is an error, so that nothing is silently ignored. A
// file in the working directory (`of_folder`) may be untrusted: a value in it that runs code or
// names a file to write is an error.
absl::StatusOr<std::vector<std::string>> WithConfigFile(const ProgramTable& table,
                                                        std::vector<std::string> words);
absl::StatusOr<std::vector<std::string>> WithConfig(const ProgramTable& table,
                                                    const std::vector<ConfigEntry>& entries,
                                                    const std::string& path, bool of_folder,
                                                    std::vector<std::string> words);

}  // namespace hlocts::tools
