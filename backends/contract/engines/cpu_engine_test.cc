// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU engine through its interface. Memory must be shared only where that is allowed,
// and unsupported requests must return a status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>

#include "backends/backend_list.h"
#include "backends/contract/engines/engines_testing.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;

// Skips all tests of this program if the plugins are not built.
class PluginsAreBuilt : public ::testing::Environment {
  void SetUp() override {
    const auto backend = MakeBackend("cpu?isolation=none");
    if (absl::IsUnavailable(backend.status())) GTEST_SKIP() << backend.status().message();
  }
};
const ::testing::Environment* const kPluginsAreBuilt =
    ::testing::AddGlobalTestEnvironment(new PluginsAreBuilt);

std::unique_ptr<Backend> Engine(const std::string& options = "") {
  auto backend = MakeBackend("cpu?isolation=none" + options);
  EXPECT_TRUE(backend.ok()) << backend.status();
  return backend.ok() ? *std::move(backend) : nullptr;
}

ExecuteRequest Request(std::vector<Literal> arguments) {
  ExecuteRequest request;
  request.arguments.push_back(std::move(arguments));
  return request;
}

constexpr char kAdd[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";

TEST(CpuEngineTest, UnknownOptionsAndPassesAreNamed) {
  EXPECT_THAT(MakeBackend("cpu?disable=magic&isolation=none").status().message(),
              HasSubstr("magic"));
  for (const char* name : {"cpu?speed=11&isolation=none", "cpu?threads=0&isolation=none",
                           "cpu?nonesuch=1", "cpu?disable=nonesuch", "cuda-host?nonesuch=1",
                           "cuda-host?jit=perhaps", "cuda-host?tf32=1"}) {
    EXPECT_EQ(MakeBackend(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

// A loop swaps two carried leaves: both must be read before either is written.
TEST(CpuEngineTest, CarriedStateMayChangePlaces) {
  auto module = Parsed(
      "c { s = (s32[], f32[2], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
      " n = s32[] constant(3) ROOT l = pred[] compare(i, n), direction=LT }\n"
      "b { s = (s32[], f32[2], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
      " x = f32[2] get-tuple-element(s), index=1 y = f32[2] get-tuple-element(s), index=2\n"
      " o = s32[] constant(1) j = s32[] add(i, o) ROOT r = (s32[], f32[2], f32[2]) tuple(j, y, x) "
      "}\n"
      "ENTRY e { p = f32[2] parameter(0) q = f32[2] parameter(1) z = s32[] constant(0)\n"
      " t = (s32[], f32[2], f32[2]) tuple(z, p, q)\n"
      " ROOT w = (s32[], f32[2], f32[2]) while(t), condition=c, body=b }");
  const RunOutcome outcome =
      RunModule(*Engine(), *module, {}, Request({F32s({1, 2}), F32s({3, 4})}));
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  EXPECT_EQ(FloatsOf(outcome.result.outputs[0][1]), (std::vector<float>{3, 4}));
  EXPECT_EQ(FloatsOf(outcome.result.outputs[0][2]), (std::vector<float>{1, 2}));
}

// LoadSerialized may reuse an executable. It returns null for a module with aliases or partitions.
TEST(CpuEngineTest, ExecutablesAreReusedAndLoadedFromBytes) {
  auto engine = Engine();
  auto module = Parsed("ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] add(p, p) }");
  const std::string bytes = *SerializeModule(*module);
  LoadOptions options;
  options.reuse = true;
  for (int i = 0; i < 3; ++i) {
    auto executable =
        i == 1 ? engine->Load(*module, options) : engine->LoadSerialized(bytes, options);
    ASSERT_TRUE(executable.ok() && *executable != nullptr) << executable.status();
    const float x = static_cast<float>(i);
    const RunOutcome outcome = OutcomeFrom((*executable)->Execute(Request({F32s({x, 3})})));
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    EXPECT_EQ(FloatsOf(outcome.result.outputs[0][0]), (std::vector<float>{2 * x, 6}));
  }
  module->input_output_alias.push_back({{}, 0, {}, false});
  EXPECT_EQ(*engine->LoadSerialized(*SerializeModule(*module), options), nullptr);
  module->input_output_alias.clear();
  module->num_partitions = options.partitions = 2;
  EXPECT_EQ(*engine->LoadSerialized(*SerializeModule(*module), options), nullptr);
  EXPECT_EQ(engine->LoadSerialized("rubbish", options).value_or(nullptr), nullptr);
}

TEST(CpuEngineTest, DonatedArgumentsAreWorkedOnAndOthersAreProtected) {
  auto module = Parsed("ENTRY e { p = f32[3] parameter(0) ROOT r = f32[3] add(p, p) }");
  module->input_output_alias.push_back({{}, 0, {}, false});
  auto backend = Engine();
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto executable, backend->Load(*module, {}));
  ExecuteRequest request = Request({F32s({1, 2, 3})});
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto kept, executable->Execute(request));
  EXPECT_EQ(FloatsOf(kept.outputs[0][0]), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(FloatsOf(request.arguments[0][0]), (std::vector<float>{1, 2, 3}));
  EXPECT_FALSE(kept.arguments[0].consumed);
  request.donated_leaves = {0};
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto donated, executable->Execute(request));
  EXPECT_EQ(donated.arguments[0].aliased_output, 0);
  EXPECT_EQ(FloatsOf(donated.outputs[0][0]), (std::vector<float>{2, 4, 6}));
  EXPECT_TRUE(donated.arguments[0].consumed);
}

// Runs are repeated unless the first run would consume an input of the second.
TEST(CpuEngineTest, RunsAsOftenAsItIsAsked) {
  auto module = Parsed("ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] add(p, p) }");
  auto backend = Engine();
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto executable, backend->Load(*module, {}));
  ExecuteRequest request = Request({F32s({1, 2})});
  request.runs = 4;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto four, executable->Execute(request));
  EXPECT_EQ(four.seconds_of_runs.size(), 4u);
  EXPECT_EQ(four.seconds, four.seconds_of_runs.back());
  EXPECT_EQ(FloatsOf(four.outputs[0][0]), (std::vector<float>{2, 4}));
  request.donated_leaves = {0};
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto one, executable->Execute(request));
  EXPECT_TRUE(one.seconds_of_runs.empty());
}

