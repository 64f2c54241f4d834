// SPDX-License-Identifier: Apache-2.0
// Values of flags as help prints them, and messages about wrong ones.
#ifndef HLOCTS_TOOLS_CLI_FLAG_VALUES_H_
#define HLOCTS_TOOLS_CLI_FLAG_VALUES_H_

#include <cstdint>
#include <string>

namespace hlocts::tools {

struct Range;

std::string Spelled(double seconds);      // "60s", "250ms"; "" for 0
std::string SpelledBytes(int64_t bytes);  // "8G"; "" for 0
std::string RangeText(const Range& range);

// The word that was found instead of the expected one, quoted; "nothing" for an empty one.
std::string FoundText(const std::string& word);

// Prints the error of a command line ("" for that of the program itself) and returns the exit
// status.
int Wrong(const std::string& command, const std::string& message);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_FLAG_VALUES_H_
