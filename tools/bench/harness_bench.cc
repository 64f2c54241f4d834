// SPDX-License-Identifier: Apache-2.0
// Measures the work that a campaign adds to that of an engine in a worker: generating, verifying,
// passing modules and results, evaluating, judging.
#include "backends/backend_list.h"
#include "fuzz/campaign/campaign.h"
#include "spec/infer/verifier.h"
#include "tools/bench/fuzz_bench.h"
#include "tools/bench/processor_time.h"

namespace hlocts::tools {

absl::StatusOr<HarnessRow> BenchHarness(const std::string& backend, uint64_t seed,
                                        int64_t modules) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> worker,
                          backends::MakeBackend(backend));
  if (!worker->info().available) return absl::UnavailableError(worker->info().error.Text());
  fuzz::CampaignOptions options;
  options.seed = seed;
  HarnessRow row;
  for (int64_t number = 0; row.modules < modules; ++number) {
    const double own = OwnSeconds(), others = WorkerSeconds();
    generators::Generated generated = fuzz::CampaignModule(options, number);
    if (!generated.broken_rule.empty() || !VerifyModule(*generated.module).ok()) continue;
    const fuzz::Sample sample = {std::move(generated.module), std::move(generated.arguments)};
    const Outcome kind = fuzz::RunTrial(sample, *worker, options.trial, false).verdict.kind;
    // The time of a worker that died is lost, and a rejected module costs almost nothing.
    if (kind != Outcome::kPass) continue;
    row.own_seconds += OwnSeconds() - own;
    row.worker_seconds += WorkerSeconds() - others;
    ++row.modules;
  }
  return row;
}

}  // namespace hlocts::tools
