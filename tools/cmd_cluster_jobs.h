// SPDX-License-Identifier: Apache-2.0
// Splits a suite run or a campaign into independent shards, and makes the jobs that run them on
// many machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

struct ClusterPlan {
  int64_t shards = 1;
  std::vector<std::string> backends, queries;
  std::string tier, profile;
  // For a campaign: chunk k runs up to `chunk` modules with the seed `seed` + k - 1. Shard i runs
  // the chunks i, i + shards, ..., so the modules do not depend on the number of shards.
  int64_t modules = 0, chunk = 0;
  uint64_t seed = 1;
  std::string program;  // path of hlocts on the machines
  std::string image;    // container image for Kubernetes

  bool IsCampaign() const { return modules > 0; }
  int64_t Chunks() const { return IsCampaign() ? (modules + chunk - 1) / chunk : 0; }
};

// The shell script that runs one shard under any scheduler. It does not repeat finished work.
absl::StatusOr<std::string> ShardScript(const ClusterPlan& plan);
absl::StatusOr<std::string> SlurmJob(const ClusterPlan& plan);
absl::StatusOr<std::string> KubernetesJob(const ClusterPlan& plan);
absl::StatusOr<std::string> ActionsWorkflow(const ClusterPlan& plan);

// Writes cluster.json, from which `hlocts cluster merge` reads the expected shards.
absl::Status WritePlan(const ClusterPlan& plan, const std::string& kind, const std::string& folder);
struct StoredPlan {
  ClusterPlan plan;
  std::string kind;  // slurm, k8s or actions
};
absl::StatusOr<StoredPlan> ReadPlan(const std::string& folder);

}  // namespace hlocts::tools
