// SPDX-License-Identifier: Apache-2.0
// Tests shrinking, bundles and campaigns with engines that are deliberately wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_replace.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/coverage.h"
#include "fuzz/campaign/engines.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/bundle_texts.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/failure_traits.h"
#include "generators/arguments.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An engine with a defect: the reference, but it executes `wrong` instead of `right`.
class WrongEngine : public backends::Backend {
 public:
  WrongEngine(Opcode right, Opcode wrong, int64_t elements_min = 0)
      : right_(right),
        wrong_(wrong),
        elements_min_(elements_min),
        reference_(*backends::MakeBackend("reference")) {}
  backends::BackendInfo info() override {
    backends::BackendInfo info = reference_->info();
    info.name = "wrong";
    return info;
  }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module& module, const backends::LoadOptions& options) override {
    std::unique_ptr<Module> clone = module.Clone();
    for (const auto& computation : clone->computations()) {
      for (const auto& instruction : computation->instructions()) {
        bool large =
            instruction->shape().IsArray() && instruction->shape().ElementCount() >= elements_min_;
        if (instruction->opcode() == right_ && large) instruction->set_opcode(wrong_);
      }
    }
    return reference_->Load(*clone, options);
  }

 private:
  Opcode right_, wrong_;
  int64_t elements_min_;
  std::unique_ptr<backends::Backend> reference_;
};

Sample Parsed(const std::string& text, uint64_t seed) {
  Sample sample;
  sample.module = *ParseModule(text);
  sample.arguments =
      generators::GenerateArguments(backends::ArgumentLeafShapes(*sample.module), seed);
  return sample;
}

constexpr char kDeep[] = R"(HloModule m
body { p = (s32[], f32[4,6]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4,6] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  t = f32[4,6] tanh(x)
  u = f32[4,6] add(t, x)
  ROOT r = (s32[], f32[4,6]) tuple(next, u) }
condition { p = (s32[], f32[4,6]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  two = s32[] constant(2)
  ROOT l = pred[] compare(i, two), direction=LT }
ENTRY main { a = f32[4,6] parameter(0)
  b = f32[6,4] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], f32[4,6]) tuple(zero, a)
  w = (s32[], f32[4,6]) while(s), condition=condition, body=body
  y = f32[4,6] get-tuple-element(w), index=1
  c = f32[6,4] negate(b)
  d = f32[4,4] dot(y, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f32[4,4], f32[6,4]) tuple(d, c) })";

ShrinkResult ShrunkOn(backends::Backend& engine, const Sample& sample) {
  auto reference = *backends::MakeBackend("reference");
  ShrinkOptions options;
  return Shrink(sample, engine, *reference, options);
}

TEST(Engines, TypesThatOneLacksAreLeftOut) {
  backends::BackendInfo info;
  EXPECT_EQ(NamesOfMissing(TypesOf(info)), "");
  EXPECT_TRUE(TakesDynamicArguments(info));
  info.capabilities = {"execute", "without:s1", "without:f8e8m0fnu", "without:dynamic-arguments"};
  EXPECT_EQ(NamesOfMissing(TypesOf(info)), " s1 f8e8m0fnu");
  EXPECT_FALSE(TakesDynamicArguments(info));
}

// Without dynamic arguments, no parameter is dynamic. Modules that had none are unchanged.
TEST(Engines, DynamicArgumentsThatOneLacksAreLeftOut) {
  CampaignOptions with, without;
  without.generator.dynamic_parameters = false;
  auto text = [](const generators::Generated& made) {
    return PrintModule(*made.module, PrintOptions::Default());
  };
  int dynamic = 0;
  for (int64_t number = 0; number < 2000; ++number) {
    generators::Generated free = CampaignModule(with, number),
                          bound = CampaignModule(without, number);
    auto is_dynamic = [](const Literal& argument) { return argument.shape().is_dynamic(); };
    EXPECT_FALSE(absl::c_any_of(bound.arguments, is_dynamic)) << number;
    const bool differs = absl::c_any_of(free.arguments, is_dynamic);
    dynamic += differs;
    if (!differs) {
      EXPECT_EQ(text(free), text(bound)) << number;
    }
    if (bound.broken_rule.empty()) {
      EXPECT_TRUE(VerifyModule(*bound.module).ok()) << number;
    }
  }
  EXPECT_GT(dynamic, 20);
}

