// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/variant_check.h"

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/variant_trial.h"
#include "generators/module_generator.h"
#include "spec/infer/verifier.h"

namespace hlocts::tools {
namespace {

// A generated module, and the reference's result for it.
struct First {
  std::string name;
  fuzz::Sample sample;
  backends::RunOutcome outcome;
};

class Checker {
 public:
  Checker() {
    auto reference = backends::MakeInProcessBackend("reference");
    HLOCTS_CHECK(reference.ok());
    reference_ = *std::move(reference);
  }

  First Make(uint64_t seed, int64_t number) {
    generators::Generated generated =
        generators::GenerateNumbered(seed, static_cast<uint64_t>(number), {});
    First first = {absl::StrCat("generated:", seed, ":", number),
                   {std::move(generated.module), std::move(generated.arguments)},
                   {}};
    first.outcome = Run(first.sample);
    return first;
  }

  void Try(const First& first, uint64_t seed, VariantCounts& tally) {
    generators::SeedSource choices(seed);
    const generators::MetamorphicRule* rules[] = {tally.rule};
    auto drawn =
        generators::DrawVariant(*first.sample.module, first.sample.arguments, choices, rules);
    if (!drawn.ok()) {
      tally.failures.push_back(std::string(drawn.status().message()));
      return;
    }
    if (!*drawn) return;
    generators::Variant& variant = **drawn;
    std::string problem =
        Problem(first, {std::move(variant.module), std::move(variant.arguments)}, tally);
    if (!problem.empty()) {
      tally.failures.push_back(
          absl::StrCat(first.name, ", ", variant.recipe.ToText(), ": ", problem));
    }
  }

 private:
  backends::RunOutcome Run(const fuzz::Sample& sample) {
    return backends::RunModule(*reference_, *sample.module, fuzz::DevicesOf(sample, options_),
                               sample.Request());
  }

  std::string Problem(const First& first, const fuzz::Sample& variant, VariantCounts& tally) {
    absl::Status valid = VerifyModule(*variant.module);
    if (!valid.ok()) return std::string(valid.message());
    backends::RunOutcome outcome = Run(variant);
    if (outcome.failure == Outcome::kUnsupported) {
      ++tally.skipped;
      return "";
    }
    if (!outcome.has_values()) return outcome.error.Text();
    ++tally.variants;
    if (fuzz::SameOutputs(first.outcome.result.outputs, outcome.result.outputs)) return "";
    if (tally.rule->effect == generators::RuleEffect::kExact) return "other bits";
    fuzz::TrialResult judged = fuzz::JudgeTrial(variant, outcome, *reference_, options_, false);
    return judged.verdict.kind == Outcome::kFail ? reports::VerdictToText(judged.verdict) : "";
  }

  std::unique_ptr<backends::Backend> reference_;
  fuzz::TrialOptions options_;
};

}  // namespace

std::vector<VariantCounts> CheckVariants(uint64_t seed, int64_t wanted, int64_t modules_max) {
  Checker checker;
  std::vector<VariantCounts> tallies;
  for (const generators::MetamorphicRule& rule : generators::AllMetamorphicRules())
    tallies.push_back({&rule, 0, 0, {}});
  bool open = true;
  for (int64_t number = 0; number < modules_max && open; ++number) {
    First first = checker.Make(seed, number);
    open = false;
    for (size_t r = 0; r < tallies.size(); ++r) {
      if (tallies[r].variants >= wanted) continue;
      open = true;
      if (!first.outcome.has_values()) break;
      checker.Try(first, seed + static_cast<uint64_t>(number) * 1000 + r, tallies[r]);
    }
  }
  return tallies;
}

}  // namespace hlocts::tools
