// SPDX-License-Identifier: Apache-2.0
// Tests of the adapter on installed plugins (XLA:CPU and a GPU plugin) and on a library that is not
// a plugin, each in a worker process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "tools/cli_testing.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;
using tools::OurEngineIsBuilt;
using tools::Ran;
using tools::RunHlocts;

// Runs on XLA itself, the plugin of backends/engines.textproto.
class RealXlaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto plugin = PluginOf("xla");
    if (!plugin.ok()) GTEST_SKIP() << plugin.status().message();
    plugin_ = "pjrt:" + *plugin;
  }
  std::string plugin_;
};

std::string WriteModule(const std::string& name, const std::string& text) {
  std::string path = absl::StrCat(::testing::TempDir(), "/pjrt_test_", name, ".hlo");
  std::ofstream(path) << text;
  return path;
}

std::string Verdict(const std::string& module, const std::string& backend,
                    const std::string& flags = "--seed=1") {
  Ran ran =
      RunHlocts(absl::StrCat("diff ", module, " ", flags, " --json --backend='", backend, "'"));
  Json json = Json::parse(ran.out, nullptr, false);
  return json.is_object()
             ? json["verdict"].get<std::string>() + " " + json["reason"].get<std::string>()
             : ran.out;
}

// Expects that all modules pass. Runs them in one process, since loading XLA is slow.
void ExpectPasses(const std::vector<std::string>& modules, const std::string& backend) {
  const std::string batch = ::testing::TempDir() + "/pjrt_test_batch.jsonl";
  std::ofstream lines(batch);
  for (const std::string& module : modules) {
    lines << Json({{"module", module}, {"seed", 1}}).dump() << "\n";
  }
  lines.close();
  const Ran ran = RunHlocts(absl::StrCat("diff --batch=", batch, " --backend='", backend, "'"));
  const std::vector<std::string> answers = absl::StrSplit(ran.out, '\n', absl::SkipEmpty());
  ASSERT_EQ(answers.size(), modules.size()) << ran.out;
  for (size_t i = 0; i < modules.size(); ++i) {
    const Json answer = Json::parse(answers[i], nullptr, false);
    ASSERT_TRUE(answer.is_object()) << answers[i];
    EXPECT_EQ(answer["verdict"], "pass") << answers[i];
    EXPECT_EQ(answer["module"], modules[i]);
  }
}

TEST(PjrtTest, ALibraryThatIsNoPluginIsUnavailable) {
  Ran ran = RunHlocts("backends --backend=pjrt:/lib/x86_64-linux-gnu/libm.so.6");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("unavailable"));
  Ran missing = RunHlocts("backends --backend=pjrt:/nonexistent.so");
  EXPECT_EQ(missing.status, 3) << missing.out;
}

TEST(PjrtTest, AnOutputThatIsTooShortIsACrashAndNoRefusal) {
  const std::string module =
      WriteModule("short", "HloModule m\nENTRY main { ROOT r = f32[4] constant({1, 2, 3, 4}) }\n");
  EXPECT_THAT(Verdict(module, "pjrt:" HLOCTS_SHORT_OUTPUT_PLUGIN),
              StartsWith("crash output of 15 bytes, expected 16"));
  // If the plugin itself returns data loss, the code of a short output, the verdict is not a crash:
  // the module is rejected or, as here, unsupported.
  const std::string call = WriteModule(
      "call",
      "HloModule m\nENTRY main { ROOT r = f32[] custom-call(), custom_call_target=\"x\" }\n");
  EXPECT_THAT(Verdict(call, "pjrt:" HLOCTS_SHORT_OUTPUT_PLUGIN), StartsWith("unsupported "));
}

TEST_F(RealXlaTest, EveryElementTypeByPath) {
  std::vector<std::string> modules;
  for (const char* type : {"pred", "s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64",
                           "f8e5m2", "f8e4m3fn", "bf16", "f16", "f32", "f64", "c64", "c128"}) {
    modules.push_back(WriteModule(absl::StrCat("reverse_", type),
                                  absl::StrCat("HloModule m\nENTRY main {\n  x = ", type,
                                               "[3,5] parameter(0)\n  ROOT r = ", type,
                                               "[3,5] reverse(x), dimensions={0,1}\n}\n")));
  }
  ExpectPasses(modules, plugin_);
}