TEST(ShrinkerTest, AWrongFunctionInALoopBecomesOneInstructionOfOneElement) {
  WrongEngine engine(Opcode::kTanh, Opcode::kSinh);
  ShrinkResult shrunk = ShrunkOn(engine, Parsed(kDeep, 1));
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_LE(CountInstructions(*shrunk.sample.module), 2) << PrintModule(*shrunk.sample.module);
  EXPECT_EQ(CountElements(*shrunk.sample.module), 1);
  EXPECT_THAT(shrunk.signature, HasSubstr("fail tanh f32"));
  EXPECT_TRUE(VerifyModule(*shrunk.sample.module).ok());
}

TEST(ShrinkerTest, TheSameSampleShrinksToTheSameModule) {
  WrongEngine engine(Opcode::kTanh, Opcode::kSinh);
  EXPECT_EQ(PrintModule(*ShrunkOn(engine, Parsed(kDeep, 1)).sample.module),
            PrintModule(*ShrunkOn(engine, Parsed(kDeep, 1)).sample.module));
}

TEST(ShrinkerTest, ASizeThatIsPartOfTheFaultIsKeptExactly) {
  WrongEngine engine(Opcode::kNegate, Opcode::kAbs, /*elements_min=*/13);
  ShrinkResult shrunk = ShrunkOn(engine, Parsed(R"(HloModule m
ENTRY main { a = f32[40] parameter(0)
  b = f32[40] exponential(a)
  c = f32[40] negate(b)
  ROOT d = f32[20] slice(c), slice={[0:40:2]} })",
                                                3));
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_EQ(CountElements(*shrunk.sample.module), 13) << PrintModule(*shrunk.sample.module);
  EXPECT_EQ(CountInstructions(*shrunk.sample.module), 1);
}

TEST(ShrinkerTest, WhatFailsInAnyTypeFailsInAPlainOneOfItsKindAndOutsideOfAMap) {
  WrongEngine engine(Opcode::kSubtract, Opcode::kAdd);
  for (const char* type : {"s64", "bf16", "u8", "c64"}) {
    std::string text = R"(HloModule m
body { a = T[] parameter(0) b = T[] parameter(1) one = T[] constant(1)
  d = T[] subtract(a, b) ROOT r = T[] add(d, one) }
ENTRY main { x = T[3] parameter(0) y = T[3] parameter(1)
  ROOT m = T[3] map(x, y), dimensions={0}, to_apply=body })";
    ShrinkResult shrunk =
        ShrunkOn(engine, Parsed(absl::StrReplaceAll(text, {{"T[", absl::StrCat(type, "[")}}), 3));
    ASSERT_TRUE(shrunk.reproduced);
    const bool is_integer = *type == 's' || *type == 'u';
    EXPECT_THAT(shrunk.signature, HasSubstr(is_integer ? "subtract s32" : "subtract f32"))
        << PrintModule(*shrunk.sample.module);
    EXPECT_EQ(CountInstructions(*shrunk.sample.module), 1) << PrintModule(*shrunk.sample.module);
  }
}

TEST(ShrinkerTest, OneComputationIsCalledInBothPlaces) {
  WrongEngine engine(Opcode::kTanh, Opcode::kSinh);
  ShrinkResult shrunk = ShrunkOn(engine, Parsed(R"(HloModule m
low { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
high { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GT }
ENTRY main { x = f32[2] parameter(0) t = f32[2] tanh(x)
  s = f32[2] sort(t), dimensions={0}, to_apply=low
  ROOT r = f32[2] sort(s), dimensions={0}, to_apply=high })",
                                                3));
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_FALSE(FailureTraitsOf(shrunk.sample).has_distinct_callees)
      << PrintModule(*shrunk.sample.module);
}

