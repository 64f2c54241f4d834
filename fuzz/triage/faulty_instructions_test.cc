// SPDX-License-Identifier: Apache-2.0
// Tests that all instructions that are wrong in isolation are found.
#include "fuzz/triage/faulty_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/finding_store.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/failure_traits.h"
#include "generators/arguments.h"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Sample SampleOfText(const std::string& text) {
  Sample sample;
  sample.module = *ParseModule(text);
  sample.arguments = generators::GenerateArguments(backends::ArgumentLeafShapes(*sample.module), 1);
  return sample;
}

std::unique_ptr<backends::Backend> Faulty(const std::string& faults) {
  return *backends::MakeInProcessBackend("canary:" + faults);
}

std::vector<std::string> RootsOf(const std::vector<FaultyInstruction>& faulty) {
  std::vector<std::string> roots;
  for (const FaultyInstruction& instruction : faulty)
    roots.emplace_back(OpcodeName(instruction.sample.module->entry()->root()->opcode()));
  return roots;
}

TEST(CulpritsTest, EachInstructionThatIsWrongIsOne) {
  auto engine = Faulty("subtract.operands-swapped+slice.one-early");
  const Sample sample = SampleOfText(R"(HloModule m
    ENTRY e { x = f32[9] parameter(0) y = f32[9] parameter(1) d = f32[9] subtract(x, y)
      t = f32[9] negate(d) ROOT s = f32[3] slice(t), slice={[3:6]} })");
  std::vector<FaultyInstruction> faulty = FaultyInstructionsOf(sample, *engine, {});
  EXPECT_THAT(RootsOf(faulty), ElementsAre("subtract", "slice"));
  for (const FaultyInstruction& instruction : faulty) {
    EXPECT_EQ(instruction.result.verdict.kind, Outcome::kFail);
    EXPECT_EQ(RunTrial(instruction.sample, *engine, {}, false).verdict.kind, Outcome::kFail);
  }
}

TEST(CulpritsTest, ALoopNamesAnInstructionOfItsBodyOnce) {
  auto engine = Faulty("subtract.operands-swapped");
  const Sample sample = SampleOfText(R"(HloModule m
    body { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
      x = f32[] get-tuple-element(p), index=1 one = s32[] constant(1) n = s32[] add(i, one)
      two = f32[] constant(2) d = f32[] subtract(x, two) ROOT r = (s32[], f32[]) tuple(n, d) }
    test { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
      three = s32[] constant(3) ROOT c = pred[] compare(i, three), direction=LT }
    ENTRY e { z = s32[] constant(0) x = f32[] parameter(0) s = (s32[], f32[]) tuple(z, x)
      w = (s32[], f32[]) while(s), condition=test, body=body
      ROOT r = f32[] get-tuple-element(w), index=1 })");
  EXPECT_THAT(RootsOf(FaultyInstructionsOf(sample, *engine, {})), ElementsAre("subtract"));
}

TEST(CulpritsTest, AWrongConstantComesBeforeWhatComputesWithIt) {
  auto engine = Faulty("constant.f16-read-as-bf16");
  const Sample sample = SampleOfText(R"(HloModule m
    ENTRY e { x = f16[2] parameter(0) c = f16[2] constant({1, 3}) ROOT a = f16[2] add(x, c) })");
  EXPECT_THAT(RootsOf(FaultyInstructionsOf(sample, *engine, {})), ElementsAre("constant"));
}

TEST(CulpritsTest, WhatDiffersFromDeviceToDeviceBecomesItsNumber) {
  auto engine = Faulty("all-gather.groups-transposed");
  const Sample sample = SampleOfText(R"(HloModule m, replica_count=4
    ENTRY e { x = f32[2] parameter(0) i = u32[] replica-id() f = f32[] convert(i)
      b = f32[2] broadcast(f), dimensions={} y = f32[2] add(x, b)
      ROOT g = f32[4] all-gather(y), dimensions={0}, replica_groups={{0,1},{2,3}} })");
  ASSERT_EQ(RunTrial(sample, *engine, {}, false).verdict.kind, Outcome::kFail);
  std::vector<FaultyInstruction> faulty = FaultyInstructionsOf(sample, *engine, {});
  ASSERT_THAT(RootsOf(faulty), ElementsAre("all-gather"));
  EXPECT_THAT(faulty[0].sample.arguments, IsEmpty());
  EXPECT_EQ(RunTrial(faulty[0].sample, *engine, {}, false).verdict.kind, Outcome::kFail);
}

TEST(CulpritsTest, ARightModuleHasNone) {
  auto engine = Faulty("subtract.operands-swapped");
  const Sample sample = SampleOfText(
      "HloModule m\nENTRY e { x = f32[3] parameter(0)\n"
      " ROOT a = f32[3] add(x, x) }");
  EXPECT_THAT(FaultyInstructionsOf(sample, *engine, {}), IsEmpty());
}

CampaignOptions OptionsIn(const std::string& name) {
  CampaignOptions options;
  options.out = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(options.out);
  std::filesystem::create_directories(options.out);
  return options;
}

