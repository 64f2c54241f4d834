#include "fuzz/trial.h"

namespace hlocts {
namespace {

DiffOptions DiffOptionsOf(const Sample& sample, const TrialOptions& options, bool blame) {
  DiffOptions diff;
  diff.profile = options.profile;
  diff.load = options.load;
  diff.load.replicas = sample.module->replica_count;
  diff.load.partitions = sample.module->num_partitions;
  diff.cut = options.cut;
  diff.blame = blame;
  return diff;
}

}  // namespace

TrialResult RunTrial(const Sample& sample, Backend& engine, const TrialOptions& options, bool blame) {
  TrialResult result;
  DiffOptions diff = DiffOptionsOf(sample, options, blame);
  BackendInfo info = engine.info();
  if (options.invalid) {
    result.verdict = DiffInvalidModule(*sample.module, engine, diff);
  } else {
    ExecuteRequest request = sample.Request();
    Differ differ(*sample.module, request, diff);
    RunOutcome outcome = RunModule(engine, *sample.module, diff.load, request);
    result.verdict = differ.DiffOutcome(outcome, engine);
    result.verdict.seconds = outcome.load_seconds + outcome.result.seconds;
    if (outcome.kind == OutcomeKind::kValues) result.outputs = std::move(outcome.result.outputs);
  }
  result.verdict.backend = info.name;
  result.verdict.backend_version = info.version;
  result.verdict.profile = std::string(ProfileName(options.profile));
  return result;
}

std::string ExpectedLines(const Sample& sample, const Verdict& verdict, const TrialOptions& options,
                          const std::vector<std::string>& facts) {
  if (options.invalid || verdict.kind != VerdictKind::kFail) return "";
  DiffOptions diff = DiffOptionsOf(sample, options, false);
  ExecuteRequest request = sample.Request();
  Differ differ(*sample.module, request, diff);
  auto accepted = differ.Acceptance(verdict.replica * diff.load.partitions, facts);
  return accepted.ok() ? AcceptanceToJsonl(**accepted) : "";
}

}  // namespace hlocts
