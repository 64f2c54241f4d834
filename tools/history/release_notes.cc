// SPDX-License-Identifier: Apache-2.0
#include "tools/history/release_notes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/engine_list.h"

namespace hlocts::tools {

std::string FixedText(const FixedCounts& counts) {
  std::string text;
  for (const auto& [engine, releases] : counts) {
    for (const auto& [release, count] : releases)
      absl::StrAppend(&text, engine, ": ", count, " known failures are fixed since ", release,
                      "\n");
  }
  return text;
}

std::string LimitsText(const std::vector<std::string>& engines) {
  auto list = backends::LoadEngineList();
  std::string text;
  for (const std::string& engine : engines) {
    const std::string name = engine.substr(0, engine.find('?'));
    const auto* release = list.ok() ? backends::FindEngine(*list, name) : nullptr;
    if (release && release->limit_size() > 0)
      absl::StrAppend(&text, engine, " is limited: ", absl::StrJoin(release->limit(), "; "), "\n");
  }
  return text;
}

}  // namespace hlocts::tools