TEST(ShrinkerTest, WhatDoesNotFailIsNotShrunk) {
  WrongEngine engine(Opcode::kCosine, Opcode::kSine);
  EXPECT_FALSE(ShrunkOn(engine, Parsed(kDeep, 1)).reproduced);
}

// 8 / 0 = 0 contradicts a fact of the engine; 8 / 3 = 0 contradicts the documents.
class AndInsteadOfDivide : public WrongEngine {
 public:
  AndInsteadOfDivide() : WrongEngine(Opcode::kDivide, Opcode::kAnd) {}
  backends::BackendInfo info() override {
    backends::BackendInfo info = WrongEngine::info();
    info.facts = {"barrier.crossed", "integer.division"};
    return info;
  }
};

TEST(ShrinkerTest, AFailureByTheDocumentsDoesNotTurnIntoOneByAFact) {
  AndInsteadOfDivide engine;
  Sample sample;
  sample.module = *ParseModule(
      "HloModule m\nENTRY e { x = s32[3] parameter(0) y = s32[3] parameter(1)\n"
      " ROOT q = s32[3] divide(x, y) }");
  sample.arguments = {*ParseLiteralWithShape("s32[3] {8, 8, 8}"),
                      *ParseLiteralWithShape("s32[3] {3, 0, 3}")};
  const ShrinkResult shrunk = ShrunkOn(engine, sample);
  ASSERT_TRUE(shrunk.result.verdict.first_failure);
  EXPECT_TRUE(shrunk.result.verdict.first_failure->facts.empty());
  EXPECT_THAT(shrunk.identity, Contains(HasSubstr("without facts of the engine")));
  // If only divisions by zero are wrong, the failure needs the fact.
  sample.arguments[1] = *ParseLiteralWithShape("s32[3] {0, 0, 0}");
  const reports::Verdict by_fact = RunTrial(sample, engine, {}, false).verdict;
  ASSERT_TRUE(by_fact.first_failure);
  EXPECT_THAT(by_fact.first_failure->facts, ElementsAre("integer.division"));
}

TEST(BundleTest, WhatIsWrittenIsReadAgainAndIsSmall) {
  std::string folder = testing::TempDir() + "/bundle";
  WrongEngine engine(Opcode::kTanh, Opcode::kSinh);
  ShrinkResult shrunk = ShrunkOn(engine, Parsed(kDeep, 1));
  std::string module = PrintModule(*shrunk.sample.module);
  Bundle bundle = {std::move(shrunk.sample), "xla",    {}, shrunk.result,
                   shrunk.signature,         "a test", ""};
  bundle.expected = ExpectedLines(bundle.sample, bundle.result.verdict, {}, {});
  ASSERT_TRUE(WriteBundle(bundle, folder).ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, ReadBundle(folder));
  EXPECT_EQ(PrintModule(*read.sample.module), module);
  EXPECT_TRUE(read.sample.arguments[0].BitwiseEqual(bundle.sample.arguments[0]));
  EXPECT_EQ(RunTrial(read.sample, engine, read.options, false).verdict.kind, Outcome::kFail);
  size_t bytes = 0;
  for (const char* name : {"module.hlo", "inputs.txt", "actual.txt", "expected.jsonl",
                           "verdict.json", "README.md", "repro_jax.py", "case_test.cc"}) {
    auto text = ReadFile(folder + "/" + name);
    ASSERT_TRUE(text.ok()) << name;
    EXPECT_FALSE(text->empty()) << name;
    bytes += text->size();
  }
  EXPECT_LE(bytes, kBundleBytesMax);
  bundle.result.outputs.clear();
  bundle.result.verdict.kind = Outcome::kCrash;
  EXPECT_THAT(BundleReadme(bundle, ""), HasSubstr("`inputs.txt`, the engine crashed.\n"));
}