TEST_F(RealXlaTest, CompilerOptionsArePassedByName) {
  std::string module = WriteModule(
      "option",
      "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] sqrt(x)\n}\n");
  EXPECT_THAT(Verdict(module, absl::StrCat(plugin_, "?xla_backend_optimization_level=0")),
              StartsWith("pass "));
  const Ran ran =
      RunHlocts(absl::StrCat("run movement/rev --backend='", plugin_, "?no_such_option=1'"));
  EXPECT_EQ(ran.status, 2) << "one error, and not a refusal of every case";
  EXPECT_THAT(ran.out, HasSubstr("no_such_option"));
}

// Entry computations that a compiler's passes produce. XLA:CPU's passes reject them as input.
constexpr const char* kCompiledForms[] = {
    // a bitcast to another type, and to a smaller and a larger element
    "  p = f32[2]{0} parameter(0)\n  ROOT b = s32[2]{0} bitcast(p)\n",
    "  p = f32[2]{0} parameter(0)\n  ROOT b = s16[4]{0} bitcast(p)\n",
    "  p = f32[2]{0} parameter(0)\n  b = s16[2,2]{1,0} bitcast(p)\n"
    "  ROOT c = s32[2]{0} bitcast(b)\n",
    // a bitcast between layouts, with equal and with different ranks
    "  p = f32[2,3]{1,0} parameter(0)\n  c = f32[2,3]{0,1} copy(p)\n"
    "  ROOT b = f32[6]{0} bitcast(c)\n",
    "  p = f32[6,1,1]{2,1,0} parameter(0)\n  b = f32[6,1]{0,1} bitcast(p)\n"
    "  ROOT c = f32[6,1]{0,1} copy(b)\n",
    "  p = f32[6]{0} parameter(0)\n  b = f32[3,2]{0,1} bitcast(p)\n"
    "  ROOT r = f32[3,2]{1,0} copy(b)\n",
    // a bitcast without effect that is used twice
    "  p = f32[6]{0} parameter(0)\n  b = f32[6]{0} bitcast(p)\n  ROOT s = f32[6]{0} add(b, b)\n",
};

TEST_F(RealXlaTest, ModulesThatACompilerHasBeenOverRun) {
  std::vector<std::string> modules;
  for (const char* body : kCompiledForms) {
    modules.push_back(
        WriteModule(absl::StrCat("compiled_", modules.size()),
                    absl::StrCat("HloModule m, is_scheduled=true\nENTRY e {\n", body, "}\n")));
  }
  ExpectPasses(modules, plugin_);
}

TEST_F(RealXlaTest, AScheduleMayLackWhatACompilerAdds) {
  const std::string module = WriteModule("scheduled", R"(HloModule m, is_scheduled=true
body {
  p = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[2] get-tuple-element(p), index=1
  y = f32[2] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = (s32[], f32[2], f32[2]) tuple(next, y, x)
}
condition {
  p = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  three = s32[] constant(3)
  ROOT less = pred[] compare(i, three), direction=LT
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[2], f32[2]) tuple(zero, x, y)
  loop = (s32[], f32[2], f32[2]) while(start), condition=condition, body=body
  ROOT r = f32[2] get-tuple-element(loop), index=1
}
)");
  EXPECT_EQ(Verdict(module, plugin_), "pass ");
}

