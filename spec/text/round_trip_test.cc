// SPDX-License-Identifier: Apache-2.0
// Texts must be printed as they were read: cases/instructions.txt has a row for each attribute and
// form of an instruction, cases/modules.txt for each form of a module.
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/text/instruction_rows_testing.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

// Returns the printed line of instruction %o.
std::string PrintedLine(const std::string& text) {
  size_t begin = text.find("  %o = ");
  if (begin == std::string::npos) return "no %o in " + text;
  return text.substr(begin + 2, text.find('\n', begin) - begin - 2);
}

class InstructionTest : public testing::TestWithParam<InstructionRow> {};

TEST_P(InstructionTest, IsPrintedAsXlaPrintsIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(ModuleAround(GetParam().read)));
  std::string printed = PrintModule(*module);
  EXPECT_EQ(PrintedLine(printed), GetParam().printed);
  auto again = ParseModule(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_EQ(PrintModule(**again), printed);
}

TEST_P(InstructionTest, SurvivesEveryWayOfPrinting) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(ModuleAround(GetParam().read)));
  std::string printed = PrintModule(*module);
  PrintOptions operands;
  operands.operand_shapes = true;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto with_shapes, ParseModule(PrintModule(*module, operands)));
  EXPECT_EQ(PrintModule(*with_shapes), printed);
  PrintOptions bare{.percent = false, .program_shape = false};
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto without, ParseModule(PrintModule(*module, bare)));
  EXPECT_EQ(PrintModule(*without), printed);
  auto canonical = ParseModule(PrintModule(*module, PrintOptions::Canonical()));
  EXPECT_TRUE(canonical.ok()) << canonical.status();
}

INSTANTIATE_TEST_SUITE_P(Rows, InstructionTest, testing::ValuesIn(InstructionRows()));

struct Whole {
  std::string name, read, printed;
};

class ModuleTest : public testing::TestWithParam<Whole> {};

TEST_P(ModuleTest, IsPrintedAsXlaPrintsIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(GetParam().read));
  EXPECT_EQ(PrintModule(*module), GetParam().printed);
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, ParseModule(GetParam().printed));
  EXPECT_EQ(PrintModule(*again), GetParam().printed);
}

std::vector<Whole> Wholes() {
  std::vector<Whole> rows;
  std::ifstream file(HLOCTS_SOURCE_DIR "/spec/text/cases/modules.txt");
  bool printed = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) rows.push_back({line.substr(3)});
    if (line.starts_with("== ") || line == "->") {
      printed = line == "->";
    } else if (!rows.empty()) {
      (printed ? rows.back().printed : rows.back().read) += line + "\n";
    }
  }
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Wholes, ModuleTest, testing::ValuesIn(Wholes()),
                         [](const auto& info) { return info.param.name; });

TEST(TablesTest, AreNotEmpty) {
  EXPECT_GT(InstructionRows().size(), 110u);
  EXPECT_GT(Wholes().size(), 8u);
}

TEST(PrinterTest, ShortAndCanonicalLeaveOutWhatXlaLeavesOut) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module,
      ParseModule(ModuleAround(
          "%o = f32[] reduce(%a, %s), dimensions={0}, to_apply=%add, control-predecessors={%i}, "
          "metadata={op_name=\"n\"}, backend_config=\"b\"")));
  std::string brief = PrintModule(*module, PrintOptions::Short());
  EXPECT_NE(brief.find("\n  o = f32[] reduce(a, s), dimensions={0}, to_apply=add, "
                       "backend_config=\"b\"\n"),
            std::string::npos)
      << brief;
  EXPECT_NE(brief.find("\nadd {\n"), std::string::npos) << brief;
  std::string canonical = PrintModule(*module, PrintOptions::Canonical());
  EXPECT_NE(canonical.find("  tmp_12 = f32[] reduce(f32[4]{0} tmp_0, f32[] tmp_1), "
                           "dimensions={0}, to_apply=\n"
                           "  {\n"
                           "    tmp_0 = f32[] parameter(0)\n"
                           "    tmp_1 = f32[] parameter(1)\n"
                           "    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n"
                           "  }\n"),
            std::string::npos)
      << canonical;
}

TEST(PrinterTest, LargeConstantsCanBeElided) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module, ParseModule(ModuleAround("%o = s32[11] constant({0,1,2,3,4,5,6,7,8,9,10})")));
  PrintOptions options;
  options.large_constants = false;
  EXPECT_EQ(PrintedLine(PrintModule(*module, options)), "%o = s32[11]{0} constant({...})");
}

