#include "tools/selfcheck/twin_check.h"

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "fuzz/campaign/twin_trial.h"
#include "generators/module_generator.h"
#include "spec/infer/verifier.h"

namespace hlocts {
namespace {

// A generated module with what the reference makes of it.
struct First {
  std::string name;
  Sample sample;
  RunOutcome outcome;
};

class Checker {
 public:
  Checker() {
    auto reference = MakeInProcessBackend("reference");
    HLOCTS_CHECK(reference.ok());
    reference_ = *std::move(reference);
  }

  First Make(uint64_t seed, int64_t number) {
    Generated generated = GenerateNumbered(seed, static_cast<uint64_t>(number), {});
    First first = {absl::StrCat("generated:", seed, ":", number),
                   {std::move(generated.module), std::move(generated.arguments)},
                   {}};
    first.outcome = Run(first.sample);
    return first;
  }

  void Try(const First& first, uint64_t seed, TwinTally& tally) {
    SeedSource choices(seed);
    const MetamorphicRule* rules[] = {tally.rule};
    auto drawn = DrawTwin(*first.sample.module, first.sample.arguments, choices, rules);
    if (!drawn.ok()) {
      tally.failures.push_back(std::string(drawn.status().message()));
      return;
    }
    if (!*drawn) return;
    Twin& twin = **drawn;
    std::string problem = Problem(first, {std::move(twin.module), std::move(twin.arguments)}, tally);
    if (!problem.empty()) {
      tally.failures.push_back(absl::StrCat(first.name, ", ", twin.recipe.ToText(), ": ", problem));
    }
  }

 private:
  RunOutcome Run(const Sample& sample) {
    return RunModule(*reference_, *sample.module, DevicesOf(sample, options_), sample.Request());
  }

  std::string Problem(const First& first, const Sample& twin, TwinTally& tally) {
    absl::Status valid = VerifyModule(*twin.module);
    if (!valid.ok()) return std::string(valid.message());
    RunOutcome outcome = Run(twin);
    if (outcome.kind == OutcomeKind::kUnsupported) {
      ++tally.skipped;
      return "";
    }
    if (outcome.kind != OutcomeKind::kValues) return outcome.reason;
    ++tally.twins;
    if (SameOutputs(first.outcome.result.outputs, outcome.result.outputs)) return "";
    if (tally.rule->effect == RuleEffect::kExact) return "other bits";
    TrialResult judged = JudgeTrial(twin, outcome, *reference_, options_, false);
    return judged.verdict.kind == VerdictKind::kFail ? VerdictToText(judged.verdict) : "";
  }

  std::unique_ptr<Backend> reference_;
  TrialOptions options_;
};

}  // namespace

std::vector<TwinTally> CheckTwins(uint64_t seed, int64_t wanted, int64_t modules_max) {
  Checker checker;
  std::vector<TwinTally> tallies;
  for (const MetamorphicRule& rule : AllMetamorphicRules()) tallies.push_back({&rule, 0, 0, {}});
  bool open = true;
  for (int64_t number = 0; number < modules_max && open; ++number) {
    First first = checker.Make(seed, number);
    open = false;
    for (size_t r = 0; r < tallies.size(); ++r) {
      if (tallies[r].twins >= wanted) continue;
      open = true;
      if (first.outcome.kind != OutcomeKind::kValues) break;
      checker.Try(first, seed + static_cast<uint64_t>(number) * 1000 + r, tallies[r]);
    }
  }
  return tallies;
}

}  // namespace hlocts
