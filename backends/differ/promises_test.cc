// SPDX-License-Identifier: Apache-2.0
// Tests the obligations of an engine other than values: not to change arguments that were not
// donated, to return outfeeds, and to preserve the bits of NaNs that are only moved.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/differ/differ.h"
#include "backends/differ/printed_result.h"
#include "reports/verdict.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

// An engine that returns the result given to its constructor.
class ScriptedEngine : public Backend, public Executable {
 public:
  explicit ScriptedEngine(ExecuteResult result) : result_(std::move(result)) {}
  BackendInfo info() override {
    BackendInfo info;
    info.name = "scripted";
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module&, const LoadOptions&) override {
    return std::unique_ptr<Executable>(std::make_unique<ScriptedEngine>(result_));
  }
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest&) override { return result_; }

 private:
  ExecuteResult result_;
};

Literal Parsed(absl::string_view text) {
  auto literal = ParseLiteralWithShape(text);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return *literal;
}

reports::Verdict VerdictOn(const char* text, ExecuteRequest request, ExecuteResult result,
                           DiffOptions options = {}) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  ScriptedEngine engine(std::move(result));
  return Differ(**module, request, options).Diff(engine);
}

Outcome OfArgument(std::vector<int64_t> donated, ArgumentState state, const char* kind = "may") {
  const std::string aliased = absl::StrCat(
      "HloModule m, input_output_alias={ {}: (0, {}, ", kind, "-alias) }\n",
      "ENTRY e { x = f32[] parameter(0) c = f32[] constant(1) ROOT r = f32[] add(x, c) }");
  ExecuteRequest request{.arguments = {{Parsed("f32[] 41")}}, .donated_leaves = std::move(donated)};
  ExecuteResult result{.outputs = {{Parsed("f32[] 42")}}, .outfeed = {{}}, .arguments = {state}};
  return VerdictOn(aliased.c_str(), request, result).kind;
}

TEST(PromisesTest, WhatWasNotDonatedKeepsItsBits) {
  ArgumentState state;
  EXPECT_EQ(OfArgument({}, state), Outcome::kPass);
  state.changed = true;
  EXPECT_EQ(OfArgument({}, state), Outcome::kFail);
}

TEST(PromisesTest, WhatWasDonatedIsTheOutputs) {
  ArgumentState state;
  EXPECT_EQ(OfArgument({0}, state), Outcome::kFail);  // neither consumed nor aliased
  EXPECT_EQ(OfArgument({}, state, "must"), Outcome::kFail) << "a must-alias is donated";
  state.consumed = true;
  EXPECT_EQ(OfArgument({0}, state), Outcome::kPass);  // the engine does not report aliases
  state.aliased_output = 0;
  EXPECT_EQ(OfArgument({0}, state), Outcome::kPass);
  state.aliased_output = 1;
  EXPECT_EQ(OfArgument({0}, state), Outcome::kFail);
}

Outcome OfBuffers(const char* root, const char* output, int64_t aliased_output) {
  ExecuteRequest request;
  request.arguments = {{Parsed("f32[] 41")}};
  ExecuteResult result{.outputs = {{Parsed(output)}}, .outfeed = {{}}};
  ArgumentState state;
  state.aliased_output = aliased_output;
  result.arguments = {state};
  const std::string text = absl::StrCat(
      "HloModule m\nENTRY e { x = f32[] parameter(0) c = f32[] constant(1)\n ROOT r = f32[] ", root,
      " }");
  return VerdictOn(text.c_str(), request, result).kind;
}

TEST(PromisesTest, UnaliasedBuffersDoNotOverlap) {
  EXPECT_EQ(OfBuffers("add(x, c)", "f32[] 42", -1), Outcome::kPass);
  EXPECT_EQ(OfBuffers("add(x, c)", "f32[] 42", 0), Outcome::kFail);
  EXPECT_EQ(OfBuffers("copy(x)", "f32[] 41", 0), Outcome::kPass);  // returned unchanged
}

TEST(PromisesTest, WhatIsSentOutIsCompared) {
  constexpr const char* kText =
      "HloModule m\nENTRY e { t = token[] after-all() a = s32[] constant(1)\n"
      " o = token[] outfeed(a, t), outfeed_shape=s32[] ROOT r = s32[] add(a, a) }";
  ExecuteRequest request;
  request.arguments = {{}};
  ExecuteResult result;
  result.outputs = {{Parsed("s32[] 2")}};
  DiffOptions options;
  options.expected_outfeed = {{Parsed("s32[] 1")}};
  result.outfeed = {{Parsed("s32[] 1")}};
  EXPECT_EQ(VerdictOn(kText, request, result, options).kind, Outcome::kPass);
  result.outfeed = {{Parsed("s32[] 7")}};
  EXPECT_EQ(VerdictOn(kText, request, result, options).kind, Outcome::kFail);
  result.outfeed = {{}};
  EXPECT_EQ(VerdictOn(kText, request, result, options).kind, Outcome::kFail);
}

Outcome OfMovedNan(const char* output, Profile profile) {
  ExecuteRequest request;
  request.arguments = {{Parsed("f32[2] {nan(0x412345), 1}")}};
  ExecuteResult result;
  result.outputs = {{Parsed(output)}};
  DiffOptions options;
  options.profile = profile;
  return VerdictOn("HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT r = f32[2,1] reshape(x) }",
                   request, result, options)
      .kind;
}

