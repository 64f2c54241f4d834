// SPDX-License-Identifier: Apache-2.0
// The last measured times of costly cases: suites/costs.txt, so that shards are of equal size.
// Cases that are not listed are cheap, and assigned only by the hash of their address.
#ifndef HLOCTS_SUITES_COSTS_H_
#define HLOCTS_SUITES_COSTS_H_

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::suites {

using CaseCosts = std::map<std::string, int64_t, std::less<>>;  // milliseconds by address

// Cases that take less time are not listed.
inline constexpr int64_t kCostlyMilliseconds = 250;

// A missing file means no costs. A line is "address milliseconds"; # begins a comment.
absl::StatusOr<CaseCosts> LoadCosts(const std::string& path);
absl::Status WriteCosts(const CaseCosts& costs, const std::string& path);

// An unmeasured sweep has the usual time of a function's sweep.
inline constexpr int64_t kSweepMilliseconds = 300'000;
void AddUnmeasuredSweeps(const std::vector<Case>& cases, CaseCosts& costs);

// The costs after a run with the costs `measured` (all its cases, cheap ones too): lines of cases
// that did not run stay, as long as `suite` has them.
CaseCosts UpdatedCosts(const CaseCosts& known, const CaseCosts& measured,
                       const std::vector<Case>& suite);

// The shard, 1..count, of each address, in their order: costly ones in descending order of cost,
// each to the least loaded shard; all others by ShardOf. Depends on the set of addresses only, not
// on their order.
std::vector<int> ShardsOf(const std::vector<std::string>& addresses, int count,
                          const CaseCosts& costs);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_COSTS_H_
