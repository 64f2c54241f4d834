// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/trial.h"

#include <algorithm>
#include <csignal>

#include "fuzz/triage/failure_signature.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"

namespace hlocts::fuzz {
namespace {

backends::DiffOptions DiffOptionsOf(const Sample& sample, const TrialOptions& options, bool blame) {
  backends::DiffOptions diff;
  diff.profile = options.profile;
  diff.load = DevicesOf(sample, options);
  diff.cut = options.cut;
  diff.blame = blame;
  diff.describe = blame;
  diff.suspect = backends::DiffOptions::Suspect::kWhereInconclusive;
  return diff;
}

void Sign(backends::Backend& engine, const TrialOptions& options, reports::Verdict& verdict) {
  backends::BackendInfo info = engine.info();
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  verdict.profile = std::string(ProfileName(options.profile));
}

// Engines do not send themselves SIGKILL: a user, or the system when out of memory, sent it.
bool KilledBySystem(const EngineError& error) { return error.signal == SIGKILL; }

// Returns false for types of so little precision that no error is slight.
bool ManyDigits(const std::vector<std::vector<Literal>>& outputs) {
  constexpr int kBits = 16;
  return std::all_of(outputs[0].begin(), outputs[0].end(), [](const Literal& leaf) {
    return !leaf.shape().IsArray() || BitWidth(ComponentType(leaf.element_type())) >= kBits;
  });
}

// Returns true if an array is judged as a whole (by residual or norm). Then no error is slight.
bool IsJoint(const reports::Verdict& verdict) {
  const std::string& rule = verdict.first_failure ? verdict.first_failure->rule : "";
  return rule == "residual" || rule == "normwise";
}

bool AcceptedInRelaxed(const Sample& sample, const std::vector<std::vector<Literal>>& outputs,
                       backends::Backend& engine, const TrialOptions& options) {
  if (outputs.empty() || options.profile == Profile::kRelaxed || !ManyDigits(outputs)) return false;
  backends::DiffOptions relaxed = DiffOptionsOf(sample, options, false);
  relaxed.profile = Profile::kRelaxed;
  const backends::ExecuteRequest request = sample.Request();
  return backends::Differ(*sample.module, request, relaxed)
             .JudgeOutputs(outputs, engine.info().facts)
             .kind == Outcome::kPass;
}

}  // namespace

backends::RunOutcome RunSample(const Sample& sample, backends::Backend& engine,
                               const TrialOptions& options) {
  auto run = [&] {
    return backends::RunModule(engine, *sample.module, DevicesOf(sample, options),
                               sample.Request());
  };
  backends::RunOutcome outcome = run();
  bool again = outcome.failure == Outcome::kCrash && KilledBySystem(outcome.error);
  if (again) return run();
  return outcome;
}

backends::LoadOptions DevicesOf(const Sample& sample, const TrialOptions& options) {
  backends::LoadOptions load = options.load;
  load.replicas = sample.module->replica_count;
  load.partitions = ArgumentPartitions(*sample.module);
  return load;
}

TrialResult JudgeTrial(const Sample& sample, const backends::RunOutcome& outcome,
                       backends::Backend& engine, const TrialOptions& options, bool blame) {
  TrialResult result;
  backends::ExecuteRequest request = sample.Request();
  backends::Differ differ(*sample.module, request, DiffOptionsOf(sample, options, blame));
  result.verdict = differ.DiffOutcome(outcome, engine);
  result.verdict.seconds = outcome.load_seconds + outcome.result.seconds;
  if (outcome.has_values()) result.outputs = outcome.result.outputs;
  result.slight = FailureSignatureOf(result.verdict) == FailureSignature{Outcome::kFail, "value"} &&
                  !IsJoint(result.verdict) &&
                  AcceptedInRelaxed(sample, result.outputs, engine, options);
  Sign(engine, options, result.verdict);
  return result;
}

namespace {

TrialResult RunOnce(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                    bool blame) {
  if (!options.invalid) {
    return JudgeTrial(sample, RunSample(sample, engine, options), engine, options, blame);
  }
  TrialResult result;
  result.verdict =
      backends::DiffInvalidModule(*sample.module, engine, DiffOptionsOf(sample, options, blame));
  Sign(engine, options, result.verdict);
  return result;
}

}  // namespace

bool IsWanted(const TrialOptions& options, const reports::Verdict& verdict) {
  if (!CountsAsFinding(verdict.kind)) return false;
  return !options.wanted || FailureSignatureOf(verdict) == *options.wanted;
}

// Runs the trial up to `runs_max` times, until the verdict is the wanted one. Repeats it if the
// system killed a worker, which proves nothing about the engine.
TrialResult RunTrial(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                     bool blame) {
  TrialResult result = RunOnce(sample, engine, options, blame);
  for (int64_t i = 1; i < options.runs_max && !IsWanted(options, result.verdict); ++i) {
    TrialResult next = RunOnce(sample, engine, options, blame);
    if (IsWanted(options, next.verdict) || !CountsAsFinding(result.verdict.kind))
      result = std::move(next);
  }
  bool again = result.verdict.kind == Outcome::kCrash && KilledBySystem(result.verdict.error);
  if (again) return RunOnce(sample, engine, options, blame);
  return result;
}

std::string ExpectedLines(const Sample& sample, const reports::Verdict& verdict,
                          const TrialOptions& options, const std::vector<std::string>& facts) {
  if (options.invalid) return "";
  int64_t elements = 0;
  for (const Shape& leaf : backends::OutputLeafShapes(*sample.module))
    elements += leaf.ElementCount();
  if (verdict.kind != Outcome::kFail && elements > kExpectedWithoutValuesMax) return "";
  backends::DiffOptions diff = DiffOptionsOf(sample, options, false);
  backends::ExecuteRequest request = sample.Request();
  backends::Differ differ(*sample.module, request, diff);
  auto accepted = differ.Acceptance(verdict.replica * diff.load.partitions, facts);
  return accepted.ok() ? AcceptanceToJsonl(**accepted) : "";
}

}  // namespace hlocts::fuzz
