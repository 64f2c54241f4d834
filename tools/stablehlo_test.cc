// SPDX-License-Identifier: Apache-2.0
// Tests StableHLO, dumps and rewriters from outside. Tests that need the pinned wheel are skipped
// if it is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "backends/engine_list.h"
#include "spec/files/file_io.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const char kTexts[] = HLOCTS_SOURCE_DIR "/tools/jax/testdata";
const char kFindings[] = HLOCTS_SOURCE_DIR "/results/findings";

class StablehloTest : public FolderTest {};

class WithXlaTest : public StablehloTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(HLOCTS_BINARY_DIR "/libhlocts_xla.so"))
      GTEST_SKIP() << "this build omits XLA's C++";
  }
};

constexpr char kAlgsimp[] = "--backend=rewriter:algsimp";
constexpr char kAdd[] = R"(HloModule add
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT r = f32[3] add(x, y)
}
)";

TEST_F(WithXlaTest, WhatJaxPrintsIsReadAndEvaluated) {
  int texts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTexts)) {
    if (entry.path().extension() != ".mlir") continue;
    ++texts;
    const std::string path = entry.path().string();
    EXPECT_THAT(*ReadFile(path), AnyOf(HasSubstr("stablehlo."), HasSubstr("chlo.")));
    Ran ran = RunHlocts(absl::StrCat("diff ", path, " --seed=1 --backend=reference"));
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("pass"));
  }
  EXPECT_GE(texts, 5);
}

TEST_F(WithXlaTest, ThereAndBackMeansTheSame) {
  Write("add.hlo", kAdd);
  Write("in.txt", "f32[3] {1, 2, 3}\nf32[3] {0.5, 0.25, 4}\n");
  // Files without extension are recognised by their content.
  for (const auto& [name, form] : {std::pair("stablehlo", " --to=stablehlo"),
                                   std::pair("stablehlo-bytecode", " --to=stablehlo-bytecode"),
                                   std::pair("m.mlir", ""), std::pair("m.mlirbc", "")}) {
    const std::string mlir = Path(name);
    Ran ran = RunHlocts(absl::StrCat("convert ", Path("add.hlo"), form, " -o ", mlir));
    ASSERT_EQ(ran.status, 0) << ran.out;
    ran = RunHlocts(absl::StrCat("eval ", mlir, " --inputs=", Path("in.txt")));
    EXPECT_EQ(ran.out, "f32[3]{0} {1.5, 2.25, 7}\n");
  }
  EXPECT_THAT(*ReadFile(Path("stablehlo")),
              AllOf(HasSubstr("stablehlo.add"), Not(HasSubstr("loc("))));
  EXPECT_EQ(*ReadFile(Path("m.mlir")), *ReadFile(Path("stablehlo")));
  EXPECT_THAT(*ReadFile(Path("m.mlirbc")), HasSubstr("StableHLO_v"));
  EXPECT_THAT(*ReadFile(Path("stablehlo-bytecode")), HasSubstr("StableHLO_v"));
}

// Each half of the result is the sum of both halves of the argument (ruling 0123).
TEST_F(WithXlaTest, ManualRegionsRunOnTheirMesh) {
  Write("manual.mlir", R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %2 = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})");
  Write("in.txt", "f32[4] {1, 2, 4, 5}\n");
  Ran ran = RunHlocts(absl::StrCat("eval ", Path("manual.mlir"), " --inputs=", Path("in.txt")));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("partition 1\nf32[4]{0} {5, 7, 5, 7}"));
}

TEST_F(WithXlaTest, InvalidStablehloNamesLine) {
  Write("bad.mlir", "module @m {\n  func.func @main() { return %x : tensor<f32> }\n}\n");
  Ran ran = RunHlocts("verify " + Path("bad.mlir"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("bad.mlir: line 2, column "), HasSubstr("undeclared")));
  EXPECT_THAT(ran.out, Not(AnyOf(HasSubstr("12w"), HasSubstr("\n\n"))));
}

TEST_F(WithXlaTest, QuantizedTypesHaveNoHloType) {
  Write("q.mlir",
        "module @m {\n  func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.1:0>>) -> "
        "tensor<4x!quant.uniform<i8:f32, 0.1:0>> {\n    %0 = stablehlo.add %a, %a : "
        "tensor<4x!quant.uniform<i8:f32, 0.1:0>>\n    return %0 : "
        "tensor<4x!quant.uniform<i8:f32, 0.1:0>>\n  }\n}\n");
  Ran ran = RunHlocts("verify " + Path("q.mlir"));
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("quantized types have no HLO type"));
}

