// SPDX-License-Identifier: Apache-2.0
// Merges the results of shards.
#pragma once

#include <string>
#include <vector>

#include "tools/cmd_cluster_jobs.h"

namespace hlocts::tools {

struct ClusterMerge {
  std::vector<int64_t> lost;          // shards that must run again
  std::vector<std::string> problems;  // other problems found
  int64_t verdicts = 0, modules = 0, buckets = 0, met = 0;
};
// Writes <folder>/merged unless a shard is lost. For a run it is the directory that a run on one
// machine would have written, with verdicts by engine and address. For a campaign it has the
// buckets of all chunks, with the smallest module of each.
absl::StatusOr<ClusterMerge> MergeCluster(const ClusterPlan& plan, const std::string& folder);

}  // namespace hlocts::tools