// The engine must not write to the memory of an output that the caller still holds.
TEST(CpuEngineTest, OutputsInUseAreLeftAlone) {
  auto module = Parsed("ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] add(p, p) }");
  auto backend = Engine();
  auto executable = backend->Load(*module, {});
  ASSERT_TRUE(executable.ok());
  auto first = (*executable)->Execute(Request({F32s({1, 2})}));
  auto second = (*executable)->Execute(Request({F32s({5, 6})}));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(FloatsOf(first->outputs[0][0]), (std::vector<float>{2, 4}));
  EXPECT_EQ(FloatsOf(second->outputs[0][0]), (std::vector<float>{10, 12}));
}

// No window is inside an operand without elements, so every update is dropped.
TEST(CpuEngineTest, ScatterIntoNothing) {
  auto module = Parsed(std::string(kAdd) +
                       "ENTRY e { p = f32[0] parameter(0) u = f32[2] parameter(1)\n"
                       " i = s32[2,1] constant({{0},{1}}) ROOT r = f32[0] scatter(p, i, u),\n"
                       " update_window_dims={}, inserted_window_dims={0}, "
                       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }");
  const RunOutcome outcome = RunModule(*Engine(), *module, {}, Request({F32s({}), F32s({1, 2})}));
  EXPECT_TRUE(outcome.has_values()) << outcome.error.Text();
}

TEST(CpuEngineTest, TooMuchMemoryIsAStatus) {
  auto module = Parsed(
      "ENTRY e { p = f32[] parameter(0) b = f32[1048576,1048576] broadcast(p), dimensions={}\n"
      " ROOT r = f32[1048576,1048576] exponential(b) }");
  const RunOutcome outcome = RunModule(
      *Engine(), *module, {}, Request({Literal::Scalar<float>(PrimitiveType::kF32, 1.0f)}));
  EXPECT_EQ(outcome.failure, Outcome::kUnsupported) << outcome.error.Text();
}

TEST(CpuEngineTest, LoopsWithoutEndRunOutOfSteps) {
  auto module = Parsed(
      "c { s = s32[] parameter(0) ROOT t = pred[] constant(true) }\n"
      "b { ROOT s = s32[] parameter(0) }\n"
      "ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=c, body=b }");
  LoadOptions load;
  load.steps_max = 1000;
  const RunOutcome outcome = RunModule(*Engine(), *module, load, Request({}));
  EXPECT_EQ(outcome.failure, Outcome::kTimeout) << outcome.error.Text();
}

// A loop of ten steps needs a budget of ten; nine are too few. Each loop is counted separately.
TEST(CpuEngineTest, StepsAreCounted) {
  auto module = Parsed(
      "c { s = s32[] parameter(0) n = s32[] constant(5) ROOT t = pred[] compare(s, n), "
      "direction=LT }\n"
      "b { s = s32[] parameter(0) o = s32[] constant(1) ROOT t = s32[] add(s, o) }\n"
      "ENTRY e { z = s32[] constant(0) w = s32[] while(z), condition=c, body=b\n"
      " ROOT v = s32[] while(z), condition=c, body=b }");
  for (const char* setting : {"", "&disable=small-loops", "&disable=dce,cse"}) {
    const bool twice = std::string(setting).find("dce") != std::string::npos;
    const int64_t steps = twice ? 10 : 5;
    LoadOptions load;
    load.steps_max = steps;
    EXPECT_TRUE(RunModule(*Engine(setting), *module, load, Request({})).has_values());
    load.steps_max = steps - 1;
    EXPECT_EQ(RunModule(*Engine(setting), *module, load, Request({})).failure, Outcome::kTimeout);
  }
}