TEST_F(StablehloTest, MissingConverterIsReported) {
  Write("m.mlir", "module @m {\n}\n");
  Ran ran = RunHlocts("verify " + Path("m.mlir"),
                      "HLOCTS_XLA_LIBRARY=/nowhere/lib.so "
                      "HLOCTS_STABLEHLO_CONVERTER=/nowhere/converter");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("cannot convert StableHLO: this build lacks XLA's converter"));
  EXPECT_THAT(ran.out, HasSubstr("and `/nowhere/converter` failed. To install that of jaxlib: `pip "
                                 "install ./python jax`; HLOCTS_STABLEHLO_CONVERTER names "));
  Ran packaged = RunHlocts("verify " + Path("m.mlir"),
                           "HLOCTS_XLA_LIBRARY=/nowhere/lib.so HLOCTS_STABLEHLO_CONVERTER="
                           "'/nowhere/python -m hlocts.stablehlo'");
  EXPECT_THAT(packaged.out, HasSubstr("`pip install jax`"));
  Ran raises = RunHlocts("verify " + Path("m.mlir"),
                         "HLOCTS_XLA_LIBRARY=/none HLOCTS_STABLEHLO_CONVERTER='python3\n-c\n1/0'");
  EXPECT_THAT(raises.out, AllOf(HasSubstr("ZeroDivisionError"), Not(HasSubstr("Traceback"))));
}

TEST_F(StablehloTest, TheConverterImportsNothingFromTheWorkingDirectory) {
  Write("m.mlir", "module @m {\n}\n");
  for (const char* name : {"hlocts.py", "random.py", "runpy.py", "numpy.py"})
    Write(name, "open('ran', 'w').close()\n");
  Ran ran = RunHlocts("verify m.mlir", "cd " + folder_ + " && HLOCTS_XLA_LIBRARY=/nowhere/lib.so");
  EXPECT_FALSE(std::filesystem::exists(Path("ran"))) << ran.out;
}

// The named program is a converter that answers every module with the same bytes.
TEST_F(StablehloTest, WithoutTheWheelANamedProgramConverts) {
  if (absl::string_view(HLOCTS_PYTHON).empty()) GTEST_SKIP() << "no python3 with numpy";
  Write("add.hlo", kAdd);
  Ran ran = RunHlocts(absl::StrCat("convert ", Path("add.hlo"), " --to=pb -o ", Path("add.pb")));
  ASSERT_EQ(ran.status, 0) << ran.out;
  Write("converter.py",
        "import os, sys\n"
        "sys.path.insert(0, '" HLOCTS_SOURCE_DIR
        "/backends/examples')\n"
        "import hlocts_frames as lib\n"
        "hello = lib.field(1, lib.field(1, 1) + lib.field(2, 'fixed'))\n"
        "answer = lib.field(5, open(sys.argv[1], 'rb').read())\n"
        "while lib.read_frame(sys.stdin.buffer) is not None:\n"
        "    sys.stdout.buffer.write(lib.varint(len(hello)) + hello)\n"
        "    sys.stdout.buffer.flush()\n"
        "    hello = answer\n");
  Write("m.mlir", "module @m {\n}\n");
  ran = RunHlocts("convert --to=text " + Path("m.mlir"),
                  absl::StrCat("HLOCTS_XLA_LIBRARY=/nowhere/lib.so HLOCTS_STABLEHLO_CONVERTER='",
                               HLOCTS_PYTHON " ", Path("converter.py"), " ", Path("add.pb"), "'"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr(" add("));
}

// An edited dump directory simulates a wrong pass; no engine runs.
TEST_F(StablehloTest, AnEditedDumpIsNamed) {
  Write("module_0001.add.before_optimizations.txt", kAdd);
  std::string edited = kAdd;
  edited.replace(edited.find("add(x, y)"), 9, "add(x, x)");
  Write("module_0001.add.0002.simplification.after_pipeline-start.before_algsimp.txt", kAdd);
  Write("module_0001.add.0003.simplification.after_algsimp.before_dce.txt", edited);
  Write("module_0001.add.cpu_after_optimizations.txt", edited);
  Write("module_0001.add.cpu_after_optimizations-buffer-assignment.txt", "BufferAssignment:\n");
  Ran ran = RunHlocts("dumps " + folder_);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("2 passes, 2 distinct modules"));
  ran = RunHlocts("dumps " + folder_ + " --seed=1");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("fail: output 0"),
                             HasSubstr("\nguilty: pass algsimp (simplification)\n"),
                             Not(HasSubstr("not judged"))));
  Write("module_0001.add.0004.simplification.after_dce.before_cse.txt",
        std::string(edited).replace(edited.find("add(x, x)"), 9, "add(y, y)"));
  EXPECT_THAT(
      RunHlocts("dumps " + folder_ + " --seed=1").out,
      HasSubstr("optimizations.txt\n  not judged: 2 modules after a wrong one\nguilty: pass"));
  std::remove(
      Path("module_0001.add.0002.simplification.after_pipeline-start.before_algsimp.txt").c_str());
  ran = RunHlocts("dumps " + folder_ + " --seed=1");
  EXPECT_THAT(ran.out, HasSubstr("\nguilty: a pass; the next dump is module_0001.add.0003"));
  EXPECT_THAT(RunHlocts("dumps " HLOCTS_SOURCE_DIR "/README.md").out,
              HasSubstr("expected a directory, found a file; two modules: `hlocts compare A B`"));
  Write("module_0001.add.0001.first.after_pipeline-start.before_cse.txt", kAdd);
  Write("module_0001.add.0002.first.after_cse.before_pipeline-end.txt", kAdd);
  Write("module_0001.add.debug_options", "xla_dump_hlo_pass_re: \"cse|algsimp\"");
  EXPECT_THAT(RunHlocts("dumps " + folder_ + " --seed=1").out,
              HasSubstr("\nguilty: a change after pass cse; the next dump is "));
  ran = RunHlocts("dumps " + Path("none"));
  EXPECT_EQ(ran.status, 2);
}

