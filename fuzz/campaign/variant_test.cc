// SPDX-License-Identifier: Apache-2.0
// Tests metamorphic variants: wrong engines are detected, and permitted differences are accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/variant_trial.h"
#include "generators/arguments.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

Sample Parsed(const std::string& text) {
  Sample sample;
  sample.module = *ParseModule(text);
  sample.arguments = generators::GenerateArguments(backends::ArgumentLeafShapes(*sample.module), 1);
  return sample;
}

Sample VariantOf(const Sample& sample, absl::string_view rule) {
  const auto rules = generators::AllMetamorphicRules();
  const auto found = std::ranges::find(rules, rule, &generators::MetamorphicRule::name);
  generators::SeedSource choose(5);
  generators::Variant variant =
      **generators::DrawVariant(*sample.module, sample.arguments, choose, {&*found});
  EXPECT_TRUE(VerifyModule(*variant.module).ok()) << VerifyModule(*variant.module);
  return {std::move(variant.module), std::move(variant.arguments)};
}

// An engine that ignores reverse; otherwise it is the reference.
class ForgetsReverse : public backends::Backend {
 public:
  ForgetsReverse() : reference_(*backends::MakeBackend("reference")) {}
  backends::BackendInfo info() override { return reference_->info(); }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module& module, const backends::LoadOptions& options) override {
    std::unique_ptr<Module> clone = module.Clone();
    for (const auto& instruction : clone->entry()->instructions()) {
      if (instruction->opcode() != Opcode::kReverse) continue;
      instruction->Set(Attr::kDimensions, std::vector<int64_t>());
    }
    return reference_->Load(*clone, options);
  }

 private:
  std::unique_ptr<backends::Backend> reference_;
};

VariantTrial Try(const Sample& first, absl::string_view rule, backends::Backend& engine) {
  TrialOptions options;
  Sample variant = VariantOf(first, rule);
  backends::RunOutcome outcome =
      backends::RunModule(engine, *first.module, DevicesOf(first, options), first.Request());
  EXPECT_TRUE(outcome.has_values()) << outcome.error.Text();
  return RunVariant(first, outcome, variant, engine, options);
}

TEST(VariantTest, EveryGroupHasRulesAndNamesAreUnique) {
  std::set<std::string> names;
  std::set<generators::RuleGroup> groups;
  for (const generators::MetamorphicRule& rule : generators::AllMetamorphicRules()) {
    EXPECT_TRUE(names.insert(std::string(rule.name)).second) << rule.name;
    groups.insert(rule.group);
  }
  EXPECT_EQ(groups.size(), 12u);
}

TEST(VariantTest, EqualOutputsNeedNoJudge) {
  Sample first =
      Parsed("HloModule m\nENTRY e { p = f32[2,3] parameter(0)\n ROOT a = f32[2,3] abs(p) }");
  ForgetsReverse engine;
  VariantTrial trial = Try(first, "transposed_operands", engine);
  EXPECT_TRUE(trial.same);
  EXPECT_EQ(trial.result.verdict.kind, Outcome::kPass);
  EXPECT_EQ(trial.result.verdict.elements, 6);
}

TEST(VariantTest, WrongFirstModuleIsBlamed) {
  Sample first = Parsed(
      "HloModule m\nENTRY e { p = f32[4] parameter(0)\n ROOT r = f32[4] reverse(p), dimensions={0} "
      "}");
  ForgetsReverse engine;
  VariantTrial trial = Try(first, "reverse_as_gather", engine);
  EXPECT_FALSE(trial.same);
  EXPECT_FALSE(trial.is_variant);
  EXPECT_EQ(trial.result.verdict.kind, Outcome::kFail);
}

// Another order of summation yields another value, which the acceptance rules also allow.
TEST(VariantTest, FreedomsAreNoFindings) {
  Sample first = Parsed(R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e { p = f32[400] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=add })");
  TrialOptions options;
  auto reference = backends::MakeBackend("reference");
  backends::RunOutcome outcome =
      backends::RunModule(**reference, *first.module, DevicesOf(first, options), first.Request());
  Sample variant = VariantOf(first, "reduced_in_reverse");
  int judged = 0;
  for (int seed = 0; seed < 10; ++seed) {
    auto engine =
        *backends::MakeInProcessBackend(absl::StrCat("legal-noise?profile=default&seed=", seed));
    VariantTrial trial = RunVariant(first, outcome, variant, *engine, options);
    EXPECT_EQ(trial.result.verdict.kind, Outcome::kPass);
    judged += !trial.same;
  }
  EXPECT_GT(judged, 0);
}

}  // namespace
}  // namespace hlocts::fuzz
