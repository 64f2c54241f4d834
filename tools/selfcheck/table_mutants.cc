#include "tools/selfcheck/table_mutants.h"

#include <algorithm>

#include "backends/canary/fault.h"
#include "spec/accuracy/rule_mutation.h"
#include "tools/selfcheck/forked.h"
#include "tools/selfcheck/kill_rate.h"
#include "tools/selfcheck/noise_check.h"

namespace hlocts {
namespace {

struct Mutant {
  std::string name;
  Opcode opcode;  // whose rules change
  std::function<void(Rule&)> change;
};

// Operations whose rules are mutated: one of each kind of rule at least.
constexpr Opcode kMutated[] = {
    Opcode::kAdd,   Opcode::kSubtract, Opcode::kMultiply,      Opcode::kDivide,  Opcode::kSqrt,
    Opcode::kTanh,  Opcode::kExponential, Opcode::kLog,        Opcode::kLogistic, Opcode::kErf,
    Opcode::kSine,  Opcode::kCosine,   Opcode::kTan,           Opcode::kPower,   Opcode::kAtan2,
    Opcode::kRsqrt, Opcode::kCbrt,     Opcode::kExponentialMinusOne, Opcode::kLogPlusOne,
    Opcode::kMaximum, Opcode::kMinimum, Opcode::kClamp,        Opcode::kConvert, Opcode::kDot,
    Opcode::kConvolution, Opcode::kReduce, Opcode::kReduceWindow, Opcode::kScatter,
    Opcode::kCompare, Opcode::kReducePrecision};

struct NamedPermission {
  Permission bit;
  const char* name;
};
constexpr NamedPermission kPermissions[] = {
    {kFlushResult, "flush-result"},     {kFlushOperand, "flush-operand"},
    {kSkipRounding, "skip-rounding"},   {kElideToWider, "elide-to-wider"},
    {kContract, "contract"},            {kZeroSignFree, "zero-sign-free"},
    {kDropNan, "drop-nan"},             {kMaxOrInfinity, "max-or-infinity"},
    {kDoubleRounding, "double-rounding"}, {kWiderSum, "wider-sum"},
    {kNarrowSum, "narrow-sum"},         {kNoRangeGuard, "no-range-guard"},
    {kOneIsAnyNan, "one-is-any-nan"},   {kClampEither, "clamp-either"},
    {kTruncate, "truncate"}};

std::vector<Mutant> AllMutants() {
  std::vector<Mutant> mutants;
  for (Opcode opcode : kMutated) {
    const Rule rule = RuleFor(opcode, PrimitiveType::kF32, Profile::kDefault);
    auto add = [&](std::string what, std::function<void(Rule&)> change) {
      mutants.push_back({absl::StrCat(OpcodeName(opcode), ": ", what), opcode, std::move(change)});
    };
    if (rule.rule_class == RuleClass::kUlp) {
      add("ulps halved", [](Rule& r) { r.ulps /= 2; });
      add("ulps fourfold", [](Rule& r) { r.ulps *= 4; });
      add("correctly rounded", [](Rule& r) { r.rule_class = RuleClass::kCorrectlyRounded; });
    } else if (rule.rule_class == RuleClass::kCorrectlyRounded) {
      add("within 4 ulps", [](Rule& r) { r.rule_class = RuleClass::kUlp, r.ulps = 4; });
    }
    for (const NamedPermission& permission : kPermissions) {
      const uint32_t bit = permission.bit;
      bool has = rule.Allows(permission.bit);
      add(absl::StrCat(has ? "without " : "with ", permission.name),
          [bit](Rule& r) { r.permissions ^= bit; });
    }
  }
  return mutants;
}

bool Contains(const Module& module, Opcode opcode) {
  Fault probe;
  probe.opcodes = {opcode};
  return MayStrike(probe, module);
}

// Legal noise on the trials that have the operation.
std::string NoticedByNoise(const std::vector<Trial>& trials, Opcode opcode) {
  for (const Trial& trial : trials) {
    if (!trial.valid || !Contains(*trial.module, opcode)) continue;
    std::vector<Trial> one(1);
    one[0].name = trial.name;
    one[0].module = trial.module->Clone();
    one[0].load = trial.load;
    one[0].request = trial.request;
    one[0].expected = trial.expected;
    NoiseReport report = CheckNoise(one, Profile::kDefault, {1, 2});
    if (!report.failures.empty()) return absl::StrCat("legal noise on ", trial.name);
  }
  return "";
}

std::string NoticedByCanaries(const std::vector<Trial>& trials,
                              const std::vector<std::string>& killed, Opcode opcode) {
  for (const std::string& id : killed) {
    const Fault* fault = FindFault(id);
    bool concerns = fault != nullptr && fault->opcodes.size() == 1 && fault->opcodes[0] == opcode;
    if (!concerns || IsSharedLayer(fault->fault_class)) continue;
    if (!TryFault(id, trials, Profile::kDefault, 30).killed) {
      return absl::StrCat("canary:", id, " survives");
    }
  }
  return "";
}

std::string Notice(const Mutant& mutant, const std::vector<Trial>& trials,
                   const std::vector<std::string>& killed) {
  SetRuleMutation([&](Opcode opcode, PrimitiveType, Profile profile, const Rule& rule) {
    if (opcode != mutant.opcode || profile != Profile::kDefault) return rule;
    if (rule.rule_class == RuleClass::kNone) return rule;
    Rule changed = rule;
    mutant.change(changed);
    return changed;
  });
  if (!LintRules().empty()) return "lint";
  std::string by_noise = NoticedByNoise(trials, mutant.opcode);
  return by_noise.empty() ? NoticedByCanaries(trials, killed, mutant.opcode) : by_noise;
}

}  // namespace

std::vector<MutantRecord> TryMutants(const std::vector<Trial>& trials,
                                     const std::vector<std::string>& killed, int jobs,
                                     const std::function<void(const MutantRecord&)>& done) {
  const std::vector<Mutant> mutants = AllMutants();
  std::vector<MutantRecord> records;
  auto work = [&](size_t i) {
    std::string noticed_by = Notice(mutants[i], trials, killed);
    return noticed_by.empty() ? std::string("-") : noticed_by;
  };
  RunForked(mutants.size(), jobs, 300, work, [&](size_t i, const ForkedResult& result) {
    MutantRecord record{mutants[i].name, result.text != "-", result.text};
    if (result.crashed) record.noticed_by = "crash";
    if (result.timed_out) record.noticed = false, record.noticed_by = "not finished";
    records.push_back(record);
    done(record);
  });
  return records;
}

}  // namespace hlocts