CampaignOptions SmallCampaign(const std::string& name, int64_t modules, int jobs) {
  CampaignOptions options{.backends = {"reference"},
                          .modules_max = modules,
                          .jobs = jobs,
                          .out = testing::TempDir() + "/" + name};
  std::filesystem::remove_all(options.out);  // from an earlier run of this test
  return options;
}

TEST(CampaignTest, TheReferenceIsRightAboutItself) {
  CampaignOptions options = SmallCampaign("itself", 300, 2);
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto status, RunCampaign(options, [](const CampaignStatus&) {}));
  EXPECT_EQ(status.modules, 300);
  EXPECT_EQ(status.valid, 300);
  EXPECT_EQ(status.buckets, 0) << status.ToText();
  EXPECT_GT(status.cells, 500);
  for (const char* key : {"modules", "seconds", "jobs", "valid", "instructions_mean", "verdicts",
                          "cells", "buckets", "inconclusive", "bits_checked_mean"}) {
    EXPECT_THAT(status.ToJson(), HasSubstr(std::string("\"") + key + "\":"));
  }
}

// Tests that the weights of an epoch depend only on earlier modules, in any order of queries.
TEST(GuideTest, AModuleIsAFunctionOfItsNumberAndSteersToWhatIsNew) {
  CampaignOptions options;
  Guide in_turn(options), at_once(options);
  const int64_t last = 3 * Guide::kEpoch + 7;
  std::string text;
  for (int64_t number = 0; number <= last; ++number)
    text = PrintModule(*in_turn.Make(number).module);
  EXPECT_EQ(PrintModule(*at_once.Make(last).module), text);
  EXPECT_EQ(PrintModule(*at_once.Make(3).module), PrintModule(*in_turn.Make(3).module));
  EXPECT_NE(PrintModule(*CampaignModule(options, last).module), text);
  Cells plain;
  for (int64_t number = 0; number <= last; ++number) {
    generators::Generated made = CampaignModule(options, number);
    if (made.broken_rule.empty()) AddCells(*made.module, plain);
  }
  EXPECT_GT(in_turn.cells(), static_cast<int64_t>(plain.size()));
}

// If the instruction concatenates two parts of one array, cut out by negative padding, and the
// tiles of the array have one element in the concatenated dimension, returns the array; else
// nullptr.
const Instruction* RotatedInTilesOfOne(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kConcatenate || instruction.operands().size() != 2)
    return nullptr;
  const Instruction *first = instruction.operands()[0], *second = instruction.operands()[1];
  if (first->opcode() != Opcode::kPad || second->opcode() != Opcode::kPad) return nullptr;
  const Instruction* array = first->operands()[0];
  const int64_t dimension = (*instruction.Get<std::vector<int64_t>>(Attr::kDimensions))[0];
  const auto* sharding = array->Get<Sharding>(Attr::kSharding);
  if (second->operands()[0] != array || sharding == nullptr) return nullptr;
  const std::vector<int64_t>& tiles = sharding->tile_assignment_dimensions;
  const bool one = !tiles.empty() && tiles[dimension] == array->shape().dimension(dimension);
  return one ? array : nullptr;
}

TEST(CampaignTest, ShardedModulesRotateAnArrayInTwoWaysInTilesOfOneElement) {
  CampaignOptions options;
  options.partitions_max = 4;
  int modules = 0;
  for (int64_t number = 0; number < 10000; ++number) {
    const generators::Generated made = CampaignModule(options, number);
    std::map<const Instruction*, std::set<std::vector<int64_t>>> parts;
    for (const auto& instruction : made.module->entry()->instructions()) {
      if (const Instruction* array = RotatedInTilesOfOne(*instruction))
        parts[array].insert(instruction->operands()[0]->shape().dimensions());
    }
    modules += absl::c_any_of(parts, [](const auto& array) { return array.second.size() > 1; });
  }
  EXPECT_GE(modules, 2);
}

