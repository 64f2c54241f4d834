// SPDX-License-Identifier: Apache-2.0
#include "suites/costs.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "spec/files/file_io.h"

namespace hlocts::suites {

absl::StatusOr<CaseCosts> LoadCosts(const std::string& path) {
  CaseCosts costs;
  if (!std::filesystem::exists(path)) return costs;
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string address, rest;
    int64_t milliseconds = -1;
    if (!(words >> address)) continue;
    if (!(words >> milliseconds) || milliseconds < 0 || words >> rest) {
      return InvalidInput(path, ":", number, ": expected an address and milliseconds, found ",
                          line);
    }
    costs[address] = milliseconds;
  }
  return costs;
}

absl::Status WriteCosts(const CaseCosts& costs, const std::string& path) {
  std::string text =
      "# Milliseconds that costly cases take, run and judged, all engines of the measuring run "
      "together:\n# --shard distributes them by these, all others by hash. Written by `hlocts run "
      "--update-costs`.\n";
  for (const auto& [address, milliseconds] : costs) {
    absl::StrAppend(&text, address, " ", milliseconds, "\n");
  }
  return WriteFile(path, text);
}

void AddUnmeasuredSweeps(const std::vector<Case>& cases, CaseCosts& costs) {
  for (const Case& one : cases) {
    if (one.sweep) costs.emplace(one.address, kSweepMilliseconds);
  }
}

CaseCosts UpdatedCosts(const CaseCosts& known, const CaseCosts& measured,
                       const std::vector<Case>& suite) {
  CaseCosts updated;
  for (const Case& one : suite) {
    auto now = measured.find(one.address), before = known.find(one.address);
    if (now != measured.end()) {
      if (now->second >= kCostlyMilliseconds) updated[one.address] = now->second;
    } else if (before != known.end()) {
      updated[one.address] = before->second;
    }
  }
  return updated;
}

std::vector<int> ShardsOf(const std::vector<std::string>& addresses, int count,
                          const CaseCosts& costs) {
  std::vector<int> shards(addresses.size());
  std::vector<std::pair<int64_t, size_t>> costly;
  for (size_t i = 0; i < addresses.size(); ++i) {
    auto cost = costs.find(addresses[i]);
    if (cost == costs.end()) {
      shards[i] = ShardOf(addresses[i], count);
    } else {
      costly.emplace_back(cost->second, i);
    }
  }
  std::sort(costly.begin(), costly.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : addresses[a.second] < addresses[b.second];
  });
  std::vector<int64_t> load(count);
  for (const auto& [milliseconds, i] : costly) {
    auto least = std::min_element(load.begin(), load.end());
    *least += milliseconds;
    shards[i] = static_cast<int>(least - load.begin()) + 1;
  }
  return shards;
}

}  // namespace hlocts::suites
