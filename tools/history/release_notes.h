// SPDX-License-Identifier: Apache-2.0
// What `hlocts run` says of releases below its table.
#ifndef HLOCTS_TOOLS_HISTORY_RELEASE_NOTES_H_
#define HLOCTS_TOOLS_HISTORY_RELEASE_NOTES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hlocts::tools {

// Engine, release: how many known failures of those before it pass.
using FixedCounts = std::map<std::string, std::map<std::string, int64_t>>;
std::string FixedText(const FixedCounts& counts);
// What the releases among the engines (recorded names) say that they never do.
std::string LimitsText(const std::vector<std::string>& engines);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_HISTORY_RELEASE_NOTES_H_