// The first random inputs show no difference.
TEST_F(StablehloTest, ADumpThatIsWrongOnlyForNanIsNamed) {
  const auto module = [](const char* root) {
    return absl::StrCat(
        "HloModule m\nENTRY e { x = f32[] parameter(0) a = f32[] abs(x) z = f32[] "
        "constant(0) ROOT r = pred[] ",
        root, " }\n");
  };
  Write("module_0001.m.before_optimizations.txt", module("compare(a, z), direction=GE"));
  Write("module_0001.m.0003.simplification.after_algsimp.before_dce.txt", module("constant(true)"));
  Ran ran = RunHlocts("dumps " + folder_);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("; not judged: --seed=N or --inputs=FILE\n"));
  ran = RunHlocts("dumps " + folder_ + " --seed=1");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr(", data edge\n"));
  ran = RunHlocts("dumps " + folder_ + " --seed=1 --data=exact");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("\nall 2 stages agree\n"));
  for (const char* name : {"before_optimizations", "0003.p.after_a.before_b"})
    Write(absl::StrCat("module_0002.d.", name, ".txt"),
          absl::StrCat("HloModule ", name[0] == 'b' ? "d" : "e",
                       "\nENTRY e { x = bf16[64] parameter(0) ROOT d = bf16[] dot(x, x), "
                       "lhs_contracting_dims={0}, rhs_contracting_dims={0} }\n"));
  EXPECT_THAT(RunHlocts("dumps " + folder_ + " --seed=1 --module=2").out,
              HasSubstr("\nall 2 stages agree; not decided: 4 of 12 inputs\n"));
}

TEST_F(StablehloTest, FactsNarrowTheSetsOfADump) {
  const std::string begin = "HloModule m\nENTRY e { c = f32[] constant(1e9) ROOT r = s8[] ";
  Write("module_0001.m.before_optimizations.txt", begin + "convert(c) }\n");
  Write("module_0001.m.0003.simplification.after_algsimp.before_dce.txt",
        begin + "constant(5) }\n");
  EXPECT_THAT(RunHlocts("dumps " + folder_ + " --seed=1").out, Not(HasSubstr("guilty")));
  EXPECT_THAT(RunHlocts("dumps " + folder_ + " --seed=1 --fact=convert.saturate").out,
              HasSubstr("\nguilty: a pass; the next dump is "));
  EXPECT_EQ(RunHlocts("dumps " + folder_ + " --seed=1 --fact=none").status, 2);
}

TEST_F(WithXlaTest, BlameNamesThePassAndProvesIt) {
  if (const auto plugin = backends::PluginOf("xla"); !plugin.ok())
    GTEST_SKIP() << plugin.status().message();
  Ran ran = RunHlocts(absl::StrCat("blame ", kFindings, "/xla-gather-of-a-dynamic-slice"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("guilty: pass algsimp"), HasSubstr("accepted: 21"),
                             HasSubstr("confirmed: correct without algsimp")));
}

