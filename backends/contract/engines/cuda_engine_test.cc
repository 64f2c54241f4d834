// SPDX-License-Identifier: Apache-2.0
// Tests of the CUDA engine through its interface: the reasons why `cuda` is unavailable, options,
// memory that is reused in place, run-time sizes, and equal values with and without passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "backends/backend_list.h"
#include "backends/contract/engines/engines_testing.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunOutcome OutcomeOn(const std::string& engine, const std::string& text,
                     std::vector<Literal> arguments) {
  auto backend = MakeBackend(engine);
  EXPECT_TRUE(backend.ok()) << backend.status();
  ExecuteRequest request;
  request.arguments.push_back(std::move(arguments));
  return RunModule(**backend, *Parsed(text), {}, request);
}

TEST(CudaEngineTest, WithoutADeviceTheReasonIsSaid) {
  const auto backend = MakeBackend("cuda?isolation=none");
  if (backend.ok()) GTEST_SKIP() << "skipped: there is a CUDA device";
  EXPECT_EQ(backend.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(backend.status().message()),
              ::testing::AnyOf(HasSubstr("driver"), HasSubstr("device"), HasSubstr("toolkit")));
}

// An engine in this process may write to a donated argument, but the caller's copy is unchanged.
TEST(CudaEngineTest, DonatedArgumentsStayTheCallers) {
  const auto module = ParseModule(
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "ENTRY e { p = f32[4] parameter(0) ROOT r = f32[4] negate(p) }");
  ASSERT_TRUE(module.ok()) << module.status();
  for (const std::string& engine : {TestEngine(), std::string("cpu?isolation=none")}) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto backend, MakeBackend(engine));
    ExecuteRequest request{.arguments = {{F32s({1, 2, 3, 4})}}, .donated_leaves = {0}};
    const RunOutcome outcome = RunModule(*backend, **module, {}, request);
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    EXPECT_THAT(FloatsOf(outcome.result.outputs[0][0]), ElementsAre(-1, -2, -3, -4)) << engine;
    EXPECT_THAT(FloatsOf(request.arguments[0][0]), ElementsAre(1, 2, 3, 4)) << engine;
    EXPECT_TRUE(outcome.result.arguments[0].consumed) << engine;
  }
}

