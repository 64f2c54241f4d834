// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/mutants.h"

#include <chrono>
#include <map>
#include <ostream>

#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "nlohmann/json.hpp"
#include "reference/judge/module_sets.h"
#include "spec/accuracy/rules.h"
#include "spec/base/json_text.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "suites/runner.h"
#include "tools/selfcheck/forked.h"
#include "tools/selfcheck/noise_check.h"

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

using Json = nlohmann::ordered_json;

std::string ResultText(const MutantResult& result) {
  return JsonText(Json{result.noticed, result.by, result.verdict, result.modules, result.changed});
}

MutantResult ResultOf(const std::string& text) {
  const Json json = ParseJson<Json>(text);
  if (json.is_discarded()) return {};
  return {json[0], json[1], json[2], json[3], json[4]};
}

std::string SurvivalReason(const MutantRecord& record) {
  if (absl::string_view by = backends::PermittedBy(record.name); !by.empty())
    return absl::StrCat("permitted by ", by);
  if (record.modules == 0) return "no module contains an instruction that the fault applies to";
  if (record.changed == 0)
    return absl::StrCat("changed no output bit of ", record.modules, " modules");
  return absl::StrCat("changed ", record.changed, " of ", record.modules,
                      " modules, always within the sets");
}

bool SameOutputs(const backends::ExecuteResult& a, const backends::ExecuteResult& b) {
  auto same = [](const std::vector<std::vector<Literal>>& x,
                 const std::vector<std::vector<Literal>>& y) {
    if (x.size() != y.size()) return false;
    for (size_t d = 0; d < x.size(); ++d) {
      if (x[d].size() != y[d].size()) return false;
      for (size_t i = 0; i < x[d].size(); ++i)
        if (!x[d][i].BitwiseEqual(y[d][i])) return false;
    }
    return true;
  };
  return same(a.outputs, b.outputs) && same(a.outfeed, b.outfeed);
}

// Returns the verdict on the faulty engine. If the engine returns the bits of the reference, the
// verdict is a pass and nothing is judged.
reports::Verdict VerdictOn(const Trial& trial, backends::Backend& engine, Profile profile,
                           bool& changed) {
  backends::DiffOptions options{
      .profile = profile, .load = trial.load, .change_rule = trial.change_rule};
  reports::Verdict pass;
  pass.kind = Outcome::kPass;
  if (!trial.valid) return suites::RunCase(*trial.one, engine, options);
  backends::RunOutcome outcome =
      backends::RunModule(engine, *trial.module, trial.load, trial.request);
  if (outcome.has_values() && SameOutputs(outcome.result, trial.expected)) return pass;
  changed = true;
  if (trial.one != nullptr) return suites::RunCase(*trial.one, engine, options);
  if (!outcome.has_values()) return backends::VerdictOf(outcome);
  backends::Differ differ(*trial.module, trial.request, options);
  return differ.JudgeOutputs(outcome.result.outputs, engine.info().facts);
}

struct Change {
  std::string name;
  Opcode opcode;  // the opcode whose rule changes
  bool wider;     // true: allows more than the table; false: less
  std::function<void(Rule&)> change;
};

// The operations whose rules are mutated: at least one for each kind of rule.
constexpr Opcode kMutated[] = {
    Opcode::kAdd,         Opcode::kSubtract, Opcode::kMultiply,
    Opcode::kDivide,      Opcode::kSqrt,     Opcode::kTanh,
    Opcode::kExponential, Opcode::kLog,      Opcode::kLogistic,
    Opcode::kErf,         Opcode::kSine,     Opcode::kCosine,
    Opcode::kTan,         Opcode::kPower,    Opcode::kAtan2,
    Opcode::kRsqrt,       Opcode::kCbrt,     Opcode::kExponentialMinusOne,
    Opcode::kLogPlusOne,  Opcode::kMaximum,  Opcode::kMinimum,
    Opcode::kClamp,       Opcode::kConvert,  Opcode::kDot,
    Opcode::kConvolution, Opcode::kReduce,   Opcode::kReduceWindow,
    Opcode::kScatter,     Opcode::kCompare,  Opcode::kReducePrecision};

