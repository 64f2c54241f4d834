// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/kill_rate.h"

#include <chrono>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "backends/selftest/faults/fault.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "suites/runner.h"
#include "tools/selfcheck/forked.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

bool IsNoticed(reports::VerdictKind kind) {
  switch (kind) {
    case reports::VerdictKind::kFail:
    case reports::VerdictKind::kRejected:
    case reports::VerdictKind::kAccepted:
    case reports::VerdictKind::kCrash:
    case reports::VerdictKind::kTimeout:
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

// The verdict on the faulty engine; a pass at once when it gives the reference's bits.
reports::Verdict VerdictOn(const Trial& trial, backends::Backend& engine, Profile profile,
                           bool& changed) {
  backends::DiffOptions options;
  options.profile = profile;
  options.load = trial.load;
  reports::Verdict pass;
  pass.kind = reports::VerdictKind::kPass;
  if (!trial.valid) return suites::RunCase(*trial.one, engine, options);
  backends::RunOutcome outcome =
      backends::RunModule(engine, *trial.module, trial.load, trial.request);
  if (outcome.kind == backends::OutcomeKind::kValues &&
      SameOutputs(outcome.result, trial.expected)) {
    return pass;
  }
  changed = true;
  if (trial.one != nullptr) return suites::RunCase(*trial.one, engine, options);
  if (outcome.kind != backends::OutcomeKind::kValues) return backends::VerdictOf(outcome);
  backends::Differ differ(*trial.module, trial.request, options);
  return differ.JudgeOutputs(outcome.result.outputs, engine.info().facts);
}

Json ToJson(const KillRecord& record) {
  return {{"killed", record.killed},
          {"killed_by", record.killed_by},
          {"verdict", record.verdict},
          {"modules", record.modules},
          {"changed", record.changed}};
}

void FromJson(const std::string& text, KillRecord& record) {
  Json json = ParseJson<Json>(text);
  if (json.is_discarded()) return;
  record.killed = json.value("killed", false);
  record.killed_by = json.value("killed_by", "");
  record.verdict = json.value("verdict", "");
  record.modules = json.value("modules", int64_t{0});
  record.changed = json.value("changed", int64_t{0});
}

KillRecord RecordOf(const std::string& id) {
  KillRecord record;
  record.fault = id;
  if (const backends::Fault* fault = backends::FindFault(id)) {
    record.fault_class = std::string(backends::FaultClassName(fault->fault_class));
    record.shared_layer = backends::IsSharedLayer(fault->fault_class);
    record.what = fault->what;
  }
  return record;
}

}  // namespace

bool Kills(const backends::Fault& fault, backends::Backend& engine, const Trial& trial,
           Profile profile) {
  bool asks_verifier = !fault.forgotten_rule.empty();
  if (trial.valid == asks_verifier || !backends::AppliesTo(fault, *trial.module)) return false;
  bool changed = false;
  return IsNoticed(VerdictOn(trial, engine, profile, changed).kind);
}

KillRecord TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                    double seconds) {
  KillRecord record = RecordOf(id);
  const backends::Fault* fault = backends::FindFault(id);
  auto engine = backends::MakeInProcessBackend("canary:" + id);
  if (fault == nullptr || !engine.ok()) return record;
  auto start = std::chrono::steady_clock::now();
  for (const Trial& trial : trials) {
    bool asks_verifier = !fault->forgotten_rule.empty();
    if (trial.valid == asks_verifier || !backends::AppliesTo(*fault, *trial.module)) continue;
    ++record.modules;
    bool changed = false;
    reports::Verdict verdict = VerdictOn(trial, **engine, profile, changed);
    record.changed += changed;
    if (IsNoticed(verdict.kind)) {
      record.killed = true;
      record.killed_by = trial.name;
      record.verdict = std::string(reports::VerdictName(verdict.kind));
      return record;
    }
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (taken.count() > seconds) break;
  }
  return record;
}

std::vector<KillRecord> TryFaults(const std::vector<std::string>& ids,
                                  const std::vector<Trial>& trials, Profile profile, int jobs,
                                  double seconds_per_fault,
                                  const std::function<void(const KillRecord&)>& done) {
  std::vector<KillRecord> records;
  auto work = [&](size_t i) {
    return JsonText(ToJson(TryFault(ids[i], trials, profile, seconds_per_fault)));
  };
  RunForked(ids.size(), jobs, seconds_per_fault + 30, work,
            [&](size_t i, const ForkedResult& result) {
              KillRecord record = RecordOf(ids[i]);
              record.killed = result.crashed || result.timed_out;
              if (record.killed) record.verdict = result.crashed ? "crash" : "timeout";
              FromJson(result.text, record);
              records.push_back(record);
              done(record);
            });
  return records;
}

}  // namespace hlocts::tools