TEST(CudaEngineTest, UnknownOptionsAreRefused) {
  for (const char* name : {"cuda-host?jit=perhaps", "cuda-host?tf32=1", "cuda-host?disable=nothing",
                           "cuda-host?threads=2"}) {
    const auto backend = MakeInProcessBackend(name);
    EXPECT_EQ(backend.status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

// The update could happen in place, but the operand is needed afterwards.
TEST(CudaEngineTest, WhatIsStillNeededIsNotOverwritten) {
  const char* text =
      "ENTRY e { p = f32[4] parameter(0) i = s32[] constant(1) u = f32[1] constant({9})\n"
      " a = f32[4] negate(p) d = f32[4] dynamic-update-slice(a, u, i)\n"
      " ROOT r = (f32[4], f32[4]) tuple(a, d) }";
  for (const std::string& engine : {TestEngine(), TestEngine() + "&disable=in-place"}) {
    const RunOutcome outcome = OutcomeOn(engine, text, {F32s({1, 2, 3, 4})});
    ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
    EXPECT_THAT(FloatsOf(outcome.result.outputs[0][0]), ElementsAre(-1, -2, -3, -4));
    EXPECT_THAT(FloatsOf(outcome.result.outputs[0][1]), ElementsAre(-1, 9, -3, -4));
  }
}

// The computation ignores its first operand. The result must not be written to the memory of that
// operand, whose elements are narrower.
TEST(CudaEngineTest, AResultIsNotPutIntoANarrowerOperand) {
  const char* text =
      "second { a = pred[] parameter(0) b = pred[] parameter(1) ROOT c = f32[] convert(b) }\n"
      "ENTRY e { z = pred[] constant(true) p = pred[4096] broadcast(z), dimensions={}\n"
      " n = pred[4096] not(p) q = pred[4096] not(n)\n"
      " ROOT r = f32[4096] map(n, q), dimensions={0}, to_apply=second }";
  const RunOutcome outcome = OutcomeOn(TestEngine(), text, {});
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  EXPECT_THAT(FloatsOf(outcome.result.outputs[0][0]), ::testing::Each(1.0f));
}

TEST(CudaEngineTest, RunTimeSizesAreKept) {
  const char* text =
      "ENTRY e { p = f32[4] parameter(0) n = s32[] constant(2)\n"
      " s = f32[<=4] set-dimension-size(p, n), dimensions={0}\n"
      " ROOT r = f32[<=4] negate(s) }";
  const RunOutcome outcome = OutcomeOn(TestEngine(), text, {F32s({1, 2, 3, 4})});
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  EXPECT_EQ(outcome.result.outputs[0][0].runtime_size(0), 2);
  EXPECT_EQ(FloatsOf(outcome.result.outputs[0][0])[1], -2);
}

TEST(CudaEngineTest, ElementsOfAnotherWidthAreADimensionBesideRunTimeSizes) {
  const char* text =
      "ENTRY e { p = f32[4] parameter(0) n = s32[] constant(3)\n"
      " s = f32[<=4] set-dimension-size(p, n), dimensions={0}\n"
      " b = u16[<=4,2] bitcast-convert(s) c = u16[<=4,2] not(b) d = u16[<=4,2] not(c)\n"
      " ROOT r = f32[<=4] bitcast-convert(d) }";
  const RunOutcome outcome = OutcomeOn(TestEngine(), text, {F32s({1, 2, 3, 4})});
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  EXPECT_EQ(outcome.result.outputs[0][0].runtime_size(0), 3);
  EXPECT_EQ(FloatsOf(outcome.result.outputs[0][0])[2], 3);
}

TEST(CudaEngineTest, AnArrayBeyondTheBudgetIsAStatus) {
  auto backend = MakeBackend(TestEngine());
  ASSERT_TRUE(backend.ok());
  const auto module = Parsed(
      "ENTRY e { z = f32[] constant(0) b = f32[1048576] broadcast(z), dimensions={}\n"
      " ROOT r = f32[1048576] exponential(b) }");
  LoadOptions load;
  load.memory_bytes_max = 1 << 20;
  ExecuteRequest request;
  request.arguments.emplace_back();
  EXPECT_EQ(RunModule(**backend, *module, load, request).failure, Outcome::kUnsupported);
}

// Tests scatters with more updates of one element than a thread processes, so that the engine
// splits the sorted updates among threads. The targets of the updates are all equal, form runs of
// equal targets, or alternate; some are out of bounds.
TEST(ProductsTest, LongRunsOfAScatterAreTheReferences) {
  const std::string text =
      "f { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT c = TYPE[] OP(a, b) }\n"
      "g { a = TYPE[] parameter(0) b = s8[] parameter(1) c = TYPE[] parameter(2)\n"
      " d = s8[] parameter(3) x = TYPE[] OP(a, c) y = s8[] maximum(b, d)\n"
      " ROOT r = (TYPE[], s8[]) tuple(x, y) }\n"
      "ENTRY e { p = s8[5] parameter(0) q = s8[9000] parameter(1) s = TYPE[5] convert(p)\n"
      " u = TYPE[9000] convert(q) k = s32[9000] iota(), iota_dimension=0 n = s32[] constant(BY)\n"
      " m = s32[9000] broadcast(n), dimensions={} i = s32[9000] INDEX(k, m)\n"
      " t = TYPE[5] scatter(s, i, u), update_window_dims={}, inserted_window_dims={0},\n"
      " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n"
      " v = (TYPE[5], s8[5]) scatter(s, p, i, u, q), update_window_dims={},\n"
      " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=g\n"
      " w = TYPE[5] get-tuple-element(v), index=0 x = s8[5] get-tuple-element(v), index=1\n"
      " ROOT r = (TYPE[5], TYPE[5], s8[5]) tuple(t, w, x) }";
  for (const char* type : {"s16", "f32", "c64"}) {
    for (const auto& [index, by] : std::vector<std::pair<const char*, const char*>>{
             {"divide", "9999"}, {"divide", "1700"}, {"divide", "63"}, {"remainder", "7"}}) {
      const std::string all =
          absl::StrReplaceAll(text, {{"TYPE", type}, {"OP", "add"}, {"INDEX", index}, {"BY", by}});
      SCOPED_TRACE(all);
      ExpectSame(RunOn("reference", all), RunOn(TestEngine(), all));
    }
  }
}

// Tests products of tiles in shared memory: the sizes are or are not multiples of a tile, and the
// data are contiguous or strided.
TEST(ProductsTest, ProductsByTilesAreTheReferences) {
  const std::string text =
      "ENTRY e { p = s8[2,33,40] parameter(0) q = s8[40,2,70] parameter(1)\n"
      " a = TYPE[2,33,40] convert(p) b = TYPE[40,2,70] convert(q)\n"
      " c = TYPE[2,33,70] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1},\n"
      " lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
      " s = s8[9,32] parameter(2) t = s8[64,9] parameter(3) d = TYPE[9,32] convert(s)\n"
      " f = TYPE[64,9] convert(t) g = TYPE[32,64] dot(d, f), lhs_contracting_dims={0},\n"
      " rhs_contracting_dims={1} ROOT r = (TYPE[2,33,70], TYPE[32,64]) tuple(c, g) }";
  for (const char* type : {"s32", "u8", "s64", "pred", "f32", "f64"}) {
    const std::string all = absl::StrReplaceAll(text, {{"TYPE", type}});
    SCOPED_TRACE(all);
    ExpectSame(RunOn("reference", all), RunOn(TestEngine() + "&libraries=never", all));
  }
}

}  // namespace
}  // namespace hlocts::backends
