// SPDX-License-Identifier: Apache-2.0
// Reads the last measured times of costly cases (suites/costs.txt), which balance the shards. All
// other cases are cheap: the hash of the address selects the shard.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::suites {

using CaseCosts = std::map<std::string, int64_t, std::less<>>;  // milliseconds by address

// The smallest cost of a listed case.
inline constexpr int64_t kCostlyMilliseconds = 250;

// Loads lines of the form "address milliseconds"; # begins a comment. A missing file has no costs.
absl::StatusOr<CaseCosts> LoadCosts(const std::string& path);
absl::Status WriteCosts(const CaseCosts& costs, const std::string& path);

// The assumed cost of a sweep of a function that has not been measured.
inline constexpr int64_t kSweepMilliseconds = 300'000;
void AddUnmeasuredSweeps(const std::vector<Case>& cases, CaseCosts& costs);

// Returns the costs after a run. `measured` has the times of all cases that ran, also of cheap
// ones. Cases that did not run keep the known cost if they are in `suite`.
CaseCosts UpdatedCosts(const CaseCosts& known, const CaseCosts& measured,
                       const std::vector<Case>& suite);

// Returns the shard of each address, from 1 to `count`, independent of the order of addresses.
// Costly cases go to the least loaded shard, the costliest first; others to ShardOf.
std::vector<int> ShardsOf(const std::vector<std::string>& addresses, int count,
                          const CaseCosts& costs);

}  // namespace hlocts::suites