TEST(CampaignTest, AResumedCampaignGoesOnWhereItStood) {
  CampaignOptions options = SmallCampaign("resumed", 40, 1);
  ASSERT_TRUE(RunCampaign(options, [](const CampaignStatus&) {}).ok());
  options.resume = true;
  options.modules_max = 100;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto status, RunCampaign(options, [](const CampaignStatus&) {}));
  EXPECT_EQ(status.modules, 60);
  options.seed = 99;
  EXPECT_FALSE(RunCampaign(options, [](const CampaignStatus&) {}).ok());
}

TEST(CampaignTest, ElementsOfWhichLittleIsSaidAreCounted) {
  reports::Verdict verdict;
  verdict.unspecified_elements = 3;
  verdict.effective_quarters[24].resize(reports::kEffectiveQuarters);
  verdict.effective_quarters[24][7] = 1;
  verdict.effective_quarters[24][8] = 4;
  CampaignStatus status;
  status.elements = 12;
  status.CountVerdict(verdict);
  EXPECT_THAT(status.ToJson(),
              HasSubstr("\"unspecified_share\":0.25,\"below_two_bits_share\":0.2"));
}

TEST(FailureSignatureTest, MessagesAreTheSameWithoutNumbersAndNames) {
  reports::Verdict a, b;
  a.kind = b.kind = Outcome::kRejected;
  a.reason = "%add.7 = add: expected 'f32[2]' at line 12";
  b.reason = "%p.19 = add: expected 'bf16[4,4]' at line 7";
  EXPECT_EQ(FailureSignatureOf(a), FailureSignatureOf(b));
  a.error.message = b.error.message = "worker killed by signal 6 (Aborted)";
  a.error.log = "started\nterminate called\n  what():  no such type: C64";
  EXPECT_EQ(FailureSignatureOf(a).mismatch, "what(): no such type:");
  b.error.log = "  what():  no such type: U2\nstack";
  EXPECT_EQ(FailureSignatureOf(a), FailureSignatureOf(b));
  b.error = EngineError();
  b.reason = "another complaint";
  EXPECT_FALSE(FailureSignatureOf(a) == FailureSignatureOf(b));
}

TEST(FailureSignatureTest, WhatCuttingFoundIsNoPartOfTheMessageButNamesTheOperation) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[2] parameter(0)\n n = f32[2] negate(p)\n ROOT t = f32[2] "
      "tanh(n) }");
  ASSERT_TRUE(module.ok());
  reports::Verdict plain, cut;
  plain.kind = cut.kind = Outcome::kRejected;
  plain.reason = "Unsupported type for tanh";
  cut.reason = plain.reason;
  cut.localisation.kind = reports::Localisation::Kind::kAlone;
  cut.localisation.outcome = Outcome::kRejected;
  cut.localisation.instructions = {"t"};
  EXPECT_EQ(FailureSignatureOf(plain), FailureSignatureOf(cut));
  EXPECT_EQ(SignatureOf(cut, **module), "rejected tanh Unsupported type for tanh");
  EXPECT_EQ(SignatureOf(plain, **module), "rejected negate,tanh Unsupported type for tanh");
  reports::Verdict together;
  together.kind = Outcome::kFail;
  together.first_failure = reports::VerdictFailure{.actual = "2", .instruction = "{n, t}"};
  together.localisation.kind = reports::Localisation::Kind::kTogether;
  together.localisation.outcome = Outcome::kFail;
  together.localisation.instructions = {"n", "t"};
  EXPECT_EQ(SignatureOf(together, **module), "fail negate,tanh(together) f32 value");
}

