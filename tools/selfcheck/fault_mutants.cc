// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/fault_mutants.h"

#include <chrono>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "suites/runner.h"

namespace hlocts::tools {

bool IsNoticed(Outcome kind) {
  switch (kind) {
    case Outcome::kFail:
    case Outcome::kRejected:
    case Outcome::kAccepted:
    case Outcome::kCrash:
    case Outcome::kTimeout:
      return true;
    default:
      return false;
  }
}

namespace {

bool SameOutputs(const backends::ExecuteResult& a, const backends::ExecuteResult& b) {
  auto same = [](const std::vector<std::vector<Literal>>& x,
                 const std::vector<std::vector<Literal>>& y) {
    if (x.size() != y.size()) return false;
    for (size_t d = 0; d < x.size(); ++d) {
      if (x[d].size() != y[d].size()) return false;
      for (size_t i = 0; i < x[d].size(); ++i) {
        if (!x[d][i].BitwiseEqual(y[d][i])) return false;
      }
    }
    return true;
  };
  return same(a.outputs, b.outputs) && same(a.outfeed, b.outfeed);
}

// The verdict on the faulty engine. If it returns the reference's bits, it passes without being
// judged.
reports::Verdict VerdictOn(const Trial& trial, backends::Backend& engine, Profile profile,
                           bool& changed) {
  backends::DiffOptions options;
  options.profile = profile;
  options.load = trial.load;
  options.change_rule = trial.change_rule;
  reports::Verdict pass;
  pass.kind = Outcome::kPass;
  if (!trial.valid) return suites::RunCase(*trial.one, engine, options);
  backends::RunOutcome outcome =
      backends::RunModule(engine, *trial.module, trial.load, trial.request);
  if (outcome.has_values() && SameOutputs(outcome.result, trial.expected)) {
    return pass;
  }
  changed = true;
  if (trial.one != nullptr) return suites::RunCase(*trial.one, engine, options);
  if (!outcome.has_values()) return backends::VerdictOf(outcome);
  backends::Differ differ(*trial.module, trial.request, options);
  return differ.JudgeOutputs(outcome.result.outputs, engine.info().facts);
}

}  // namespace

bool Kills(const backends::Fault& fault, backends::Backend& engine, const Trial& trial,
           Profile profile) {
  bool asks_verifier = !fault.skipped_rule.empty();
  if (trial.valid == asks_verifier || !backends::AppliesTo(fault, *trial.module)) return false;
  bool changed = false;
  return IsNoticed(VerdictOn(trial, engine, profile, changed).kind);
}

MutantResult TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                      double seconds) {
  MutantResult result;
  const backends::Fault* fault = backends::FindFault(id);
  auto engine = backends::MakeInProcessBackend("canary:" + id);
  if (fault == nullptr || !engine.ok()) return result;
  auto start = std::chrono::steady_clock::now();
  for (const Trial& trial : trials) {
    bool asks_verifier = !fault->skipped_rule.empty();
    if (trial.valid == asks_verifier || !backends::AppliesTo(*fault, *trial.module)) continue;
    ++result.modules;
    bool changed = false;
    reports::Verdict verdict = VerdictOn(trial, **engine, profile, changed);
    result.changed += changed;
    if (IsNoticed(verdict.kind)) {
      result.noticed = true;
      result.by = trial.name;
      result.verdict = std::string(OutcomeName(verdict.kind));
      return result;
    }
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (taken.count() > seconds) break;
  }
  return result;
}

std::vector<Mutant> FaultMutants(const std::vector<std::string>& ids,
                                 const std::vector<Trial>& trials, Profile profile,
                                 double seconds) {
  std::vector<Mutant> mutants;
  for (const std::string& id : ids) {
    const backends::Fault& fault = *backends::FindFault(id);
    mutants.push_back({id, std::string(backends::FaultClassName(fault.fault_class)), fault.what,
                       backends::IsSharedLayer(fault.fault_class), [&, id, profile, seconds] {
                         return TryFault(id, trials, profile, seconds);
                       }});
  }
  return mutants;
}

}  // namespace hlocts::tools