TEST(PromisesTest, BitsOfAMovedNanAreCountedApart) {
  using Kind = Outcome;
  EXPECT_EQ(OfMovedNan("f32[2,1] {{nan(0x412345)}, {1}}", Profile::kStrict), Kind::kPass);
  EXPECT_EQ(OfMovedNan("f32[2,1] {{nan}, {1}}", Profile::kStrict), Kind::kFail);
  EXPECT_EQ(OfMovedNan("f32[2,1] {{nan}, {1}}", Profile::kDefault), Kind::kNanBits);
  EXPECT_EQ(OfMovedNan("f32[2,1] {{-nan(0x412345)}, {1}}", Profile::kRelaxed), Kind::kNanBits);
  EXPECT_EQ(OfMovedNan("f32[2,1] {{nan}, {2}}", Profile::kDefault), Kind::kFail);
  EXPECT_EQ(OfMovedNan("f32[2,1] {{1}, {1}}", Profile::kDefault), Kind::kFail);
  EXPECT_FALSE(IsFailure(Kind::kNanBits));
}

Outcome OfOutput(const char* module, const char* argument, const char* output,
                 Profile profile = Profile::kDefault) {
  ExecuteRequest request;
  request.arguments = {{Parsed(argument)}};
  ExecuteResult result;
  result.outputs = {{Parsed(output)}};
  DiffOptions options;
  options.profile = profile;
  return VerdictOn(module, request, result, options).kind;
}

// Several results are acceptable: all rows of the sort tie, and two updates of the scatter have the
// same target.
TEST(PromisesTest, BitsOfANanInARowOrAChoiceAreCountedApart) {
  using Kind = Outcome;
  constexpr const char* kSort =
      "HloModule m\n%c { a = f32[] parameter(0) b = f32[] parameter(1)\n"
      " ROOT k = pred[] constant(false) }\n"
      "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] sort(x), dimensions={0}, to_apply=%c }";
  constexpr const char* kRows = "f32[2] {nan(0x412345), 1}";
  EXPECT_EQ(OfOutput(kSort, kRows, "f32[2] {1, nan(0x412345)}"), Kind::kPass);
  EXPECT_EQ(OfOutput(kSort, kRows, "f32[2] {1, nan}"), Kind::kNanBits);
  EXPECT_EQ(OfOutput(kSort, kRows, "f32[2] {nan, nan}"), Kind::kFail);
  EXPECT_EQ(OfOutput(kSort, kRows, "f32[2] {1, nan}", Profile::kStrict), Kind::kFail);
  constexpr const char* kScatter =
      "HloModule m\n%second { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }\n"
      "ENTRY e { u = f32[2] parameter(0) x = f32[1] constant({0})\n"
      " i = s32[2,1] constant({{0}, {0}}) ROOT r = f32[1] scatter(x, i, u),\n"
      " update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},\n"
      " index_vector_dim=1, to_apply=%second }";
  EXPECT_EQ(OfOutput(kScatter, kRows, "f32[1] {nan(0x412345)}"), Kind::kPass);
  EXPECT_EQ(OfOutput(kScatter, kRows, "f32[1] {nan}"), Kind::kNanBits);
  EXPECT_EQ(OfOutput(kScatter, kRows, "f32[1] {2}"), Kind::kFail);
}

// The outputs of two devices for a module that the engine partitioned. The copies of a tile differ.
TEST(PromisesTest, CopiesOfATileAreEqualWhereTheModuleHasAMeaning) {
  const auto of_copies = [](const char* sharding) {
    auto module = ParseModule(
        absl::StrCat("HloModule m, num_partitions=2\nENTRY e { x = f32[2] parameter(0), "
                     "sharding={devices=[2]<=[2]}\n n = f32[2] negate(x), sharding={",
                     sharding, "}\n ROOT r = f32[2] copy(n), sharding={replicated} }"));
    ExecuteRequest request;
    request.arguments.push_back({Parsed("f32[2] {1, 2}")});
    return Differ(**module, request, DiffOptions())
        .JudgeOutputs({{Parsed("f32[2] {-1, -2}")}, {Parsed("f32[2] {-1, -3}")}}, {})
        .kind;
  };
  EXPECT_EQ(of_copies("replicated"), Outcome::kFail);
  EXPECT_EQ(of_copies("unreduced"), Outcome::kUnsupported);
}

// A document prints NaN; an engine may declare that it drops NaNs.
TEST(Promises, APrintedResultIsNotThatOfAnEngineWithADeparture) {
  const auto verdict_of = [&](const std::vector<std::string>& departures) {
    reports::Verdict verdict;
    verdict.kind = Outcome::kPass;
    verdict.departures = departures;
    const auto scalar = [](float x) { return Literal::Scalar<float>(PrimitiveType::kF32, x); };
    ApplyPrintedResult({{scalar(1)}}, {{scalar(2)}}, verdict);
    return verdict.kind;
  };
  EXPECT_EQ(verdict_of({}), Outcome::kFail);
  EXPECT_EQ(verdict_of({"nan.dropped"}), Outcome::kPass);
}

}  // namespace
}  // namespace hlocts::backends
