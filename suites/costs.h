// SPDX-License-Identifier: Apache-2.0
// Reads the last measured times of costly cases (suites/costs.txt), so that shards are of equal
// size. All other cases are cheap; the hash of a cheap case's address selects its shard.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::suites {

using CaseCosts = std::map<std::string, int64_t, std::less<>>;  // milliseconds by address

// Cases that take less time are not listed.
inline constexpr int64_t kCostlyMilliseconds = 250;

// Loads lines of "address milliseconds"; # begins a comment. Without a file there are no costs.
absl::StatusOr<CaseCosts> LoadCosts(const std::string& path);
absl::Status WriteCosts(const CaseCosts& costs, const std::string& path);

// The usual time of a function's sweep, for sweeps without a measurement.
inline constexpr int64_t kSweepMilliseconds = 300'000;
void AddUnmeasuredSweeps(const std::vector<Case>& cases, CaseCosts& costs);

// Returns the costs after a run. `measured` has the times of the cases that ran, cheap ones
// included. Cases that did not run keep their known costs if `suite` still contains them.
CaseCosts UpdatedCosts(const CaseCosts& known, const CaseCosts& measured,
                       const std::vector<Case>& suite);

// Returns the shard of each address, 1 to `count`. Costly cases go to the least loaded shard, the
// costliest first; others to ShardOf. The result does not depend on the order of addresses.
std::vector<int> ShardsOf(const std::vector<std::string>& addresses, int count,
                          const CaseCosts& costs);

}  // namespace hlocts::suites