struct NamedPermission {
  Permission bit;
  const char* name;
};
constexpr NamedPermission kPermissions[] = {{kFlushResult, "flush-result"},
                                            {kFlushOperand, "flush-operand"},
                                            {kSkipRounding, "skip-rounding"},
                                            {kElideToWider, "elide-to-wider"},
                                            {kContract, "contract"},
                                            {kZeroSignFree, "zero-sign-free"},
                                            {kDropNan, "drop-nan"},
                                            {kMaxOrInfinity, "max-or-infinity"},
                                            {kDoubleRounding, "double-rounding"},
                                            {kWiderSum, "wider-sum"},
                                            {kNarrowSum, "narrow-sum"},
                                            {kNoRangeGuard, "no-range-guard"},
                                            {kOneIsAnyNan, "one-is-any-nan"},
                                            {kClampEither, "clamp-either"},
                                            {kTruncate, "truncate"}};

std::vector<Change> AllChanges() {
  std::vector<Change> changes;
  for (Opcode opcode : kMutated) {
    const Rule rule = RuleFor(opcode, PrimitiveType::kF32, Profile::kDefault);
    auto add = [&](std::string what, bool wider, std::function<void(Rule&)> change) {
      changes.push_back(
          {absl::StrCat(OpcodeName(opcode), ": ", what), opcode, wider, std::move(change)});
    };
    if (rule.rule_class == RuleClass::kUlp) {
      add("ulps halved", false, [](Rule& r) { r.ulps /= 2; });
      add("ulps fourfold", true, [](Rule& r) { r.ulps *= 4; });
      add("correctly rounded", false, [](Rule& r) { r.rule_class = RuleClass::kCorrectlyRounded; });
    } else if (rule.rule_class == RuleClass::kCorrectlyRounded) {
      add("within 4 ulps", true, [](Rule& r) { r.rule_class = RuleClass::kUlp, r.ulps = 4; });
    }
    for (const NamedPermission& permission : kPermissions) {
      const uint32_t bit = permission.bit;
      if (rule.Allows(permission.bit)) {
        add(absl::StrCat("without ", permission.name), false,
            [bit](Rule& r) { r.permissions &= ~bit; });
      } else {
        add(absl::StrCat("with ", permission.name), true, [bit](Rule& r) { r.permissions |= bit; });
      }
    }
  }
  return changes;
}

bool Contains(const Module& module, Opcode opcode) {
  backends::Fault probe;
  probe.opcodes = {opcode};
  return backends::AppliesTo(probe, module);
}

// Runs legal noise on the trials with the operation. Returns a text on the first failure, or "".
std::string NoticedByNoise(const std::vector<Trial>& trials, Opcode opcode) {
  for (const Trial& trial : trials) {
    if (!trial.valid || !Contains(*trial.module, opcode)) continue;
    std::vector<Trial> one(1);
    one[0].name = trial.name;
    one[0].module = trial.module->Clone();
    one[0].load = trial.load;
    one[0].request = trial.request;
    one[0].expected = trial.expected;
    one[0].change_rule = trial.change_rule;
    NoiseReport report = CheckNoise(one, NoiseMode(), {1, 2, 3, 4});
    if (!report.failures.empty()) return absl::StrCat("legal noise on ", trial.name);
  }
  return "";
}

std::string DetectedBySeededFaults(const std::vector<Trial>& trials,
                                   const std::vector<std::string>& killed, Opcode opcode) {
  for (const std::string& id : killed) {
    const backends::Fault* fault = backends::FindFault(id);
    bool concerns = fault != nullptr && fault->opcodes.size() == 1 && fault->opcodes[0] == opcode;
    if (!concerns || backends::IsSharedLayer(fault->fault_class)) continue;
    if (!TryFault(id, trials, Profile::kDefault, 30).noticed)
      return absl::StrCat("canary:", id, " survives");
  }
  return "";
}

RuleChange ChangeOf(const Change& mutant) {
  return [&mutant](Opcode opcode, PrimitiveType type, Profile profile, const Rule& rule) {
    bool concerned = opcode == mutant.opcode && (IsFloat(type) || IsComplex(type)) &&
                     rule.rule_class != RuleClass::kNone && profile != Profile::kStrict &&
                     (mutant.wider || profile == Profile::kDefault);
    if (!concerned) return rule;
    Rule changed = rule;
    mutant.change(changed);
    return changed;
  };
}

