// SPDX-License-Identifier: Apache-2.0
// Small random modules on the CUDA engine: what a campaign lives of.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "absl/strings/match.h"
#include "fuzz/campaign/campaign.h"
#include "tools/bench/cuda_bench.h"
#include "tools/bench/small_modules.h"

namespace hlocts::tools {
namespace {

constexpr double kLoadSeconds = 1e-3, kModulesPerSecond = 300;

using Clock = std::chrono::steady_clock;

// Best of several; a failure of the engine is the campaign's to tell.
absl::StatusOr<double> LoadAndRun(backends::Backend& backend,
                                  const generators::Generated& generated) {
  backends::ExecuteRequest request;
  request.arguments = {generated.arguments};
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    HLOCTS_ASSIGN_OR_RETURN(const auto executable, backend.Load(*generated.module, {}));
    HLOCTS_RETURN_IF_ERROR(executable->Execute(request).status());
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

absl::StatusOr<CudaBenchRow> LoadRow(backends::Backend& backend) {
  std::vector<double> seconds;
  for (uint64_t number = 0; number < kSmallModulesTried; ++number) {
    if (seconds.size() == kSmallModules) break;
    const auto generated = SmallModule(number, /*joint_operations=*/true);
    if (!generated) continue;
    const absl::StatusOr<double> one = LoadAndRun(backend, *generated);
    if (one.ok()) seconds.push_back(*one);
  }
  if (seconds.size() < kSmallModules) return absl::InternalError("small modules do not run");
  std::sort(seconds.begin(), seconds.end());
  CudaBenchRow row;
  row.module = "load_first_run";
  row.best = seconds[0];
  row.median = seconds[seconds.size() / 2];
  row.goal = 1;
  row.reached = kLoadSeconds / row.median;
  row.check = "1 ms over the median of small modules";
  return row;
}

absl::StatusOr<CudaBenchRow> CampaignRow(bool quick) {
  fuzz::CampaignOptions options;
  options.backends = {"cuda"};
  options.seconds_max = quick ? 5 : 30;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto folder = std::filesystem::temp_directory_path() / "hlocts_bench_cuda_campaign";
  options.out = folder;
  std::filesystem::remove_all(folder);
  HLOCTS_ASSIGN_OR_RETURN(const fuzz::CampaignStatus status,
                          fuzz::RunCampaign(options, [](const fuzz::CampaignStatus&) {}));
  std::filesystem::remove_all(folder);
  const double rate = static_cast<double>(status.modules) / status.seconds;
  CudaBenchRow row;
  row.module = "campaign";
  row.best = row.median = 1 / rate;
  row.goal = kModulesPerSecond;
  row.reached = rate;
  row.check =
      absl::StrCat("judged modules a second, ", status.jobs, " jobs, ", status.buckets, " buckets");
  return row;
}

}  // namespace

absl::Status BenchCudaSmall(backends::Backend& backend, const std::string& filter, bool quick,
                            const std::function<void(CudaBenchRow)>& add) {
  if (absl::StrContains("load_first_run", filter)) {
    HLOCTS_ASSIGN_OR_RETURN(CudaBenchRow row, LoadRow(backend));
    add(std::move(row));
  }
  if (absl::StrContains("campaign", filter)) {
    HLOCTS_ASSIGN_OR_RETURN(CudaBenchRow row, CampaignRow(quick));
    add(std::move(row));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::tools
