// SPDX-License-Identifier: Apache-2.0
// Formats the values of flags for the help, and messages about wrong values.
#pragma once

#include <cstdint>
#include <string>

namespace hlocts::tools {

struct Range;

std::string DurationText(double seconds);  // "60s", "250ms"; "" for 0
std::string SpelledBytes(int64_t bytes);   // "8G"; "" for 0
std::string RangeText(const Range& range);

// The text for a wrong word in a message: the word in quotes, or "nothing" for an empty word.
std::string FoundText(const std::string& word);

// Prints an error in a command line and returns the exit status. `command` is "" if the error is in
// no subcommand.
int Wrong(const std::string& command, const std::string& message);

}  // namespace hlocts::tools