// An installed release contains neither a library of XLA nor sources.
TEST_F(StablehloTest, AReleaseNamesWhatWorksWithoutXla) {
  for (const char* name : {"suites/cases", "python", "backends"})
    std::filesystem::create_directories(Path(name));
  std::filesystem::copy(HLOCTS_SOURCE_DIR "/backends/engines.textproto", Path("backends"));
  Write("python/hlocts-1.0.0-py3-none-any.whl", "");
  Write("add.hlo", kAdd);
  Write("add.mlir", "module { func.func @main() { return } }\n");
  const std::string installed =
      "HLOCTS_XLA_LIBRARY=/none HLOCTS_STABLEHLO_CONVERTER=/none HLOCTS_HOME=" + folder_;
  for (const char* name :
       {"slice-sinker", "enzyme-hlo-opt", "stablehlo-canonicalize", "exec:cat"}) {
    Ran ran = RunHlocts(
        absl::StrCat("diff ", Path("add.hlo"), " --seed=1 --backend=rewriter:", name), installed);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("this release contains no C++ library of XLA"),
                               HasSubstr("rewriter:jaxlib@0.12.0.1"),
                               Not(HasSubstr("ci/fetch-xla")), Not(HasSubstr("engines install"))));
  }
  EXPECT_THAT(RunHlocts("engines list", installed).out,
              ContainsRegex("\nenzyme@0.0.16 +not usable here .*; this release contains no C"));
  EXPECT_THAT(RunHlocts("eval " + Path("add.mlir"), installed).out,
              HasSubstr("pip install " + Path("python/hlocts-1.0.0-py3-none-any.whl") + " jax"));
  EXPECT_THAT(RunHlocts("help rewriters").out,
              AllOf(HasSubstr("jaxlib@0.12.0.1\nPasses of XLA, after `hlocts engines install xla`"),
                    ContainsRegex("\nPasses and programs that need a build with XLA's C")));
  EXPECT_THAT(RunHlocts(absl::StrCat("diff ", Path("add.hlo"), " --seed=1 ", kAlgsimp),
                        installed + " HLOCTS_CACHE=/none")
                  .out,
              HasSubstr("not installed: hlocts engines install xla"));
}

// The compiler of the engine xla runs one pass. The text of its dump rounds `epsilon`.
TEST_F(StablehloTest, WithoutXlaAPassRunsInTheInstalledEngine) {
  if (const auto plugin = backends::PluginOf("xla"); !plugin.ok())
    GTEST_SKIP() << plugin.status().message();
  std::filesystem::create_directory(Path("tmp"));
  const std::string without = "HLOCTS_XLA_LIBRARY=/none TMPDIR=" + Path("tmp");
  Write("add.hlo", kAdd);
  Write("norm.hlo", R"(HloModule m
ENTRY e {
  x = f64[1,1] parameter(0)
  y = f64[1] parameter(1)
  v = f64[1] constant({0})
  ROOT r = f64[1,1] batch-norm-inference(x, y, y, y, v), epsilon=0.0009765625, feature_index=1
})");
  for (const char* right : {"add.hlo", "norm.hlo"}) {
    Ran ran = RunHlocts(absl::StrCat("diff ", Path(right), " --seed=1 ", kAlgsimp), without);
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("pass  rewriter:algsimp"));
  }
  Write("size.hlo", R"(HloModule m
ENTRY e {
  c = u8[1] constant({0})
  z = s32[] constant(0)
  d = u8[<=1] set-dimension-size(c, z), dimensions={0}
  ROOT r = s32[] get-dimension-size(d), dimensions={0}
})");
  EXPECT_THAT(
      RunHlocts("diff " + Path("size.hlo") + " --backend=rewriter:constant_folding", without).out,
      AllOf(HasSubstr("unsupported"), HasSubstr("constant of dynamic size")));
  const std::string small = Path("small");
  Ran ran = RunHlocts(
      absl::StrCat("shrink ", kFindings, "/xla-quotient-of-a-quotient ", kAlgsimp, " -o ", small),
      without);
  ran = RunHlocts("replay " + small, without);
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(*ReadFile(small + "/verdict.json"), HasSubstr("\"algsimp of xla@"));
  EXPECT_THAT(RunHlocts("blame " + small, without).out,
              AllOf(HasSubstr("guilty: pass algsimp"), HasSubstr("has no other passes")));
  EXPECT_THAT(RunHlocts("report-bug " + small, without).out,
              AllOf(HasSubstr("--xla_enable_hlo_passes_only=algsimp"), Not(HasSubstr("hlo-opt"))));
  EXPECT_TRUE(std::filesystem::is_empty(Path("tmp")));
}

TEST_F(WithXlaTest, ARewriterIsJudgedByWhatComesOut) {
  const std::string diff = absl::StrCat("diff ", kFindings, "/xla-square-root-of-square");
  Ran wrong = RunHlocts(diff + " --backend=rewriter:algsimp");
  EXPECT_EQ(wrong.status, 1) << wrong.out;
  EXPECT_THAT(wrong.out, ContainsRegex("allowed: +inf"));
  for (const char* right : {"stablehlo", "vhlo", "cse"}) {
    Ran ran = RunHlocts(absl::StrCat(diff, " --backend=rewriter:", right));
    EXPECT_EQ(ran.status, 0) << ran.out;
  }
  EXPECT_THAT(RunHlocts(diff + " --backend=rewriter:nosuch").out,
              HasSubstr("expected rewriter: and stablehlo, vhlo"));
}

}  // namespace
}  // namespace hlocts::tools
