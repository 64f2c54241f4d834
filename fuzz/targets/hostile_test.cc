// SPDX-License-Identifier: Apache-2.0
// Tests a few hostile texts (`hostile` tests many), and texts that once crashed the process.
#include <gtest/gtest.h>

#include <iterator>

#include "backends/backend_list.h"
#include "fuzz/targets/mutated_texts.h"
#include "fuzz/targets/robustness_run.h"
#include "generators/module_generator.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

// Valid modules within the limits, each of which once crashed the process.
const char* const kEnded[] = {
    // The context type of an asynchronous start differs from its data type.
    R"(HloModule m, replica_count=2
ENTRY e {
  x = f8e8m0fnu[3] parameter(0)
  s = (f8e8m0fnu[3], f8e8m0fnu[3], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1}}
  ROOT d = f8e8m0fnu[3] collective-permute-done(s)
})",
    // An asynchronous collective of a single device.
    R"(HloModule m
ENTRY e {
  x = c64[1] parameter(0)
  s = (c64[1], c64[2]) all-gather-start(x), dimensions={0}
  ROOT d = c64[2] all-gather-done(s)
})",
    // A receive of more data than any memory can hold.
    R"(HloModule m
ENTRY e {
  t = token[] after-all()
  s = (f8e4m3[4611686018427387904], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true
  d = (f8e4m3[4611686018427387904], token[]) recv-done(s), channel_id=1, is_host_transfer=true
  a = f8e4m3[4611686018427387904] get-tuple-element(d), index=0
  ROOT r = f8e4m3[4611686018427387904] negate(a)
})",
    // An iota along a huge dimension of an array without elements.
    R"(HloModule m
ENTRY e { ROOT r = s32[9223372036854775807,0] iota(), iota_dimension=0 })",
    // The shape is that of a gather from two devices, but there is only one device.
    R"(HloModule m
ENTRY e {
  x = u16[1,2] parameter(0)
  g = u16[2,2] all-gather(x), dimensions={0}
  ROOT r = u16[4] bitcast(g)
})",
    // A cyclic comparator, for which no row is the smallest.
    R"(HloModule m
beats {
  a = s8[] parameter(0)
  b = s8[] parameter(1)
  d = s8[] subtract(a, b)
  e = s8[] constant(3)
  f = s8[] add(d, e)
  m = s8[] remainder(f, e)
  one = s8[] constant(1)
  ROOT r = pred[] compare(m, one), direction=EQ
}
ENTRY e {
  x = s8[3] constant({0, 1, 2})
  ROOT r = s8[3] sort(x), dimensions={0}, to_apply=beats
})",
};

// The CPU engine is a separate project, which a build may omit.
bool OurEngineIsBuilt() { return backends::MakeInProcessBackend("cpu?isolation=none").ok(); }

TEST(HostileTest, WhatOnceEndedTheProcess) {
  if (!OurEngineIsBuilt()) GTEST_SKIP() << std::size(kEnded) << " texts: cpu is not built";
  RobustnessRun run;
  for (const char* text : kEnded) {
    for (uint64_t seed = 0; seed < 6; ++seed) run.Run(text, seed);
  }
  EXPECT_EQ(run.counts().run, run.counts().texts) << run.counts().ToText();
}

TEST(HostileTest, WorkIsCountedFromShapes) {
  auto work = [](const char* body) {
    auto module = ParseModule(std::string("HloModule m\n") + body);
    EXPECT_TRUE(module.ok()) << module.status();
    return WorkOf(**module, /*trips_max=*/1000, /*bytes_max=*/1 << 20);
  };
  // The 100 x 100 results have 100 terms each: 10^6 steps, and a few for parameters and operands.
  const double product = work(
      "ENTRY e { x = f32[100,100] parameter(0) y = f32[100,100] parameter(1) "
      "ROOT r = f32[100,100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
  EXPECT_GE(product, 1e6);
  EXPECT_LE(product, 4e6);
  const double loop = work(R"(
c { i = s32[] parameter(0) n = s32[] constant(5) ROOT r = pred[] compare(i, n), direction=LT }
b { i = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(i, one) }
ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=c, body=b })");
  EXPECT_GE(loop, 4e3);
  EXPECT_LE(loop, 4e4);
  EXPECT_EQ(work("ENTRY e { ROOT r = s32[9223372036854775807] iota(), iota_dimension=0 }"), 0);
}

TEST(HostileTest, EveryTextEndsInAnAnswer) {
  constexpr int kTexts = 400, kDraws = 1500;
  if (!OurEngineIsBuilt()) GTEST_SKIP() << kDraws << " texts: cpu is not built";
  std::vector<std::string> texts;
  for (int i = 0; i < kTexts; ++i) {
    generators::GeneratorOptions options;
    options.instructions = 6;
    texts.push_back(
        PrintModule(*generators::GenerateNumbered(7, static_cast<uint64_t>(i), options).module));
  }
  const MutatedTexts hostile(std::move(texts));
  RobustnessRun run;
  generators::SplitMix64 random(1);
  for (int i = 0; i < kDraws; ++i) run.Run(hostile.Draw(random), random.Next());
  EXPECT_GT(run.counts().run, kDraws / 20) << run.counts().ToText();
  EXPECT_EQ(run.counts().readable, run.counts().texts) << run.counts().ToText();
  EXPECT_GT(run.counts().judged, 0) << run.counts().ToText();
}

}  // namespace
}  // namespace hlocts::fuzz
