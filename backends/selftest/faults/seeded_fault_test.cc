// SPDX-License-Identifier: Apache-2.0
// Tests that each seeded fault acts where it is defined to act and nowhere else. Tests also that
// legal noise differs from the reference but is legal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "backends/selftest/faults/fault.h"
#include "backends/selftest/legal_noise/noise_sum.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Module> Parsed(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// Returns the first output as text, or the error.
std::string RunOn(const std::string& engine, const Module& module,
                  const std::vector<Literal>& arguments) {
  auto backend = MakeInProcessBackend(engine);
  if (!backend.ok()) return std::string(backend.status().message());
  ExecuteRequest request;
  request.arguments = {arguments};
  RunOutcome outcome = RunModule(**backend, module, {}, request);
  if (!outcome.has_values()) return outcome.error.Text();
  return FormatLeaf(outcome.result.outputs[0][0]);
}

Literal Floats(std::vector<float> values) {
  Literal literal(Shape(PrimitiveType::kF32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) literal.mutable_data<float>()[i] = values[i];
  return literal;
}

TEST(FaultTest, ThereAreEnoughOfEveryKind) {
  std::set<std::string> ids;
  std::set<FaultClass> classes;
  int shared = 0;
  for (const Fault& fault : AllFaults()) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id << " twice";
    classes.insert(fault.fault_class);
    shared += IsSharedLayer(fault.fault_class);
    bool does = fault.before || fault.after || fault.module_edit || fault.rewrite ||
                fault.argument || fault.outputs || fault.refuses || !fault.skipped_rule.empty();
    EXPECT_TRUE(does) << fault.id << " does nothing";
    EXPECT_FALSE(fault.what.empty()) << fault.id;
  }
  EXPECT_GE(ids.size(), 150u);
  EXPECT_GE(classes.size(), 12u);
  EXPECT_GE(shared, 30);
}

TEST(CanaryTest, UnknownFaultNamesTheList) {
  auto backend = MakeInProcessBackend("canary:no-such");
  ASSERT_FALSE(backend.ok());
  EXPECT_THAT(std::string(backend.status().message()), HasSubstr("hlocts selfcheck --list"));
}

TEST(CanaryTest, FaultAppliesToItsOpcodeOnly) {
  auto maximum = Parsed(
      "HloModule m\nENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) "
      "ROOT r = f32[3] maximum(x, y) }");
  auto minimum = Parsed(
      "HloModule m\nENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) "
      "ROOT r = f32[3] minimum(x, y) }");
  std::vector<Literal> arguments = {Floats({1, NAN, 5}), Floats({2, 3, 4})};
  EXPECT_EQ(RunOn("canary:maximum.drops-nan", *maximum, arguments), "f32[3]{0} {2, 3, 5}");
  EXPECT_EQ(RunOn("canary:maximum.drops-nan", *minimum, arguments),
            RunOn("reference", *minimum, arguments));
}

TEST(CanaryTest, AFaultAtSomeOfItsInstructions) {
  auto module = Parsed(
      "HloModule m\nENTRY e { x = f32[3] parameter(0) s = f32[1] slice(x), slice={[0:1]} "
      "ROOT r = f32[2] slice(x), slice={[1:3]} }");
  const std::vector<Literal> arguments = {Floats({1, 2, 5})};
  const std::string right = RunOn("reference", *module, arguments);
  EXPECT_EQ(RunOn("canary:slice/result-zero@=f32[2]", *module, arguments), "f32[2]{0} {0, 0}");
  EXPECT_EQ(RunOn("canary:slice/result-zero@(f32[3])&slice={[1:3]}", *module, arguments),
            "f32[2]{0} {0, 0}");
  for (const char* elsewhere : {"=f32[1]", "!(f32[3])", "called", "=f32[2]&size-one"}) {
    EXPECT_EQ(RunOn(absl::StrCat("canary:slice/result-zero@", elsewhere), *module, arguments),
              right);
  }
  EXPECT_EQ(FindFault("slice/result-zero@"), nullptr);
}

