#include "fuzz/triage/trial.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "fuzz/triage/failure_signature.h"

namespace hlocts {
namespace {

DiffOptions DiffOptionsOf(const Sample& sample, const TrialOptions& options, bool blame) {
  DiffOptions diff;
  diff.profile = options.profile;
  diff.load = DevicesOf(sample, options);
  diff.cut = options.cut;
  diff.blame = blame;
  return diff;
}

void Sign(Backend& engine, const TrialOptions& options, Verdict& verdict) {
  BackendInfo info = engine.info();
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  verdict.profile = std::string(ProfileName(options.profile));
}

// Engines do not send themselves SIGKILL: somebody, or the system for want of memory, ended the
// worker.
bool KilledFromOutside(absl::string_view reason) {
  return absl::StrContains(reason, "killed by signal 9");
}

// In a type of few digits all errors are alike.
bool ManyDigits(const std::vector<std::vector<Literal>>& outputs) {
  constexpr int kBits = 16;
  return std::all_of(outputs[0].begin(), outputs[0].end(), [](const Literal& leaf) {
    return !leaf.shape().IsArray() || BitWidth(ComponentType(leaf.element_type())) >= kBits;
  });
}

// A whole array is wrong, by a bound that grows with it: no element is slightly so.
bool IsJoint(const Verdict& verdict) {
  const std::string& rule = verdict.first_failure ? verdict.first_failure->rule : "";
  return rule == "residual" || rule == "normwise";
}

bool TakenByRelaxed(const Sample& sample, const std::vector<std::vector<Literal>>& outputs,
                    Backend& engine, const TrialOptions& options) {
  if (outputs.empty() || options.profile == Profile::kRelaxed || !ManyDigits(outputs)) return false;
  DiffOptions relaxed = DiffOptionsOf(sample, options, false);
  relaxed.profile = Profile::kRelaxed;
  const ExecuteRequest request = sample.Request();
  return Differ(*sample.module, request, relaxed).JudgeOutputs(outputs, engine.info().facts).kind ==
         VerdictKind::kPass;
}

}  // namespace

RunOutcome RunSample(const Sample& sample, Backend& engine, const TrialOptions& options) {
  auto run = [&] {
    return RunModule(engine, *sample.module, DevicesOf(sample, options), sample.Request());
  };
  RunOutcome outcome = run();
  bool again = outcome.kind == OutcomeKind::kCrash && KilledFromOutside(outcome.reason);
  if (again) return run();
  return outcome;
}

LoadOptions DevicesOf(const Sample& sample, const TrialOptions& options) {
  LoadOptions load = options.load;
  load.replicas = sample.module->replica_count;
  load.partitions = sample.module->num_partitions;
  return load;
}

TrialResult JudgeTrial(const Sample& sample, const RunOutcome& outcome, Backend& engine,
                       const TrialOptions& options, bool blame) {
  TrialResult result;
  ExecuteRequest request = sample.Request();
  Differ differ(*sample.module, request, DiffOptionsOf(sample, options, blame));
  result.verdict = differ.DiffOutcome(outcome, engine);
  result.verdict.seconds = outcome.load_seconds + outcome.result.seconds;
  if (outcome.kind == OutcomeKind::kValues) result.outputs = outcome.result.outputs;
  result.slight = FailureSignatureOf(result.verdict) == FailureSignature{VerdictKind::kFail, "value"} &&
                  !IsJoint(result.verdict) &&
                  TakenByRelaxed(sample, result.outputs, engine, options);
  Sign(engine, options, result.verdict);
  return result;
}

namespace {

TrialResult RunOnce(const Sample& sample, Backend& engine, const TrialOptions& options,
                    bool blame) {
  if (!options.invalid) {
    return JudgeTrial(sample, RunSample(sample, engine, options), engine, options, blame);
  }
  TrialResult result;
  result.verdict = DiffInvalidModule(*sample.module, engine, DiffOptionsOf(sample, options, blame));
  Sign(engine, options, result.verdict);
  return result;
}

}  // namespace

// Once more where a worker was killed from outside, with the module or with a piece of it.
TrialResult RunTrial(const Sample& sample, Backend& engine, const TrialOptions& options,
                     bool blame) {
  TrialResult result = RunOnce(sample, engine, options, blame);
  bool again =
      result.verdict.kind == VerdictKind::kCrash && KilledFromOutside(result.verdict.reason);
  if (again) return RunOnce(sample, engine, options, blame);
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
