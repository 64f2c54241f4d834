// SPDX-License-Identifier: Apache-2.0
#include "spec/files/module_file.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"
#include "spec/files/literals_file.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;

constexpr char kText[] = R"(HloModule m

ENTRY e {
  a = f32[2] parameter(0), metadata={op_name="left"}
  b = (f32[], pred[]) parameter(1)
  c = f32[] get-tuple-element(b), index=0
  d = f32[2] broadcast(c), dimensions={}
  ROOT e = (f32[2], f32[]) tuple(d, c)
}
)";

TEST(ModuleFileTest, EveryFormatLoadsBack) {
  LoadedModule loaded = *ParseModuleFile("m.hlo", kText);
  std::string printed = PrintModule(*loaded.module);
  struct Case {
    ModuleFormat format;
    const char* file;
  };
  for (const Case& c :
       {Case{ModuleFormat::kText, "m.hlo"}, Case{ModuleFormat::kProto, "m.pb"},
        Case{ModuleFormat::kProtoText, "m.pbtxt"}, Case{ModuleFormat::kSnapshot, "s.pb"},
        Case{ModuleFormat::kText, "no_extension"}, Case{ModuleFormat::kProto, "also_none"},
        Case{ModuleFormat::kProtoText, "pbtxt_by_content"}}) {
    std::string path = ::testing::TempDir() + c.file;
    SaveOptions options;
    options.format = c.format;
    ASSERT_TRUE(SaveModule(*loaded.module, options, path).ok());
    HLOCTS_ASSERT_OK_AND_ASSIGN(LoadedModule again, LoadModule(path));
    EXPECT_EQ(again.format, c.format);
    EXPECT_EQ(PrintModule(*again.module), printed) << c.file;
  }
}

TEST(ModuleFileTest, ShortAndCanonicalAreText) {
  LoadedModule loaded = *ParseModuleFile("m.hlo", kText);
  SaveOptions options;
  options.format = ModuleFormat::kShort;
  EXPECT_TRUE(ParseModuleFile("m.hlo", *FormatModuleFile(*loaded.module, options)).ok());
  options.format = ModuleFormat::kCanonical;
  EXPECT_THAT(*FormatModuleFile(*loaded.module, options), HasSubstr("tuple("));
}

TEST(ModuleFileTest, MlirIsKnownByItsFirstWords) {
  for (const char* mlir :
       {"module @jit_f attributes {mhlo.num_replicas = 1 : i32} {\n}",
        "#loc1 = loc(\"x\")\nmodule {\n}", "// made by hand\n module {}",
        "func.func @main() { return }", "#map0 = affine_map<(d0) -> (d0)>\nmodule @m {\n}",
        "sdy.mesh @mesh = <[\"x\"=2]>\n", "func @main() { return }",
        "ML\xEFR\x0dStableHLO_v1.13.0"}) {
    EXPECT_TRUE(LooksLikeMlir(mlir)) << mlir;
  }
  for (const char* other :
       {kText, "HloModule module", "# HloModule = m\nname: \"m\"",
        "module_1 { ROOT r = f32[] constant(1) }", "module.2 {", "", "ENTRY module {"}) {
    EXPECT_FALSE(LooksLikeMlir(other)) << other;
  }
  absl::StatusOr<LoadedModule> loaded = ParseModuleFile("m.hlo", "module @m {\n}");
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("expected HLO, found MLIR (StableHLO)"));
}

TEST(ModuleFileTest, OperationsOfMlirOutsideOfAFunctionAreReported) {
  for (const char* fragment :
       {"  %1 = stablehlo.add %0, %0 : tensor<f32>", "\n%2:2 = \"stablehlo.reduce\"(%0, %1) ({"}) {
    EXPECT_THAT(std::string(ParseModuleFile("m.mlir", fragment).status().message()),
                HasSubstr("found operations of MLIR outside of a function"));
  }
  EXPECT_TRUE(ParseModuleFile("m.hlo", "stablehlo.add = f32[] constant(1)").ok());
}

TEST(ModuleFileTest, AGraphOfPytorchIsRead) {
  const std::string graph =
      absl::StrCat("Hashes: (1)\n\n## BEGIN_GRAPH\n", kText, "\n## END_GRAPH\n\n");
  const absl::StatusOr<LoadedModule> loaded = ParseModuleFile("graphs.txt", graph);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(std::string(ParseModuleFile("graphs.txt", graph + graph).status().message()),
              HasSubstr("found several"));
}

TEST(ModuleFileTest, DumpSidecarFilesAreReported) {
  EXPECT_THAT(
      std::string(ParseModuleFile("b.txt", "BufferAssignment:\nallocation 0").status().message()),
      HasSubstr("found a buffer assignment"));
}

// --xla_dump_hlo_unoptimized_snapshots writes protobuf text in a .txt.
TEST(ModuleFileTest, UnoptimizedSnapshotsBringTheirArguments) {
  absl::StatusOr<LoadedModule> loaded = ParseModuleFile("s.txt", R"(hlo_module {
  name: "m" entry_computation_name: "e" id: 1 entry_computation_id: 1
  computations { name: "e" id: 1 root_id: 1
    instructions { name: "p" opcode: "parameter" id: 1
      shape { element_type: S32 layout {} } }
    program_shape { parameters { element_type: S32 layout {} } parameter_names: "p"
                    result { element_type: S32 layout {} } } }
  host_program_shape { parameters { element_type: S32 layout {} } parameter_names: "p"
                       result { element_type: S32 layout {} } } }
partitions { arguments { shape { element_type: S32 layout {} } s32s: 7 } }
)");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->format, ModuleFormat::kSnapshot);
  ASSERT_EQ(loaded->arguments.size(), 1u);
  EXPECT_EQ(FormatLeaf(loaded->arguments[0]), "s32[] 7");
}