TEST_F(RealXlaTest, SettingsOfAnotherCompilerAreLeftOut) {
  const std::string module = WriteModule("settings", R"(HloModule m, is_scheduled=true
softmax {
  p = f32[4] parameter(0)
  e = f32[4] exponential(p)
  ROOT r = (f32[4], f32[4]) tuple(e, p)
}
ENTRY e {
  x = f32[4] parameter(0)
  n = f32[4] negate(x), backend_config={"operation_queue_id":"0","wait_on_operation_queues":[]}
  f = (f32[4], f32[4]) fusion(n), kind=kCustom, calls=softmax, backend_config={"operation_queue_id":"0","fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"num_warps":"1"}}}
  ROOT r = f32[4] get-tuple-element(f), index=0
}
)");
  EXPECT_EQ(Verdict(module, plugin_), "pass ");
}

// The plugin gets a tuple's elements as separate arguments. suites/cases/tuple tests other plugins.
TEST_F(RealXlaTest, OneParameterMayBeATuple) {
  const std::string module = WriteModule("one_tuple", R"(HloModule m
ENTRY e {
  t = (f32[2], s32[], pred[3]) parameter(0)
  a = f32[2] get-tuple-element(t), index=0
  b = s32[] get-tuple-element(t), index=1
  c = pred[3] get-tuple-element(t), index=2
  ROOT r = (pred[3], s32[], f32[2]) tuple(c, b, a)
}
)");
  EXPECT_EQ(Verdict(module, plugin_), "pass ");
}

TEST_F(RealXlaTest, AreasWhereNothingIsWrong) {
  EXPECT_EQ(RunHlocts("run movement ordering --backend=xla").status, 0);
  EXPECT_EQ(RunHlocts("run composition programs --backend=xla --cut=2").status, 0);
}

TEST_F(RealXlaTest, ReplicasRunOnTheirOwnDevices) {
  std::string module = WriteModule("all_reduce", R"(HloModule m, replica_count=2
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}
ENTRY main {
  x = s32[4] parameter(0)
  ROOT r = s32[4] all-reduce(x), replica_groups={}, to_apply=add
}
)");
  EXPECT_EQ(Verdict(module, "xla"), "pass ");
}

TEST_F(RealXlaTest, DonatedArgumentsAreConsumedAndOthersAreNot) {
  std::string module =
      WriteModule("alias", R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main {
  x = f32[256] parameter(0)
  y = f32[256] parameter(1)
  ROOT r = f32[256] add(x, y)
}
)");
  Ran kept = RunHlocts("eval " + module + " --seed=1 --backend=xla --json");
  Ran donated = RunHlocts("eval " + module + " --seed=1 --backend=xla --json --donate=0");
  Json a = Json::parse(kept.out), b = Json::parse(donated.out);
  EXPECT_EQ(a["arguments"][0]["state"], "unchanged") << kept.out;
  EXPECT_EQ(b["arguments"][0]["state"], "consumed") << donated.out;
  EXPECT_EQ(b["arguments"][0]["aliased_output"], 0);
  EXPECT_EQ(b["arguments"][1]["state"], "unchanged");
  EXPECT_EQ(a["outputs"], b["outputs"]);
}

// XLA rejects a call that does not donate such an argument (ruling 0068).
TEST_F(RealXlaTest, AnArgumentThatMustAliasIsDonated) {
  const std::string module =
      WriteModule("must_alias", R"(HloModule m, input_output_alias={ {}: (1, {}, must-alias) }
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT r = f32[4] add(x, y)
}
)");
  EXPECT_EQ(Verdict(module, "xla"), "pass ");
  const std::string eval = "eval " + module + " --seed=1 --backend=xla --json";
  const Ran ran = RunHlocts(eval);
  EXPECT_EQ(Json::parse(ran.out)["arguments"][1]["aliased_output"], 0) << ran.out;
  EXPECT_THAT(RunHlocts(eval + " --donate=0").out, testing::HasSubstr("aliasing.must_alias"));
}

TEST_F(RealXlaTest, UnaliasedBuffersDoNotOverlap) {
  const std::string module = WriteModule("apart", R"(HloModule increment
ENTRY entry {
  p = f32[] parameter(0)
  c = f32[] constant(1)
  ROOT out = f32[] add(p, c)
}
)");
  const Ran ran = RunHlocts("eval " + module + " --seed=1 --backend=xla --json");
  const Json answer = Json::parse(ran.out);
  EXPECT_EQ(answer["arguments"][0]["state"], "unchanged") << ran.out;
  EXPECT_TRUE(answer["arguments"][0]["aliased_output"].is_null()) << ran.out;
}