// Returns a `stop` that is true from call `number` on.
std::function<bool()> StopAt(int number) {
  return [number, calls = std::make_shared<int>(0)] { return ++*calls >= number; };
}

int64_t BundlesIn(const CampaignOptions& options) {
  std::error_code none;
  return std::distance(std::filesystem::directory_iterator(options.out + "/findings", none), {});
}

// A wrong module that is its own only part.
class PendingTest : public testing::Test {
 protected:
  absl::Status Add(FindingStore& store, int64_t number, const std::function<bool()>& stop,
                   bool again = false) {
    const FoundBy found = {
        "canary", engine_.get(), reference_.get(), absl::StrCat("of ", number), number, {}, again};
    return store.Add(sample_, result_, found, stop);
  }
  static bool Never() { return false; }

  std::unique_ptr<backends::Backend> engine_ = Faulty("subtract.operands-swapped");
  std::unique_ptr<backends::Backend> reference_ = *backends::MakeInProcessBackend("reference");
  Sample sample_ = SampleOfText(R"(HloModule m
    ENTRY e { x = f16[9] parameter(0) y = f16[9] parameter(1) ROOT d = f16[9] subtract(x, y) })");
  TrialResult result_ = RunTrial(sample_, *engine_, {}, false);
};

TEST_F(PendingTest, AFailureWhoseShrinkingIsCutIsKept) {
  const CampaignOptions options = OptionsIn("cut_short");
  for (int call = 1; call <= 5; ++call) {
    FindingStore stopped(options);
    ASSERT_TRUE(stopped.Load().ok());
    stopped.NumbersToShrink();
    ASSERT_TRUE(Add(stopped, 7, StopAt(call), call > 1).ok());
    EXPECT_EQ(stopped.buckets(), 1) << call;
    EXPECT_EQ(stopped.not_shrunk(), 1) << call;
    EXPECT_EQ(BundlesIn(options), 1) << call;
  }
  FindingStore resumed(options);
  ASSERT_TRUE(resumed.Load().ok());
  EXPECT_THAT(resumed.NumbersToShrink(), ElementsAre(7));
  ASSERT_TRUE(Add(resumed, 7, Never, true).ok());
  FindingStore again(options);
  ASSERT_TRUE(again.Load().ok());
  for (FindingStore* store : {&resumed, &again}) {
    EXPECT_EQ(store->buckets(), 1);
    EXPECT_EQ(store->not_shrunk(), 0);
  }
  EXPECT_EQ(BundlesIn(options), 1);
}

TEST_F(PendingTest, AnUnshrunkModuleIsPerhapsKnownByWhatItHas) {
  CampaignOptions options = OptionsIn("known_by_needs");
  options.known = [](const std::string&, const reports::Verdict&,
                     const std::set<std::string>* needs) {
    return needs == nullptr ? std::nullopt : std::optional(KnownBy{.signature = "fail *"});
  };
  FindingStore store(options);
  ASSERT_TRUE(Add(store, 7, StopAt(3)).ok());
  FindingStore loaded(options);
  ASSERT_TRUE(loaded.Load().ok());
  for (FindingStore* one : {&store, &loaded}) {
    EXPECT_EQ(one->buckets(), 0);
    EXPECT_EQ(one->not_shrunk(), 1);
  }
  EXPECT_EQ(store.failures().fresh, 0);
  EXPECT_EQ(store.failures().known, 1);
  EXPECT_EQ(BundlesIn(options), 0);
  EXPECT_THAT(*ReadFile(options.out + "/known.jsonl"), HasSubstr("not_shrunk"));
  // Another module with the same signature says nothing about module 7.
  ASSERT_TRUE(Add(store, 8, Never).ok());
  EXPECT_EQ(store.failures().known, 2);
  EXPECT_EQ(store.not_shrunk(), 1);
  EXPECT_THAT(store.NumbersToShrink(), ElementsAre(7));
  ASSERT_TRUE(Add(store, 7, Never, true).ok());
  EXPECT_EQ(store.failures().known, 2);
  EXPECT_EQ(store.failures().fresh, 0);
  EXPECT_EQ(store.buckets(), 0);
  EXPECT_EQ(BundlesIn(options), 0);
  FindingStore resumed(options);
  ASSERT_TRUE(resumed.Load().ok());
  EXPECT_EQ(resumed.buckets(), 0);
}

TEST(FindingStoreTest, UnshrunkModuleIsReplacedByFaultyInstructions) {
  auto engine = Faulty("subtract.operands-swapped+slice.one-early");
  auto reference = *backends::MakeInProcessBackend("reference");
  const Sample sample = SampleOfText(R"(HloModule m
    ENTRY e { x = f32[9] parameter(0) y = f32[9] parameter(1) d = f32[9] subtract(x, y)
      ROOT s = f32[3] slice(d), slice={[3:6]} })");
  const CampaignOptions options = OptionsIn("culprits");
  const FoundBy found = {"canary", engine.get(), reference.get(), "a test", 7, {}};
  const TrialResult result = RunTrial(sample, *engine, {}, false);
  FindingStore stopped(options);
  ASSERT_TRUE(stopped.Add(sample, result, found, [] { return true; }).ok());
  EXPECT_EQ(stopped.buckets(), 1);
  EXPECT_EQ(stopped.not_shrunk(), 1);

  FindingStore resumed(options);
  ASSERT_TRUE(resumed.Load().ok());
  EXPECT_THAT(resumed.NumbersToShrink(), ElementsAre(7));
  ASSERT_TRUE(resumed.Add(sample, result, found, [] { return false; }).ok());
  EXPECT_EQ(resumed.buckets(), 2);
  EXPECT_EQ(resumed.not_shrunk(), 0);

  FindingStore again(options);
  ASSERT_TRUE(again.Load().ok());
  EXPECT_EQ(again.buckets(), 2);
  EXPECT_THAT(again.NumbersToShrink(), IsEmpty());
}