// Only outside of the strict profile may a comparison treat a subnormal as zero. A copy must not.
TEST(CpuEngineTest, SubnormalsAreKeptInStrict) {
  auto module = Parsed(
      "ENTRY e { p = f32[1] parameter(0) z = f32[1] constant({0}) g = pred[1] compare(p, z), "
      "direction=GT\n"
      " c = f32[1] copy(p) ROOT r = (pred[1], f32[1]) tuple(g, c) }");
  const std::vector<float> tiny = {1e-40f};
  for (const char* setting : {"", "&strict=true"}) {
    const RunOutcome outcome = RunModule(*Engine(setting), *module, {}, Request({F32s(tiny)}));
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    EXPECT_EQ(FloatsOf(outcome.result.outputs[0][1]), tiny);
    const bool above = outcome.result.outputs[0][0].data<bool>()[0];
    EXPECT_TRUE(above || *setting == 0);
  }
}

// The exact real part is slightly closer to zero than the midpoint of two doubles. In long double
// it would be rounded to the midpoint, and then to the wrong double.
TEST(CpuEngineTest, ComplexProductsOfDoublesAreRoundedOnce) {
  auto module = Parsed(
      "ENTRY e { a = c128[1] parameter(0) b = c128[1] parameter(1)\n"
      " m = c128[1] multiply(a, b) ROOT r = f64[1] real(m) }");
  Literal a(Shape(PrimitiveType::kC128, {1})), b = a;
  a.mutable_data<std::complex<double>>()[0] = {5e-324, -0.5};
  b.mutable_data<std::complex<double>>()[0] = {-1.7976931348623155e308, -0.9999999999999999};
  const RunOutcome outcome = RunModule(*Engine("&strict=true"), *module, {}, Request({a, b}));
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  EXPECT_EQ(outcome.result.outputs[0][0].data<double>()[0], -0.50000000000000078);
}

// Bitcasts merge a dimension into wider elements and split it again, next to a dimension with a
// run-time size.
TEST(CpuEngineTest, BitcastsOfOtherRankKeepRuntimeSizes) {
  auto module = Parsed(
      "ENTRY e { p = s16[3,4] parameter(0) b = u64[3] bitcast-convert(p) n = s32[] constant(2)\n"
      " s = u64[<=3] set-dimension-size(b, n), dimensions={0}\n"
      " c = s16[<=3,4] bitcast-convert(s) ROOT r = s16[<=3,4] negate(c) }");
  Literal p(Shape(PrimitiveType::kS16, {3, 4}));
  for (int16_t i = 0; i < 12; ++i) p.mutable_data<int16_t>()[static_cast<size_t>(i)] = i;
  const RunOutcome outcome = RunModule(*Engine(), *module, {}, Request({p}));
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  const Literal& result = outcome.result.outputs[0][0];
  EXPECT_EQ(result.runtime_sizes(), (std::vector<int64_t>{2, 4}));
  for (int16_t i = 0; i < 8; ++i) EXPECT_EQ(result.data<int16_t>()[static_cast<size_t>(i)], -i);
}

TEST(CpuEngineTest, DevicesMeet) {
  auto module = Parsed(std::string(kAdd) +
                       "ENTRY e { p = f32[2] parameter(0)\n"
                       " ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add }");
  LoadOptions load;
  load.replicas = 3;
  ExecuteRequest request;
  request.arguments = {{F32s({1, 10})}, {F32s({2, 20})}, {F32s({4, 40})}};
  const RunOutcome outcome = RunModule(*Engine(), *module, load, request);
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  for (const auto& outputs : outcome.result.outputs) {
    EXPECT_EQ(FloatsOf(outputs[0]), (std::vector<float>{7, 70}));
  }
}

TEST(CpuEngineTest, ADeadlockIsATimeOutAtOnce) {
  auto module = Parsed(
      "ENTRY e { t = token[] after-all() v = (f32[], u32[], token[]) recv(t), channel_id=4\n"
      " d = (f32[], token[]) recv-done(v), channel_id=4\n"
      " ROOT r = f32[] get-tuple-element(d), index=0 }");
  const RunOutcome outcome = RunModule(*Engine(), *module, {}, Request({}));
  EXPECT_EQ(outcome.failure, Outcome::kTimeout) << outcome.error.Text();
  EXPECT_THAT(outcome.error.Text(), HasSubstr("deadlock"));
}

}  // namespace
}  // namespace hlocts::backends