// In one finding, a pass turns a constant into an iota. In the other, code generation miscompiles a
// power of integers.
TEST_F(RealXlaTest, PluginReportsOptimizedModule) {
  const auto failing_phase = [this](const char* finding) {
    return RunHlocts(absl::StrCat("blame --one-step --backend='", plugin_, "' ",
                                  HLOCTS_SOURCE_DIR "/results/findings/", finding))
        .out;
  };
  EXPECT_THAT(failing_phase("xla-constant-that-counts-from-minus-zero"),
              HasSubstr("guilty: a pass"));
  EXPECT_THAT(failing_phase("xla-power-of-integers"), HasSubstr("guilty: code generation"));
}

// The benchmark measures repeated runs, and fails on an engine that runs only once.
TEST_F(RealXlaTest, RunsAreRepeatedForThoseWhoMeasure) {
  if (!OurEngineIsBuilt()) GTEST_SKIP() << "cpu is not built";
  const Ran ran = RunHlocts("bench cpu/program_convnet --quick");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("cpu/program_convnet"));
}

TEST(PjrtTest, AGpuPluginWithoutAGpuIsAClearErrorAndNoHang) {
  const char* path = std::getenv("HLOCTS_TEST_PLUGIN");
  if (!path) GTEST_SKIP() << "set HLOCTS_TEST_PLUGIN to jax-cuda13-pjrt's xla_cuda_plugin.so";
  auto start = std::chrono::steady_clock::now();
  Ran ran = RunHlocts(absl::StrCat("backends --backend=pjrt:", path));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(100));
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("unavailable"));
}

// A module of arrays with uneven tiles, replicated tiles, and annotations in all forms.
constexpr char kSharded[] = R"(HloModule m, num_partitions=4
add {
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  ROOT r = s32[] add(p, q)
}
ENTRY e {
  a = s32[3,5] parameter(0), sharding={devices=[2,2]<=[2,2]T(1,0)}
  b = f32[8,3] parameter(1), sharding={mesh['x'=2,'y'=2], [{'y'}, {}]}
  z = s32[] constant(0)
  s = s32[5] reduce(a, z), dimensions={0}, to_apply=add, sharding={devices=[4]<=[4]}
  n = f32[8,3] negate(b)
  ROOT t = (s32[5], s32[3,5], f32[8,3]) tuple(s, a, n),
    sharding={{devices=[2,2]<=[4] last_tile_dim_replicate}, {devices=[1,4]<=[4]}, {replicated}}
}
)";

TEST_F(RealXlaTest, PartitionsShardedModules) {
  const std::string module = WriteModule("sharded", kSharded);
  for (const char* partitioner : {"gspmd", "shardy"}) {
    const std::string backend = absl::StrCat("xla?partitioner=", partitioner);
    EXPECT_EQ(Verdict(module, backend), "pass ") << partitioner;
  }
  EXPECT_THAT(
      RunHlocts(absl::StrCat("diff ", module, " --seed=1 --backend='xla?partitioner=x'")).out,
      HasSubstr("expected gspmd or shardy, found x"));
  EXPECT_EQ(Verdict(module, "reference"), "pass ");
  if (!OurEngineIsBuilt()) GTEST_SKIP() << "cpu is not built";
  EXPECT_EQ(Verdict(module, "cpu"), "pass ");
}

// The update is in the last tile (openxla/xla#49118).
TEST_F(RealXlaTest, SaysThatAModuleIsWrongOnlyWhenPartitioned) {
  const std::string module = WriteModule("clamped", R"(HloModule m
ENTRY e {
  a = s32[4] parameter(0), sharding={devices=[2]<=[2]}
  u = s32[1] parameter(1)
  i = s32[] parameter(2)
  ROOT d = s32[4] dynamic-update-slice(a, u, i), sharding={devices=[2]<=[2]}
}
)");
  const std::string inputs = ::testing::TempDir() + "/pjrt_test_clamped.txt";
  std::ofstream(inputs) << "s32[4] {0, 1, 2, 3}\ns32[1] {99}\ns32[] 7\n";
  const Ran ran = RunHlocts(
      absl::StrCat("diff ", module, " --inputs=", inputs, " --partitions=2 --backend=xla"));
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("only when partitioned for 2 devices"));
}

}  // namespace
}  // namespace hlocts::backends