TEST(ParserTest, IotaReplicaGroupsAreExpanded) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto groups, ParseReplicaGroups("[2,4]<=[4,2]T(1,0)"));
  EXPECT_EQ(groups.groups, (std::vector<std::vector<int64_t>>{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(PrintReplicaGroups(groups), "[2,4]<=[4,2]T(1,0)");
}

TEST(ParserTest, MeshReplicaGroupsAreExpanded) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto groups, ParseReplicaGroups("mesh['x'=2,'y'=3] {'x'}"));
  EXPECT_EQ(groups.groups, (std::vector<std::vector<int64_t>>{{0, 3}, {1, 4}, {2, 5}}));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto both, ParseReplicaGroups("mesh['x'=2,'y'=2] {'y','x'}"));
  EXPECT_EQ(both.groups, (std::vector<std::vector<int64_t>>{{0, 2, 1, 3}}));
}

// XLA reads none of u4, bf16, inf, manual and unknown as a name, unless "%" precedes it.
TEST(PrinterTest, AReservedWordIsNotPrintedAsAName) {
  const std::string text =
      "HloModule u4\n\n%bf16 (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n\n"
      "ENTRY %unknown (inf: f32[], inf_: f32[]) -> f32[] {\n  %inf = f32[] parameter(0)\n"
      "  %inf_ = f32[] parameter(1)\n  %tuple = f32[] add(%inf, %inf_)\n"
      "  ROOT %manual = f32[] call(%tuple), to_apply=%bf16\n}\n";
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(text));
  const std::string printed = PrintModule(*module, PrintOptions::Short());
  EXPECT_EQ(printed.substr(printed.find("\n\n")),
            "\n\nbf16_ {\n  ROOT x = f32[] parameter(0)\n}\n\nENTRY unknown_ {\n"
            "  inf__ = f32[] parameter(0)\n  inf_ = f32[] parameter(1)\n"
            "  tuple = f32[] add(inf__, inf_)\n"
            "  ROOT manual_ = f32[] call(tuple), to_apply=bf16_\n}\n");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, ParseModule(printed));
  EXPECT_EQ(PrintModule(*again, PrintOptions::Short()), printed);
  PrintOptions bare;
  bare.percent = false;
  EXPECT_NE(PrintModule(*module, bare).find("ENTRY unknown_ (inf__: f32[], inf_: f32[])"),
            std::string::npos);
  const std::string whole = PrintModule(*module);
  EXPECT_TRUE(whole.starts_with("HloModule u4_, ")) << whole;
  EXPECT_EQ(whole.substr(whole.find("\n\n")), text.substr(text.find("\n\n")));
}

TEST(ParserTest, ATypeIsNoName) {
  for (const char* name : {"f32", "s1", "u4", "pred", "token", "f8e4m3fn"}) {
    auto module = ParseModule(
        absl::StrCat("HloModule m\nENTRY main {\n  ROOT %", name, " = f32[] parameter(0)\n}\n"));
    EXPECT_TRUE(absl::IsInvalidArgument(module.status())) << name;
  }
  EXPECT_TRUE(ParseModule("HloModule m\nENTRY s1 {\n  ROOT tuple = () tuple()\n}\n").ok());
}

TEST(ParserTest, ConvolutionDimensionNumbersNameEachDimension) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto numbers, ParseConvolutionDimensionNumbers("f0b1_1o0i->b10f"));
  EXPECT_EQ(numbers.input_batch, 2);
  EXPECT_EQ(numbers.input_feature, 0);
  EXPECT_EQ(numbers.input_spatial, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(numbers.kernel_output_feature, 1);
  EXPECT_EQ(numbers.kernel_spatial, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(numbers.output_spatial, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(PrintConvolutionDimensionNumbers(numbers), "f0b1_1o0i->b10f");
  EXPECT_EQ(PrintConvolutionDimensionNumbers(*ParseConvolutionDimensionNumbers("b?f_io?->bf")),
            "b?f_io->bf");
}

TEST(ParserTest, AsyncStartHoldsTheOperationInAComputation) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module,
      ParseModule(
          "HloModule a\nENTRY e { p = f32[2] parameter(0)\n"
          " s = ((f32[2]), f32[2], u32[]) custom-call-start(p), async_execution_thread=\"t\", "
          "custom_call_target=\"c\", backend_config=\"b\"\n ROOT d = f32[2] custom-call-done(s) "
          "}"));
  const Instruction& start = *module->entry()->instructions()[1];
  EXPECT_EQ(start.opcode(), Opcode::kAsyncStart);
  EXPECT_TRUE(start.Has(Attr::kBackendConfig));
  const Computation* wrapped = start.CalledComputation(Attr::kCalls);
  ASSERT_NE(wrapped, nullptr);
  EXPECT_EQ(wrapped->execution_thread, "t");
  EXPECT_EQ(wrapped->root()->opcode(), Opcode::kCustomCall);
  EXPECT_EQ(*wrapped->root()->Get<std::string>(Attr::kCustomCallTarget), "c");
  EXPECT_FALSE(wrapped->root()->Has(Attr::kBackendConfig));
}

}  // namespace
}  // namespace hlocts