TEST(FailureSignatureTest, MessagesFallIntoOneBucketWhateverTheType) {
  auto of_type = [](const std::string& type, Outcome kind) {
    auto module = ParseModule(absl::StrReplaceAll(
        "HloModule m\nENTRY e { p = $T[2] parameter(0)\n ROOT t = $T[2] tanh(p) }",
        {{"$T", type}}));
    reports::Verdict verdict;
    verdict.kind = kind;
    verdict.error.message = "worker killed by signal 11 (Segmentation fault)";
    verdict.error.log = "a line for " + type;
    if (kind == Outcome::kFail)
      verdict.first_failure = reports::VerdictFailure{.actual = "2", .instruction = "t"};
    return SignatureOf(verdict, **module);
  };
  EXPECT_EQ(of_type("f32", Outcome::kCrash), of_type("bf16", Outcome::kCrash));
  EXPECT_EQ(of_type("f32", Outcome::kCrash),
            "crash tanh worker killed by signal (Segmentation fault)");
  EXPECT_NE(of_type("f32", Outcome::kFail), of_type("bf16", Outcome::kFail));
}

TEST(FailureSignatureTest, WhatSetsAnInstructionApartIsPartOfTheSignature) {
  auto of = [](const char* body) {
    auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e { ", body, " }"));
    reports::Verdict verdict;
    verdict.kind = Outcome::kFail;
    verdict.first_failure = reports::VerdictFailure{.actual = "2", .instruction = "r"};
    return module.ok() ? SignatureOf(verdict, **module) : std::string(module.status().message());
  };
  EXPECT_EQ(of("p = s8[0] parameter(0) q = s8[2] parameter(1) ROOT r = s8[2] concatenate(p, q), "
               "dimensions={0}"),
            "fail concatenate(empty) s8 value");
  EXPECT_EQ(of("p = s8[2] parameter(0) q = s8[2] parameter(1) ROOT r = s8[4] concatenate(p, q), "
               "dimensions={0}"),
            "fail concatenate s8 value");
  EXPECT_EQ(of("p = f32[4] parameter(0) i = u64[] parameter(1) ROOT r = f32[1] dynamic-slice(p, "
               "i), dynamic_slice_sizes={1}"),
            "fail dynamic-slice(u64) f32 value");
}

TEST(FailureSignatureTest, WhatAMapDoesIsPartOfTheSignature) {
  auto module = ParseModule(
      "HloModule m\nf { x = s8[] parameter(0)\n ROOT c = s8[] count-leading-zeros(x) }\n"
      "ENTRY e { p = s8[2] parameter(0)\n ROOT r = s8[2] map(p), dimensions={0}, to_apply=f }");
  ASSERT_TRUE(module.ok()) << module.status();
  reports::Verdict verdict;
  verdict.kind = Outcome::kFail;
  verdict.first_failure = reports::VerdictFailure{.actual = "2", .instruction = "r"};
  EXPECT_EQ(SignatureOf(verdict, **module), "fail count-leading-zeros,map s8 value");
}

// Shape inference rejects operands that lost all dimensions, and does not crash.
TEST(ShrinkTest, OperandsWithoutDimensionsAreRefused) {
  for (const char* body :
       {"ROOT t = (f32[2], s32[2]) topk(p), k=2",
        "q = f32[1,1,4] broadcast(p), dimensions={2}\n"
        "ROOT c = f32[1,1,1] convolution(q, q), window={size=4}, dim_labels=bf0_oi0->bf0",
        "ROOT b = f32[3,4] broadcast(p), dimensions={1}"}) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(
        auto module,
        ParseModule(absl::StrCat("HloModule m\nENTRY e { p = f32[4] parameter(0)\n ", body, " }")));
    Module& shrunk = *module;
    shrunk.entry()->parameters()[0]->mutable_shape() = Shape::Scalar(PrimitiveType::kF32);
    EXPECT_FALSE(InferAgain(shrunk)) << body;
  }
  auto module = ParseModule(
      "HloModule m\nENTRY e { x = f32[1,1,4] parameter(0)\n k = f32[1,1,2] parameter(1)\n"
      "ROOT c = f32[1,1,3] convolution(x, k), window={size=2}, dim_labels=bf0_oi0->bf0 }");
  ASSERT_TRUE(module.ok()) << module.status();
  (*module)->entry()->parameters()[1]->mutable_shape() = Shape::Scalar(PrimitiveType::kF32);
  EXPECT_FALSE(InferAgain(**module));
}

