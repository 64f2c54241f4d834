// SPDX-License-Identifier: Apache-2.0
// Values of flags as help prints them.
#ifndef HLOCTS_TOOLS_CLI_FLAG_VALUES_H_
#define HLOCTS_TOOLS_CLI_FLAG_VALUES_H_

#include <cstdint>
#include <string>

namespace hlocts::tools {

std::string Spelled(double seconds);      // "60s", "250ms"; "" of nothing
std::string SpelledBytes(int64_t bytes);  // "8G"; "" of nothing

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_FLAG_VALUES_H_