TEST(CanaryTest, SurgeryThatMakesAModuleInvalidIsUndone) {
  auto module = Parsed(
      "HloModule m\nENTRY e { x = f32[2,3] parameter(0) "
      "ROOT r = f32[3,2] transpose(x), dimensions={1,0} }");
  Literal x(Shape(PrimitiveType::kF32, {2, 3}));
  EXPECT_EQ(RunOn("canary:transpose.inverse-permutation", *module, {x}),
            RunOn("reference", *module, {x}));
}

TEST(CanaryTest, OneTripLess) {
  auto module = Parsed(R"(HloModule m
c { i = s32[] parameter(0) n = s32[] constant(5) ROOT r = pred[] compare(i, n), direction=LT }
b { i = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(i, one) }
ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=c, body=b })");
  EXPECT_EQ(RunOn("reference", *module, {}), "s32[] 5");
  EXPECT_EQ(RunOn("canary:while.one-trip-less", *module, {}), "s32[] 4");
  EXPECT_EQ(RunOn("canary:while.one-trip-more", *module, {}), "s32[] 6");
}

constexpr char kFused[] =
    "HloModule m\nENTRY e { x = f32[64] parameter(0) y = f32[64] parameter(1) "
    "p = f32[64] multiply(x, y) t = f32[64] tanh(p) s = f32[64] subtract(p, t) "
    "ROOT r = f32[64] exponential(s) }";

TEST(LegalNoiseTest, DiffersFromTheReferenceAndIsAccepted) {
  auto module = Parsed(kFused);
  std::vector<Literal> arguments = {Literal(Shape(PrimitiveType::kF32, {64})),
                                    Literal(Shape(PrimitiveType::kF32, {64}))};
  for (int i = 0; i < 64; ++i) {
    arguments[0].mutable_data<float>()[i] = 0.01f + 0.07f * static_cast<float>(i);
    arguments[1].mutable_data<float>()[i] = 1.7f - 0.03f * static_cast<float>(i);
  }
  std::string plain = RunOn("reference", *module, arguments);
  std::string noisy = RunOn("legal-noise?seed=3", *module, arguments);
  EXPECT_NE(noisy, plain);
  EXPECT_EQ(noisy, RunOn("legal-noise?seed=3", *module, arguments)) << "a seed repeats itself";
  EXPECT_NE(noisy, RunOn("legal-noise?seed=4", *module, arguments));
  ExecuteRequest request;
  request.arguments = {arguments};
  Differ differ(*module, request, {});
  for (int seed = 1; seed <= 50; ++seed) {
    auto engine = MakeInProcessBackend(absl::StrCat("legal-noise?seed=", seed));
    ASSERT_TRUE(engine.ok());
    reports::Verdict verdict = differ.Diff(**engine);
    EXPECT_EQ(verdict.kind, Outcome::kPass) << "seed " << seed << ": " << verdict.reason;
  }
}

TEST(LegalNoiseTest, SaysWhichOptionItDoesNotKnow) {
  EXPECT_FALSE(MakeInProcessBackend("legal-noise?profile=loose").ok());
  EXPECT_FALSE(MakeInProcessBackend("legal-noise?sed=1").ok());
}

// Rounding an odd-rounded sum again must equal rounding the exact sum.
TEST(NoiseSumTest, RoundingToOddLosesNothing) {
  double one = 1, tiny = 0x1p-80, half_ulp = 0x1p-24;
  EXPECT_EQ(static_cast<float>(AddToOdd(one + half_ulp, tiny)), 1 + 0x1p-23f);
  EXPECT_EQ(static_cast<float>(one + half_ulp + tiny), 1.0f) << "what it is there to prevent";
  EXPECT_EQ(static_cast<float>(AddToOdd(one + half_ulp, -tiny)), 1.0f);
}

TEST(NoiseSumTest, EveryOrderSumsAllTerms) {
  generators::SplitMix64 random(1);
  SumStyle style;
  for (int order = 0; order < kSumOrders; ++order) {
    style.order = static_cast<SumOrder>(order);
    for (int count = 1; count < 40; ++count) {
      std::vector<SumTerm> terms;
      for (int i = 1; i <= count; ++i) terms.push_back({static_cast<double>(i), 1});
      EXPECT_EQ(NoisySum(style, terms, random), count * (count + 1) / 2) << order;
    }
  }
}

}  // namespace
}  // namespace hlocts::backends
