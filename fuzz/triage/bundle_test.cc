// SPDX-License-Identifier: Apache-2.0
// Tests bundles of invalid modules.
#include "fuzz/triage/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "fuzz/triage/bundle_texts.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Bundle BundleOf(const char* text) {
  Bundle bundle;
  bundle.sample.module = *ParseModule(text);
  for (const Shape& shape : backends::ArgumentLeafShapes(*bundle.sample.module))
    bundle.sample.arguments.emplace_back(shape);
  bundle.backend = "xla";
  bundle.result.verdict.kind = Outcome::kAccepted;
  return bundle;
}

TEST(BundleTest, ACrashOverAnInvalidModuleCanBeReplayed) {
  for (Outcome kind : {Outcome::kAccepted, Outcome::kCrash, Outcome::kFail}) {
    std::string folder = testing::TempDir() + "/invalid_bundle";
    Bundle bundle =
        BundleOf("HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT r = f32[3] negate(p) }");
    bundle.result.verdict.kind = kind;
    ASSERT_TRUE(WriteBundle(bundle, folder).ok());
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, ReadBundle(folder));
    EXPECT_EQ(read.options.invalid, kind != Outcome::kFail);
  }
}

TEST(BundleTest, APieceOfSeveralInstructionsNamesEach) {
  Bundle bundle =
      BundleOf("HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }");
  bundle.result.verdict.kind = Outcome::kFail;
  bundle.result.verdict.first_failure = reports::VerdictFailure{.instruction = "{b, r}"};
  bundle.result.verdict.localisation.instructions = {"b", "r"};
  EXPECT_THAT(BundleReadme(bundle, ""), HasSubstr("\nInstructions: %b, %r.\n"));
}

TEST(BundleTest, OnlyACampaignLimitsTheSize) {
  const std::string folder = testing::TempDir() + "/large_bundle";
  const Bundle bundle = BundleOf(
      "HloModule m\nENTRY e { p = f32[40000] parameter(0) ROOT r = f32[40000] negate(p) }");
  EXPECT_TRUE(absl::IsResourceExhausted(WriteBundle(bundle, folder, kBundleBytesMax).status()));
  HLOCTS_ASSERT_OK_AND_ASSIGN(const size_t bytes, WriteBundle(bundle, folder));
  EXPECT_GT(bytes, kBundleBytesMax);
  HLOCTS_ASSERT_OK_AND_ASSIGN(const Bundle read, ReadBundle(folder));
  EXPECT_TRUE(read.sample.arguments[0].BitwiseEqual(bundle.sample.arguments[0]));
}

// Text cannot express these modules. Read from the bundle, each breaks the same rule as before.
TEST(BundleTest, InvalidModulesThatTextDoesNotHoldAreReadAgain) {
  constexpr char kText[] = R"(HloModule m
callee { p = f32[2,3] parameter(0) ROOT r = f32[2,3] negate(p) }
ENTRY main { p = f32[2,3] parameter(0) ROOT r = f32[2,3] call(p), to_apply=callee })";
  const std::pair<const char*, void (*)(Module&)> kBreaks[] = {
      {"hlo.operand",  // the wrong operand has the name of the right one
       [](Module& m) {
         m.entry()->root()->mutable_operands()[0] = m.computations()[0]->parameters()[0];
       }},
      {"hlo.operand",
       [](Module& m) {
         m.computations()[0]->root()->mutable_operands()[0] = m.entry()->parameters()[0];
       }},
      {"hlo.shape",
       [](Module& m) { m.computations()[0]->root()->mutable_shape().set_dimension(0, -1); }},
      {"hlo.shape",  // there is no argument of this shape
       [](Module& m) { m.entry()->parameters()[0]->mutable_shape().set_dimension(0, -1); }},
      {"layouts.7",
       [](Module& m) {
         m.entry()->root()->mutable_shape().mutable_layout() = Layout{.minor_to_major = {0, 0}};
       }},
  };
  const std::string folder = testing::TempDir() + "/proto_form";
  for (const auto& [rule, break_it] : kBreaks) {
    Bundle bundle = BundleOf(kText);
    break_it(*bundle.sample.module);
    ASSERT_TRUE(WriteBundle(bundle, folder).ok());
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, ReadBundle(folder));
    EXPECT_EQ(RuleOf(VerifyModule(*read.sample.module)), rule);
    EXPECT_THAT(*ReadFile(folder + "/case_test.cc"), HasSubstr("ParseModuleProtoText"));
  }
  ASSERT_TRUE(WriteBundle(BundleOf(kText), folder).ok());
  EXPECT_FALSE(ReadFile(folder + "/module.pbtxt").ok());
  EXPECT_TRUE(VerifyModule(*ReadBundle(folder)->sample.module).ok());
}

