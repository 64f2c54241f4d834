// SPDX-License-Identifier: Apache-2.0
// The notes on releases that `hlocts run` prints below its table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hlocts::tools {

// The number of known failures of earlier releases that pass, by engine and release.
using FixedCounts = std::map<std::string, std::map<std::string, int64_t>>;
std::string FixedText(const FixedCounts& counts);
// The limits that the engines (recorded names) declare if they are releases.
std::string LimitsText(const std::vector<std::string>& engines);

}  // namespace hlocts::tools
