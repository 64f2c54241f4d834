// What a campaign adds to the engine's own work: the same modules run by a worker and judged, and
// compiled and run in this process with nothing around.
#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign.h"
#include "spec/infer/verifier.h"
#include "tools/bench/fuzz_bench.h"
#include "tools/bench/processor_time.h"

namespace hlocts {
namespace {

// Processor time of compiling and running alone.
double AloneSeconds(const Sample& sample, Backend& engine, const TrialOptions& trial) {
  const ExecuteRequest request = sample.Request();
  const LoadOptions load = DevicesOf(sample, trial);
  const double start = OwnSeconds();
  RunModule(engine, *sample.module, load, request);
  return OwnSeconds() - start;
}

}  // namespace

absl::StatusOr<HarnessRow> BenchHarness(const std::string& backend, uint64_t seed,
                                        int64_t modules) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> worker, MakeBackend(backend));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> inside,
                          MakeBackend(absl::StrCat(backend, "?isolation=none")));
  if (!worker->info().available) return absl::UnavailableError(worker->info().reason);
  CampaignOptions options;
  options.seed = seed;
  HarnessRow row;
  for (int64_t number = 0; row.modules < modules; ++number) {
    const double before = OwnSeconds() + WorkerSeconds();
    Generated generated = CampaignModule(options, number);
    if (!generated.broken_rule.empty() || !VerifyModule(*generated.module).ok()) continue;
    const Sample sample = {std::move(generated.module), std::move(generated.arguments)};
    const VerdictKind kind = RunTrial(sample, *worker, options.trial, false).verdict.kind;
    const double judged = OwnSeconds() + WorkerSeconds() - before;
    // What ends a worker would end this process; what is refused costs next to nothing.
    if (kind != VerdictKind::kPass) continue;
    row.judged_seconds += judged;
    row.alone_seconds += AloneSeconds(sample, *inside, options.trial);
    ++row.modules;
  }
  return row;
}

}  // namespace hlocts
