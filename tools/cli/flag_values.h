// SPDX-License-Identifier: Apache-2.0
// Values of flags as help prints them, and what is said of a wrong one.
#ifndef HLOCTS_TOOLS_CLI_FLAG_VALUES_H_
#define HLOCTS_TOOLS_CLI_FLAG_VALUES_H_

#include <cstdint>
#include <string>

namespace hlocts::tools {

struct Range;

std::string Spelled(double seconds);      // "60s", "250ms"; "" of nothing
std::string SpelledBytes(int64_t bytes);  // "8G"; "" of nothing
std::string RangeText(const Range& range);

// What was found where a word is expected, quoted; "nothing" of none.
std::string FoundText(const std::string& word);

// Says what is wrong with a command line ("" for that of the program itself); its exit status.
int Wrong(const std::string& command, const std::string& message);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_FLAG_VALUES_H_
