// SPDX-License-Identifier: Apache-2.0
// What costly cases take, as last measured: suites/costs.txt, so that shards are of one size. Cases
// that are not listed are cheap, and dealt out by the hash of their address alone.
#ifndef HLOCTS_SUITES_COSTS_H_
#define HLOCTS_SUITES_COSTS_H_

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "suites/case.h"

namespace hlocts::suites {

using CaseCosts = std::map<std::string, int64_t, std::less<>>;  // milliseconds by address

// A case that takes less is not worth a line.
inline constexpr int64_t kCostlyMilliseconds = 250;

// No file: no costs. A line is "address milliseconds"; # begins a comment.
absl::StatusOr<CaseCosts> LoadCosts(const std::string& path);
absl::Status WriteCosts(const CaseCosts& costs, const std::string& path);

// A sweep that nobody measured counts as one of a function usually takes.
inline constexpr int64_t kSweepMilliseconds = 300'000;
void AddUnmeasuredSweeps(const std::vector<Case>& cases, CaseCosts& costs);

// What is known once `measured` (all cases of a run, cheap ones too) has been seen: lines of cases
// that it does not have stay, as long as `suite` has them.
CaseCosts UpdatedCosts(const CaseCosts& known, const CaseCosts& measured,
                       const std::vector<Case>& suite);

// The shard, 1..count, of each address, in their order: costly ones from the dearest, each to the
// shard that has least so far; all others by ShardOf. The same for the same set of addresses,
// whatever their order.
std::vector<int> ShardsOf(const std::vector<std::string>& addresses, int count,
                          const CaseCosts& costs);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_COSTS_H_
