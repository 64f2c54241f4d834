// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/rule_mutants.h"

#include <algorithm>

#include "backends/selftest/faults/fault.h"
#include "reference/judge/module_sets.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "tools/selfcheck/fault_mutants.h"
#include "tools/selfcheck/noise_check.h"

namespace hlocts::tools {
namespace {

struct Change {
  std::string name;
  Opcode opcode;  // the opcode whose rules change
  bool wider;     // allows more than the table; otherwise less
  std::function<void(Rule&)> change;
};

// The operations whose rules are mutated, at least one for each kind of rule.
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

// Runs legal noise on the trials that contain the operation.
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
    if (!TryFault(id, trials, Profile::kDefault, 30).noticed) {
      return absl::StrCat("canary:", id, " survives");
    }
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

// The number of trials of one device on which the mutant and the table accept different values.
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

// Tries a mutant in a child process (RunMutants), since the trials keep the mutant's table.
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
