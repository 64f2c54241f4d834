// SPDX-License-Identifier: Apache-2.0
// Formats the values of flags for help, and errors about invalid values.
#pragma once

#include <cstdint>
#include <string>

namespace hlocts::tools {

struct Range;

std::string DurationText(double seconds);  // e.g. "60s", "250ms"; "" for 0
std::string SpelledBytes(int64_t bytes);   // e.g. "8G"; "" for 0
std::string RangeText(const Range& range);

// Returns how errors name an invalid word: the word in quotes, or "nothing" for "".
std::string FoundText(const std::string& word);

// Prints an error in a command line and returns the exit status. `command` is "" for an error
// outside of subcommands.
int Wrong(const std::string& command, const std::string& message);

}  // namespace hlocts::tools