// The script sets an option that JAX sets by default, which the failing run may not have set.
TEST(BundleTest, TheScriptForJaxHasTheOptionsOfTheRun) {
  const auto script = [](const char* backend) {
    Bundle bundle = BundleOf("HloModule m\nENTRY e { ROOT c = f32[] constant(1) }");
    bundle.backend = backend;
    return BundleJaxScript(bundle) + BundleReadme(bundle, "");
  };
  EXPECT_THAT(script("xla"), HasSubstr("OPTIONS = [(\"xla_cpu_enable_fast_min_max\", False)]"));
  EXPECT_THAT(script("xla"), HasSubstr("Compile options: xla_cpu_enable_fast_min_max=false."));
  EXPECT_THAT(script("mine?a=3&b=c&d=1.5"),
              HasSubstr("OPTIONS = [(\"a\", 3), (\"b\", \"c\"), (\"d\", 1.5)]"));
  EXPECT_THAT(script("pjrt:p.so"), HasSubstr("OPTIONS = []"));
  EXPECT_THAT(script("pjrt:p.so"), HasSubstr("Compile options: none"));
}

TEST(BundleTest, TheTestOfAPartitionedModuleSaysWhatItNeeds) {
  const std::string module =
      ", num_partitions=2\nENTRY e { p = f32[4] parameter(0), sharding={devices=[2]<=[2]} "
      "ROOT n = f32[4] negate(p) }";
  EXPECT_THAT(BundleXlaTest(BundleOf(("HloModule m" + module).c_str())),
              HasSubstr("// The failure needs 2 partitions; Execute runs one."));
  EXPECT_THAT(BundleXlaTest(BundleOf("HloModule m\nENTRY e { ROOT c = f32[] constant(1) }")),
              Not(HasSubstr("partitions")));
}

// One device cannot show that several have no failure.
TEST(BundleTest, TheScriptForJaxKnowsHowManyDevicesItDoesNotRun) {
  const auto script = [](const char* head) {
    return BundleJaxScript(BundleOf(
        absl::StrCat("HloModule m", head, "\nENTRY e { ROOT c = f32[] constant(1) }").c_str()));
  };
  EXPECT_THAT(script(""), HasSubstr("COPIES = 1 "));
  EXPECT_THAT(script(", replica_count=2"), HasSubstr("COPIES = 2 "));
  EXPECT_THAT(script(", replica_count=2, num_partitions=3"), HasSubstr("COPIES = 6 "));
}

// Without the plugin, the script would judge the engine of jaxlib.
TEST(BundleTest, TheScriptOfAPluginRequiresThePlugin) {
  Bundle bundle = BundleOf("HloModule m\nENTRY e { ROOT c = f32[] constant(1) }");
  for (const char* backend : {"my_plugin", "my_plugin?a=3", "pjrt:p.so"}) {
    bundle.backend = backend;
    EXPECT_TRUE(IsPluginFile(backend)) << backend;
    EXPECT_THAT(BundleJaxScript(bundle), HasSubstr("NEEDS_PLUGIN = True"));
    EXPECT_THAT(BundleJaxScript(bundle), HasSubstr("python repro_jax.py PLUGIN.so\n"));
    EXPECT_THAT(BundleReadme(bundle, ""), HasSubstr("With JAX: `python repro_jax.py PLUGIN.so`"));
  }
  bundle.backend = "xla@0.11.2";
  EXPECT_FALSE(IsPluginFile(bundle.backend) || IsPluginFile("hlo-evaluator"));
  EXPECT_THAT(BundleJaxScript(bundle), HasSubstr("NEEDS_PLUGIN = False"));
}

}  // namespace
}  // namespace hlocts::fuzz