std::string Sets(const Trial& trial, const RuleChange& change) {
  reference::JudgeOptions options;
  options.change_rule = change;
  auto sets = reference::AcceptanceOf(*trial.module, trial.request.arguments[0], options);
  return sets.ok() ? AcceptanceToJsonl(*sets) : "";
}

// Returns the number of one-device trials for which the mutant and the table differ in some set.
int64_t CountChanged(const Change& mutant, const std::vector<Trial>& trials) {
  int64_t changed = 0;
  for (const Trial& trial : trials) {
    bool concerned = trial.valid && trial.request.arguments.size() == 1 &&
                     trial.request.infeed.empty() && Contains(*trial.module, mutant.opcode);
    if (!concerned) continue;
    changed += Sets(trial, ChangeOf(mutant)) != Sets(trial, {});
  }
  return changed;
}

// Tries a mutant. Runs in a child process (RunMutants), because the trials keep the mutant's table.
MutantResult Notice(const Change& mutant, std::vector<Trial>& trials,
                    const std::vector<std::string>& killed) {
  MutantResult result;
  for (Trial& trial : trials) trial.change_rule = ChangeOf(mutant);
  if (!LintRules(ChangeOf(mutant)).empty()) {
    result.by = "lint";
  } else {
    result.by = mutant.wider ? DetectedBySeededFaults(trials, killed, mutant.opcode)
                             : NoticedByNoise(trials, mutant.opcode);
  }
  result.noticed = !result.by.empty();
  if (!result.noticed) result.changed = CountChanged(mutant, trials);
  return result;
}

}  // namespace

std::vector<MutantRecord> RunMutants(const std::vector<Mutant>& mutants, int jobs, double seconds,
                                     const std::function<void(const MutantRecord&)>& done) {
  std::vector<MutantRecord> records;
  RunForked(
      mutants.size(), jobs, seconds, [&](size_t i) { return ResultText(mutants[i].run()); },
      [&](size_t i, const ForkedResult& child) {
        const bool ended = !child.crashed && !child.timed_out;
        const MutantResult result =
            ended ? ResultOf(child.text)
                  : MutantResult{true, "", child.crashed ? "crash" : "timeout", 0, 0};
        records.push_back({mutants[i], result});
        done(records.back());
      });
  return records;
}

Json ToJson(const MutantRecord& record) {
  Json json = {{"fault", record.name},
               {"class", record.group},
               {"shared_layer", record.shared_layer},
               {"what", record.what},
               {"killed", record.noticed}};
  if (record.noticed) {
    json["killed_by"] = record.by;
    json["verdict"] = record.verdict;
  } else {
    json["reason"] = SurvivalReason(record);
  }
  json["modules"] = record.modules;
  json["changed"] = record.changed;
  return json;
}

void PrintKillTable(const std::vector<MutantRecord>& records, std::ostream& out) {
  std::map<std::string, Tally> groups;
  Tally total, shared;
  for (const MutantRecord& record : records) {
    groups[record.group].Add(record.noticed);
    total.Add(record.noticed);
    if (record.shared_layer) shared.Add(record.noticed);
  }
  for (const auto& [name, tally] : groups)
    out << absl::StrFormat("%-18s %4d of %4d found\n", name, tally.killed, tally.all);
  out << absl::StrFormat("%-18s %4d of %4d found, %.1f %% (shared layers %d of %d)\n", "all faults",
                         total.killed, total.all, total.Share(), shared.killed, shared.all);
  for (const MutantRecord& record : records) {
    if (!record.noticed)
      out << "survivor " << record.name << ": " << SurvivalReason(record) << "\n";
  }
}

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

std::vector<Mutant> RuleMutants(std::vector<Trial>& trials,
                                const std::vector<std::string>& killed) {
  std::vector<Mutant> mutants;
  for (Change& change : AllChanges()) {
    const std::string name = change.name;
    mutants.push_back({name, "rule", "", false,
                       [&, change = std::move(change)] { return Notice(change, trials, killed); }});
  }
  return mutants;
}

}  // namespace hlocts::tools