TEST(ModuleFileTest, MetadataCanBeLeftOut) {
  LoadedModule loaded = *ParseModuleFile("m.hlo", kText);
  SaveOptions options;
  for (ModuleFormat format : {ModuleFormat::kText, ModuleFormat::kProto, ModuleFormat::kProtoText,
                              ModuleFormat::kSnapshot}) {
    options.format = format;
    options.metadata = true;
    EXPECT_THAT(*FormatModuleFile(*loaded.module, options), HasSubstr("left"));
    options.metadata = false;
    EXPECT_THAT(*FormatModuleFile(*loaded.module, options), ::testing::Not(HasSubstr("left")));
  }
  EXPECT_THAT(PrintModule(*loaded.module), HasSubstr("left"));
}

TEST(ModuleFileTest, SnapshotsCarryArgumentsAndResults) {
  LoadedModule loaded = *ParseModuleFile("m.hlo", kText);
  LiteralsFile arguments = *ParseLiterals("f32[2] {1, 2}\nf32[] 3\npred[] true\n", std::nullopt);
  LiteralsFile results = *ParseLiterals("f32[2] {3, 3}\nf32[] 3\n", std::nullopt);
  SaveOptions options{.format = ModuleFormat::kSnapshot,
                      .arguments = arguments.blocks[0].leaves,
                      .results = results.blocks[0].leaves};
  std::string bytes = *FormatModuleFile(*loaded.module, options);
  LoadedModule again = *ParseModuleFile("m.pb", bytes);
  EXPECT_EQ(again.format, ModuleFormat::kSnapshot);
  ASSERT_EQ(again.arguments.size(), 3u);
  EXPECT_EQ(FormatLeaf(again.arguments[1]), "f32[] 3");
  EXPECT_EQ(FormatLeaf(again.results[0]), "f32[2]{0} {3, 3}");
  options.arguments.pop_back();
  EXPECT_FALSE(FormatModuleFile(*loaded.module, options).ok());
}

TEST(ModuleFileTest, FormatNames) {
  EXPECT_EQ(ModuleFormatFromName("text"), ModuleFormat::kText);
  EXPECT_EQ(ModuleFormatFromName("short"), ModuleFormat::kShort);
  EXPECT_EQ(ModuleFormatFromName("canonical"), ModuleFormat::kCanonical);
  EXPECT_EQ(ModuleFormatFromName("pb"), ModuleFormat::kProto);
  EXPECT_EQ(ModuleFormatFromName("pbtxt"), ModuleFormat::kProtoText);
  EXPECT_EQ(ModuleFormatFromName("snapshot"), ModuleFormat::kSnapshot);
  EXPECT_FALSE(ModuleFormatFromName("json").has_value());
}

TEST(ModuleFileTest, SaysWhatIsWrong) {
  struct Case {
    const char* name;
    std::string content;
    const char* message;
  };
  std::string binary("\x0a\x01m\x1a\x02\x0a\x00", 7);
  for (const Case& c : {
           Case{"a.hlo", "HloModule m\n\nENTRY e {\n  a = f32[2] frobnicate()\n}\n",
                "a.hlo: line 4"},
           Case{"a.hlo", binary, "a.hlo: expected text, found binary data"},
           Case{"a.pbtxt", binary, "a.pbtxt: expected text, found binary data"},
           Case{"a.pbtxt", "name: \"m\"\nfrobnicate: 3\n", "a.pbtxt: line 2, column 11: "},
           Case{"a.pb", "", "a.pb: expected a serialized HloModuleProto, found nothing"},
           Case{"a.pb", "\xff\xff\xff", "a.pb: expected a serialized HloModuleProto"},
           Case{"a.pb", std::string("\x0a\x01m", 3), "a.pb: expected computations, found none"},
           Case{"-", "HloModule m\n", "standard input: line "},
           Case{"-", binary, "standard input: "},
       }) {
    absl::StatusOr<LoadedModule> loaded = ParseModuleFile(c.name, c.content);
    ASSERT_FALSE(loaded.ok()) << c.name << ": " << c.content;
    EXPECT_THAT(std::string(loaded.status().message()), ::testing::StartsWith(c.message));
  }
  EXPECT_THAT(std::string(LoadModule("/nonexistent/m.hlo").status().message()),
              HasSubstr("cannot read /nonexistent/m.hlo: No such file"));
}

TEST(FileIoTest, ExtensionsAndFailures) {
  EXPECT_EQ(ExtensionOf("a/b.c/d.PB"), "pb");
  EXPECT_EQ(ExtensionOf("a.b/c"), "");
  EXPECT_EQ(ExtensionOf(".hidden"), "");
  EXPECT_EQ(ExtensionOf("-"), "");
  EXPECT_FALSE(WriteFile("/nonexistent/x", "y").ok());
  EXPECT_FALSE(WriteFile(::testing::TempDir(), "y").ok());
}

}  // namespace
}  // namespace hlocts
