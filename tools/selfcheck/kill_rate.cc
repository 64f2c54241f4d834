#include "tools/selfcheck/kill_rate.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>

#include "backends/backend_list.h"
#include "backends/canary/fault.h"
#include "backends/differ/differ.h"
#include "nlohmann/json.hpp"
#include "suites/runner.h"

namespace hlocts {
namespace {

using Json = nlohmann::ordered_json;

bool Noticed(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kFail:
    case VerdictKind::kRejected:
    case VerdictKind::kAccepted:
    case VerdictKind::kCrash:
    case VerdictKind::kTimeout:
      return true;
    default:
      return false;
  }
}

bool SameOutputs(const ExecuteResult& a, const ExecuteResult& b) {
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
Verdict VerdictOn(const Trial& trial, Backend& engine, Profile profile, bool& changed) {
  DiffOptions options;
  options.profile = profile;
  options.load = trial.load;
  Verdict pass;
  pass.kind = VerdictKind::kPass;
  if (!trial.valid) return RunCase(*trial.one, engine, options);
  RunOutcome outcome = RunModule(engine, *trial.module, trial.load, trial.request);
  if (outcome.kind == OutcomeKind::kValues && SameOutputs(outcome.result, trial.expected)) {
    return pass;
  }
  changed = true;
  if (trial.one != nullptr) return RunCase(*trial.one, engine, options);
  if (outcome.kind != OutcomeKind::kValues) return VerdictOf(outcome);
  Differ differ(*trial.module, trial.request, options);
  return differ.JudgeOutputs(outcome.result.outputs, engine.info().facts);
}

Json ToJson(const KillRecord& record) {
  return {{"killed", record.killed},   {"killed_by", record.killed_by},
          {"verdict", record.verdict}, {"modules", record.modules},
          {"changed", record.changed}};
}

void FromJson(const std::string& text, KillRecord& record) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
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
  if (const Fault* fault = FindFault(id)) {
    record.fault_class = std::string(FaultClassName(fault->fault_class));
    record.shared_layer = IsSharedLayer(fault->fault_class);
    record.what = fault->what;
  }
  return record;
}

struct Child {
  size_t number;
  int pipe;
};

// The child's last words; without any it crashed or was stopped, which is noticed as well.
KillRecord Collect(const std::string& id, int pipe, int status) {
  KillRecord record = RecordOf(id);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(pipe, buffer, sizeof(buffer))) > 0;) text.append(buffer, size_t(n));
  close(pipe);
  if (!text.empty()) {
    FromJson(text, record);
  } else if (WIFSIGNALED(status)) {
    record.killed = true;
    record.verdict = WTERMSIG(status) == SIGALRM ? "timeout" : "crash";
  }
  return record;
}

}  // namespace

KillRecord TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                    double seconds) {
  KillRecord record = RecordOf(id);
  const Fault* fault = FindFault(id);
  auto engine = MakeInProcessBackend("canary:" + id);
  if (fault == nullptr || !engine.ok()) return record;
  auto start = std::chrono::steady_clock::now();
  for (const Trial& trial : trials) {
    bool asks_verifier = !fault->forgotten_rule.empty();
    if (trial.valid == asks_verifier || !MayStrike(*fault, *trial.module)) continue;
    ++record.modules;
    bool changed = false;
    Verdict verdict = VerdictOn(trial, **engine, profile, changed);
    record.changed += changed;
    if (Noticed(verdict.kind)) {
      record.killed = true;
      record.killed_by = trial.name;
      record.verdict = std::string(VerdictName(verdict.kind));
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
  std::vector<KillRecord> records(ids.size());
  std::vector<bool> ready(ids.size(), false);
  std::map<pid_t, Child> children;
  size_t next = 0, told = 0;
  while (told < ids.size()) {
    while (next < ids.size() && children.size() < static_cast<size_t>(jobs)) {
      int ends[2];
      HLOCTS_CHECK(pipe(ends) == 0);
      pid_t pid = fork();
      HLOCTS_CHECK(pid >= 0);
      if (pid == 0) {
        alarm(static_cast<unsigned>(seconds_per_fault) + 30);
        std::string text = ToJson(TryFault(ids[next], trials, profile, seconds_per_fault)).dump();
        ssize_t written = write(ends[1], text.data(), text.size());
        _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
      }
      close(ends[1]);
      children[pid] = {next++, ends[0]};
    }
    int status = 0;
    pid_t pid = wait(&status);
    auto child = children.find(pid);
    if (child == children.end()) continue;
    size_t number = child->second.number;
    records[number] = Collect(ids[number], child->second.pipe, status);
    ready[number] = true;
    children.erase(child);
    for (; told < ids.size() && ready[told]; ++told) done(records[told]);
  }
  return records;
}

}  // namespace hlocts