class AcceptAllEngine : public backends::Backend {
 public:
  backends::BackendInfo info() override { return {}; }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module&, const backends::LoadOptions&) override {
    return std::unique_ptr<backends::Executable>();
  }
};

// Shrinks a module that breaks a rule, on an engine that accepts it.
ShrinkResult ShrinkInvalid(const Sample& sample) {
  AcceptAllEngine engine;
  WrongEngine values(Opcode::kAdd, Opcode::kAdd);
  ShrinkOptions options;
  options.trial.invalid = true;
  return Shrink(sample, engine, values, options);
}

TEST(ShrinkTest, AnInvalidModuleKeepsTheRuleThatItBreaks) {
  for (const char* outputs : {"x, y", "y, x"}) {
    std::string text = absl::StrCat(
        "HloModule m\nENTRY e { p = f32[2] parameter(0)\n t = (f32[2], f32[2]) tuple(p, p)\n",
        "x = f32[2] get-tuple-element(t), index=2\n y = f32[3] negate(p)\n",
        "ROOT r = (f32[2], f32[3]) tuple(", outputs, ") }");
    if (outputs[0] == 'y')
      text = absl::StrReplaceAll(text, {{"(f32[2], f32[3]) tuple", "(f32[3], f32[2]) tuple"}});
    Sample sample = Parsed(text, 1);
    std::string rule = RuleOf(VerifyModule(*sample.module));
    ASSERT_FALSE(rule.empty());
    ShrinkResult shrunk = ShrinkInvalid(sample);
    ASSERT_TRUE(shrunk.reproduced);
    EXPECT_EQ(RuleOf(VerifyModule(*shrunk.sample.module)), rule) << outputs;
    EXPECT_LT(CountInstructions(*shrunk.sample.module), CountInstructions(*sample.module))
        << outputs;
  }
}

// The modules have operands of other computations, missing attributes, wrong sizes, ...
TEST(ShrinkTest, InvalidModulesOfEveryKindAreShrunk) {
  CampaignOptions campaign;
  campaign.stream = *generators::StreamFromName("negative");
  for (int64_t number = 0; number < 400; ++number) {
    generators::Generated generated = CampaignModule(campaign, number);
    Sample sample = {std::move(generated.module), std::move(generated.arguments)};
    const std::string rule = RuleOf(VerifyModule(*sample.module));
    if (rule.empty()) continue;
    const ShrinkResult shrunk = ShrinkInvalid(sample);
    ASSERT_TRUE(shrunk.reproduced) << number;
    EXPECT_EQ(RuleOf(VerifyModule(*shrunk.sample.module)), rule) << number;
  }
}

TEST(ShrinkTest, SizesOfAnInvalidModuleAreShrunkAsTheyAreWritten) {
  Sample sample = Parsed(
      "HloModule m\nENTRY e { p = f32[40,7] parameter(0)\n ROOT r = f32[7,40] negate(p) }", 1);
  ShrinkResult shrunk = ShrinkInvalid(sample);
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_EQ(CountElements(*shrunk.sample.module), 2) << PrintModule(*shrunk.sample.module);
}

TEST(ShrinkTest, FaultyUnusedInstructionBecomesRoot) {
  Sample sample = Parsed(
      "HloModule m\nENTRY e { p = f32[2] parameter(0) q = f32[3] parameter(1)\n"
      " n = f32[2] negate(p) unused = f32[2] add(n, q) ROOT r = f32[2] abs(n) }",
      1);
  ShrinkResult shrunk = ShrinkInvalid(sample);
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_EQ(CountInstructions(*shrunk.sample.module), 1) << PrintModule(*shrunk.sample.module);
}

}  // namespace
}  // namespace hlocts::fuzz