// The engine has two faults of one operation. The shrunk module must show the same fault as before.
std::string ShrunkSlice(int64_t size, const char* type, int64_t start) {
  auto engine = Faulty("dynamic-slice.negative-start-wraps+dynamic-slice.outside-reads-zero");
  auto reference = *backends::MakeInProcessBackend("reference");
  const Sample sample = SampleOfText(absl::StrCat(
      "HloModule m\nENTRY e { x = f32[", size, "] parameter(0) i = ", type, "[] constant(", start,
      ")\n ROOT s = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} }"));
  ShrinkResult shrunk = Shrink(sample, *engine, *reference, {});
  return absl::StrCat(PrintModule(*shrunk.sample.module), shrunk.signature);
}

TEST(ShrinkerTest, AFaultOfAnOperationDoesNotBecomeAnother) {
  EXPECT_THAT(ShrunkSlice(9, "s32", -4), HasSubstr("constant(-"));
  EXPECT_THAT(ShrunkSlice(9, "s32", -4), HasSubstr("f32 value"));
  EXPECT_THAT(ShrunkSlice(9, "s64", 40), Not(HasSubstr("constant(-")));
  EXPECT_THAT(ShrunkSlice(9, "s64", 40), HasSubstr("f32 zero"));
}

TEST(ShrinkerTest, SwappedLoopValuesAreKeptIfNeeded) {
  auto engine = Faulty("while.carried-swap-overwritten+while.odd-trip-dropped");
  auto reference = *backends::MakeInProcessBackend("reference");
  const Sample sample = SampleOfText(R"(HloModule m
    body { p = (s32[], f32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
      one = s32[] constant(1) n = s32[] add(i, one) a = f32[] get-tuple-element(p), index=1
      b = f32[] get-tuple-element(p), index=2 ROOT r = (s32[], f32[], f32[]) tuple(n, b, a) }
    test { p = (s32[], f32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
      last = s32[] constant(4) ROOT c = pred[] compare(i, last), direction=LT }
    ENTRY e { z = s32[] constant(0) x = f32[] constant(1) y = f32[] constant(2)
      s = (s32[], f32[], f32[]) tuple(z, x, y)
      ROOT w = (s32[], f32[], f32[]) while(s), condition=test, body=body })");
  ShrinkResult shrunk = Shrink(sample, *engine, *reference, {});
  EXPECT_EQ(FailureTraitsOf(shrunk.sample).needs.count("permutation"), 1)
      << PrintModule(*shrunk.sample.module);
}

TEST(ShrinkerTest, ASlightErrorStaysOne) {
  auto engine = Faulty("rsqrt.12-bits+rsqrt.twice-the-bound");
  auto reference = *backends::MakeInProcessBackend("reference");
  const Sample sample =
      SampleOfText("HloModule m\nENTRY e { c = bf16[] constant(3)\n ROOT r = bf16[] rsqrt(c) }");
  const TrialResult first = RunTrial(sample, *engine, {}, false);
  ASSERT_EQ(first.verdict.kind, Outcome::kFail);
  ASSERT_TRUE(first.slight);
  EXPECT_TRUE(Shrink(sample, *engine, *reference, {}).result.slight);
}

// On this engine inf - inf is 0, and all differences have the wrong sign.
TEST(ShrinkerTest, ANumberInsteadOfNanStaysOne) {
  auto engine = Faulty("subtract.infinities-cancel+subtract.operands-swapped");
  auto reference = *backends::MakeInProcessBackend("reference");
  for (const bool infinite : {true, false}) {
    const char* const first = infinite ? "inf" : "5";
    const ShrinkResult shrunk =
        Shrink(SampleOfText(absl::StrCat("HloModule m\nENTRY e { x = f32[2] constant({", first,
                                         ", 7})\n y = f32[2] constant({", first, ", 2})\n",
                                         " ROOT s = f32[2] subtract(x, y) }")),
               *engine, *reference, {});
    ASSERT_TRUE(shrunk.reproduced);
    EXPECT_EQ(shrunk.result.verdict.first_failure->only_nan, infinite)
        << PrintModule(*shrunk.sample.module);
    EXPECT_EQ(FailureTraitsOf(shrunk.sample, shrunk.result).needs.count("only-nan"), infinite);
  }
}

}  // namespace
}  // namespace hlocts::fuzz
