// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts cluster`, which distributes a run or a campaign over many machines.
#include <filesystem>
#include <iostream>

#include "absl/strings/str_join.h"
#include "backends/backend_list.h"
#include "spec/files/file_io.h"
#include "tools/cli/common.h"
#include "tools/cli/flag_values.h"
#include "tools/cmd_cluster_merge.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;

struct ClusterOptions {
  std::vector<std::string> words;  // slurm, k8s, actions or merge; then queries
  std::string out = "out/cluster";
  std::vector<std::string> backends;
  std::optional<uint64_t> seed;
  ClusterPlan plan;
};

constexpr int64_t kChunk = 10000;  // modules of a seed; half an hour on a slow engine

std::string AgainWith(const std::string& kind, const std::vector<int64_t>& lost) {
  const std::string list = absl::StrJoin(lost, ",");
  if (kind == "slurm")
    return absl::StrCat("sbatch --array=", list, " job.sbatch, in that directory");
  if (kind == "k8s")
    return "kubectl delete job hlocts; kubectl apply -f job.yaml (finished shards are kept)";
  return absl::StrCat("\"Re-run failed jobs\", shards ", list);
}

int Merge(const ClusterOptions& options) {
  auto stored = ReadPlan(options.out);
  if (!stored.ok()) return Fail(stored.status());
  auto merge = MergeCluster(stored->plan, options.out);
  if (!merge.ok()) return Fail(merge.status());
  if (!merge->lost.empty()) {
    std::cout << options.out << ": " << merge->lost.size() << " of " << stored->plan.shards
              << (merge->lost.size() == 1 ? " shards is" : " shards are")
              << " not finished: " << absl::StrJoin(merge->lost, ", ")
              << "\nnothing was merged; run them again: " << AgainWith(stored->kind, merge->lost)
              << "\n";
    return kExitFailed;
  }
  for (const std::string& problem : merge->problems) std::cout << problem << "\n";
  if (!merge->problems.empty()) return kExitFailed;
  if (stored->plan.IsCampaign()) {
    std::cout << options.out << "/merged: " << merge->modules << " modules, " << merge->met
              << " findings, " << merge->buckets << " buckets\n";
  } else {
    std::cout << options.out << "/merged: " << merge->verdicts << " verdicts of "
              << stored->plan.shards << " shards, none missing, none duplicated\n";
  }
  return kExitOk;
}

absl::Status Complete(const std::string& kind, ClusterOptions& options) {
  ClusterPlan& plan = options.plan;
  if (kind == "k8s" && plan.image.empty())
    return InvalidInput("cluster k8s: expected --image, a container image with hlocts");
  plan.queries.assign(options.words.begin() + 1, options.words.end());
  plan.backends = backends::SplitBackendNames(options.backends);
  if (plan.shards < 1) return InvalidInput("cluster: expected --shards of at least 1");
  if (plan.backends.empty()) return InvalidInput("cluster: expected --backend");
  if (plan.modules < 0 || plan.chunk < 0)
    return InvalidInput("cluster: expected --modules and --chunk of at least 0");
  if (plan.IsCampaign() && !plan.queries.empty())
    return InvalidInput("cluster --modules: expected no query, since a campaign has none");
  if (plan.chunk == 0)
    plan.chunk = std::min(kChunk, std::max<int64_t>(1, plan.modules / plan.shards));
  plan.seed = options.seed.value_or(1);
  if (plan.program.empty() && kind != "slurm") plan.program = "hlocts";
  if (plan.program.empty()) {
    std::error_code error;
    plan.program = fs::read_symlink("/proc/self/exe", error).string();
  }
  return absl::OkStatus();
}

absl::Status WriteJob(const ClusterOptions& options, const std::string& kind) {
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) return InvalidInput("--out: ", options.out, ": ", error.message());
  const std::string script = options.out + "/shard.sh";
  HLOCTS_RETURN_IF_ERROR(WritePlan(options.plan, kind, options.out));
  HLOCTS_ASSIGN_OR_RETURN(std::string shard, ShardScript(options.plan));
  HLOCTS_RETURN_IF_ERROR(WriteFile(script, shard));
  fs::permissions(script, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  auto job = kind == "slurm" ? SlurmJob(options.plan)
             : kind == "k8s" ? KubernetesJob(options.plan)
                             : ActionsWorkflow(options.plan);
  HLOCTS_RETURN_IF_ERROR(job.status());
  const char* name = kind == "slurm" ? "/job.sbatch" : kind == "k8s" ? "/job.yaml" : "/hlocts.yml";
  return WriteFile(options.out + name, *job);
}

int RunCluster(ClusterOptions options) {
  const std::string kind = options.words.empty() ? "" : options.words[0];
  if (kind == "merge") return Merge(options);
  if (kind != "slurm" && kind != "k8s" && kind != "actions") {
    return Fail(
        InvalidInput("cluster: expected slurm, k8s, actions or merge, found ", FoundText(kind)));
  }
  absl::Status status = Complete(kind, options);
  if (status.ok()) status = WriteJob(options, kind);
  if (!status.ok()) return Fail(status);
  std::cout << options.out << ": " << options.plan.shards << " shards; start: "
            << (kind == "slurm" ? "cd " + options.out + " && sbatch job.sbatch"
                : kind == "k8s"
                    ? "kubectl apply -f job.yaml, with the directory on volume claim hlocts"
                    : "shard.sh and cluster.json to .github/hlocts, hlocts.yml to "
                      ".github/workflows")
            << "; then: hlocts cluster merge --out=" << options.out << "\n";
  return kExitOk;
}

}  // namespace

Command ClusterCommand() {
  return {"cluster",
          "write a job of many shards for Slurm, Kubernetes or GitHub Actions; merge them",
          [](Flags& flags) {
            auto options = std::make_shared<ClusterOptions>();
            ClusterPlan& plan = options->plan;
            flags.Positional("KIND", &options->words,
                             "slurm, k8s or actions, and queries of the suite; or merge");
            flags.Add("--shards", &plan.shards, "number of shards (1)");
            flags.Add("--out", &options->out, "directory of the job and its results (out/cluster)");
            flags.Add("--backend", &options->backends, "engines, comma-separated; repeatable");
            flags.Add("--tier", &plan.tier, "smoke, presubmit, nightly or exhaustive");
            flags.Add("--profile", &plan.profile, "strict, default or relaxed");
            flags.Add("--modules", &plan.modules,
                      "number of modules of a campaign, instead of the suite");
            flags.Add("--chunk", &plan.chunk, "number of modules per seed (10000, or fewer)");
            flags.Add("--seed", &options->seed, "seed of the first chunk (1)");
            flags.Add("--program", &plan.program,
                      "hlocts on the machines (slurm: this program; otherwise on PATH)");
            flags.Add("--image", &plan.image, "container image with hlocts, for k8s");
            return [options] { return RunCluster(*options); };
          }};
}

}  // namespace hlocts::tools
