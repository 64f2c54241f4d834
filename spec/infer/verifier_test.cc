// SPDX-License-Identifier: Apache-2.0
// Data-driven tests: cases/*.case contain modules that are accepted or rejected by a named rule.
// Modules that cannot be written as text are built below.
#include "spec/infer/verifier.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/infer/collective.h"
#include "spec/infer/infer.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/text/parser.h"
#include "suites/case.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;

const char kFolder[] = HLOCTS_SOURCE_DIR "/spec/infer/";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<suites::Case> ReadCases() {
  std::vector<suites::Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(absl::StrCat(kFolder, "cases"))) {
    const std::string stem = entry.path().stem().string();
    auto read = suites::ParseCases(ReadFile(entry.path()), "infer", stem, entry.path().string());
    EXPECT_TRUE(read.ok()) << read.status();
    if (read.ok()) cases.insert(cases.end(), read->begin(), read->end());
  }
  return cases;
}

TEST(VerifierTest, AcceptsAndRejectsTheCases) {
  const std::vector<suites::Case> cases = ReadCases();
  EXPECT_GT(cases.size(), 300u);
  for (const suites::Case& one : cases) {
    SCOPED_TRACE(absl::StrCat(one.place.file, ":", one.place.line, ": ", one.address));
    auto module = ParseModule(one.module_text);
    EXPECT_TRUE(module.ok()) << module.status().message();
    if (!module.ok()) continue;
    absl::Status status = VerifyModule(**module);
    EXPECT_EQ(RuleOf(status), one.reject_rule) << status.message();
    EXPECT_EQ(status.ok(), one.reject_rule.empty());
    if (!status.ok()) {
      EXPECT_THAT(std::string(status.message()), HasSubstr("expected "));
      EXPECT_THAT(std::string(status.message()), HasSubstr("found "));
    }
  }
}

// Returns the rules that the sources cite: "file.number" (registry), "hlo.name" (RULE_IDS.md).
std::set<std::string> CitedRules() {
  std::set<std::string> rules;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cc" || absl::StrContains(name, "_test")) continue;
    std::vector<std::string> parts = absl::StrSplit(ReadFile(entry.path()), '"');
    for (size_t i = 1; i < parts.size(); i += 2) {
      const std::string& part = parts[i];
      size_t dot = part.find('.');
      bool simple =
          !part.empty() &&
          part.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.0123456789") == std::string::npos;
      if (!simple || dot == std::string::npos || dot == 0 || dot + 1 == part.size()) continue;
      bool number = part.find_first_not_of("0123456789", dot + 1) == std::string::npos;
      if (number || absl::StartsWith(part, "hlo.")) rules.insert(part);
    }
  }
  return rules;
}

TEST(VerifierTest, EveryCitedRuleExists) {
  std::set<std::string> clauses;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(kFolder, "../clauses"))) {
    if (entry.path().extension() != ".textproto") continue;
    if (entry.path().filename() == "documents.textproto") continue;
    for (absl::string_view line : absl::StrSplit(ReadFile(entry.path()), '\n')) {
      line = absl::StripAsciiWhitespace(line);
      if (absl::ConsumePrefix(&line, "id: \""))
        clauses.insert(std::string(line.substr(0, line.size() - 1)));
    }
  }
  EXPECT_GT(clauses.size(), 1000u);
  std::string listed = ReadFile(absl::StrCat(kFolder, "RULE_IDS.md"));
  std::set<std::string> rules = CitedRules();
  EXPECT_GT(rules.size(), 200u);
  for (const std::string& rule : rules) {
    if (absl::StartsWith(rule, "hlo.")) {
      EXPECT_THAT(listed, HasSubstr(absl::StrCat("`", rule, "`")))
          << "RULE_IDS.md lists hlo.* rules";
    } else {
      EXPECT_TRUE(clauses.count(rule)) << rule << " is no clause of spec/clauses";
    }
  }
}

// Rules that a text can break only if it also breaks a rule that is checked earlier. The tests
// below break all but the last of these rules.
const char* const kBrokenByHand[] = {
    "hlo.arity",
    "concatenate.6",
    "hlo.attribute",
    "hlo.called_computation",
    "hlo.constant",
    "hlo.entry",
    "hlo.name",
    "hlo.operand",
    "hlo.order",
    "hlo.root",
    "layouts.22",
    "layouts.7",
    "rng_bit_generator.9",
    "hlo.parameter_number",
    // No module breaks the following rules without also breaking another rule of the operation.
    "conditional.18",
    "conv_with_general_padding.11",
};

TEST(VerifierTest, EveryCitedRuleIsBrokenByACase) {
  std::set<std::string> broken(std::begin(kBrokenByHand), std::end(kBrokenByHand));
  for (const suites::Case& one : ReadCases()) broken.insert(one.reject_rule);
  for (const std::string& rule : CitedRules()) {
    EXPECT_TRUE(broken.count(rule)) << "no case is rejected by " << rule;
  }
}

Instruction* Add(Computation* computation, std::string name, Opcode opcode, Shape shape,
                 std::vector<Instruction*> operands = {}) {
  auto* added =
      computation->Add(std::make_unique<Instruction>(std::move(name), opcode, std::move(shape)));
  added->mutable_operands() = std::move(operands);
  return added;
}

const Shape kVector(PrimitiveType::kF32, {2});

// The module ENTRY e { x = f32[2] parameter(0)  ROOT r = f32[2] negate(x) }.
struct Small {
  Module module{"m"};
  Computation* entry = module.Add(std::make_unique<Computation>("e"));
  Instruction* x = Add(entry, "x", Opcode::kParameter, kVector);
  Instruction* r = Add(entry, "r", Opcode::kNegate, kVector, {x});
  Small() {
    module.set_entry(entry);
    entry->set_root(r);
    x->set_parameter_number(0);
  }
  std::string Rule() { return RuleOf(VerifyModule(module)); }
};

TEST(VerifierTest, SmallModuleIsFine) { EXPECT_TRUE(VerifyModule(Small().module).ok()); }

TEST(VerifierTest, NamesTheInstruction) {
  Small small;
  small.r->mutable_shape() = Shape(PrimitiveType::kF32, {3});
  absl::Status status = VerifyModule(small.module);
  EXPECT_EQ(status.message(), "%r = negate: expected the shape f32[2], found f32[3]");
}

TEST(VerifierTest, EntryAndRoot) {
  Small small;
  small.entry->set_root(nullptr);
  EXPECT_EQ(small.Rule(), "hlo.root");
  small.entry->set_root(small.r);
  small.module.set_entry(nullptr);
  EXPECT_EQ(small.Rule(), "hlo.entry");
}

TEST(VerifierTest, NamesAreUnique) {
  Small small;
  small.r->set_name("x");
  EXPECT_EQ(small.Rule(), "hlo.name");
  small.r->set_name("r");
  auto* second = small.module.Add(std::make_unique<Computation>("e"));
  second->set_root(Add(second, "c", Opcode::kAfterAll, Shape::Token()));
  EXPECT_EQ(small.Rule(), "hlo.name");
}

TEST(VerifierTest, ParametersAreNumbered) {
  Small small;
  for (int64_t number : {-1, 1, 7}) {
    small.x->set_parameter_number(number);
    EXPECT_EQ(small.Rule(), "hlo.parameter_number") << number;
  }
  small.x->set_parameter_number(0);
  Add(small.entry, "y", Opcode::kParameter, kVector)->set_parameter_number(0);
  EXPECT_EQ(small.Rule(), "hlo.parameter_number");
}

TEST(VerifierTest, OperandsComeFirst) {
  Small small;
  Instruction* late = Add(small.entry, "late", Opcode::kNegate, kVector, {small.x});
  small.r->mutable_operands()[0] = late;
  EXPECT_EQ(small.Rule(), "hlo.order");
  small.r->mutable_operands()[0] = small.r;
  EXPECT_EQ(small.Rule(), "hlo.order");
  small.r->mutable_operands()[0] = nullptr;
  EXPECT_EQ(small.Rule(), "hlo.operand");
}

TEST(VerifierTest, ControlPredecessorsComeFirst) {
  Small small;
  small.r->Set(Attr::kControlPredecessors, std::vector<Instruction*>{small.x});
  EXPECT_EQ(small.Rule(), "");
  small.x->Set(Attr::kControlPredecessors, std::vector<Instruction*>{small.r});
  EXPECT_EQ(small.Rule(), "hlo.order");
}

TEST(VerifierTest, OperandsAreOfTheSameComputation) {
  Small small, other;
  small.r->mutable_operands()[0] = other.x;
  EXPECT_EQ(small.Rule(), "hlo.operand");
}

TEST(VerifierTest, CalledComputationsAreOfTheSameModule) {
  Small small, other;
  small.r->set_opcode(Opcode::kCall);
  small.r->Set(Attr::kToApply, other.entry);
  EXPECT_EQ(small.Rule(), "hlo.called_computation");
}

TEST(VerifierTest, OperandsAreAsManyAsTheOpcodeTakes) {
  Small small;
  small.r->mutable_operands().push_back(small.x);
  EXPECT_EQ(small.Rule(), "hlo.arity");
  small.r->mutable_operands().clear();
  EXPECT_EQ(small.Rule(), "hlo.arity");
  small.r->set_opcode(Opcode::kConcatenate);
  small.r->Set(Attr::kDimensions, std::vector<int64_t>{0});
  EXPECT_EQ(small.Rule(), "concatenate.6");
}

TEST(VerifierTest, AttributesAreOfTheirKind) {
  Small small;
  small.r->set_opcode(Opcode::kReverse);
  small.r->Set(Attr::kDimensions, int64_t{0});
  EXPECT_EQ(small.Rule(), "hlo.attribute");
  small.r->Set(Attr::kDimensions, std::vector<int64_t>{0});
  EXPECT_EQ(small.Rule(), "");
  small.r->Remove(Attr::kDimensions);
  EXPECT_EQ(small.Rule(), "hlo.attribute");
}

TEST(VerifierTest, WordsAreOnesThatTheAttributeKnows) {
  Small small;
  small.r->set_opcode(Opcode::kFft);
  small.r->Set(Attr::kFftLength, std::vector<int64_t>{2});
  small.r->Set(Attr::kFftType, Word{"DCT"});
  EXPECT_EQ(small.Rule(), "hlo.attribute");
  Instruction* state = Add(small.entry, "s", Opcode::kParameter, Shape(PrimitiveType::kU64, {2}));
  state->set_parameter_number(1);
  small.r->set_opcode(Opcode::kNegate);
  small.r->Remove(Attr::kFftType);
  Instruction* bits = Add(small.entry, "b", Opcode::kRngBitGenerator,
                          Shape::Tuple({state->shape(), kVector}), {state});
  bits->Set(Attr::kAlgorithm, Word{"rng_xorshift"});
  EXPECT_THAT(small.Rule(), ::testing::AnyOf("hlo.attribute", "rng_bit_generator.9"));
}

TEST(VerifierTest, ConstantsHaveAValueOfTheirShape) {
  Small small;
  Instruction* c = Add(small.entry, "c", Opcode::kConstant, kVector);
  EXPECT_EQ(small.Rule(), "hlo.constant");
  c->set_literal(Literal(Shape(PrimitiveType::kF32, {3})));
  EXPECT_EQ(small.Rule(), "hlo.constant");
  c->set_literal(Literal(kVector));
  EXPECT_EQ(small.Rule(), "");
}

TEST(VerifierTest, LayoutsArePermutations) {
  Small small;
  for (std::vector<int64_t> order : {std::vector<int64_t>{}, {1}, {0, 1}}) {
    Layout layout;
    layout.minor_to_major = order;
    small.r->mutable_shape().mutable_layout() = layout;
    EXPECT_EQ(small.Rule(), "layouts.7");
  }
}

TEST(VerifierTest, PaddedDimensionsHaveTheRank) {
  Small small;
  Layout layout = DefaultLayout(1);
  layout.padded_dimensions = {3, 5};
  small.r->mutable_shape().mutable_layout() = layout;
  EXPECT_EQ(small.Rule(), "layouts.22");
}

TEST(VerifierTest, InvalidShapes) {
  Small small;
  small.x->mutable_shape() = Shape();
  EXPECT_EQ(small.Rule(), "hlo.shape");
  small.x->mutable_shape() = Shape(PrimitiveType::kF32, {-1});
  EXPECT_EQ(small.Rule(), "hlo.shape");
  small.x->mutable_shape() = Shape(PrimitiveType::kToken, {2});
  EXPECT_EQ(small.Rule(), "hlo.shape");
}

TEST(VerifierTest, ConvolutionLabelsAreDistinct) {
  Small small;
  Shape matrix(PrimitiveType::kF32, {2, 2});
  Instruction* m = Add(small.entry, "m", Opcode::kParameter, matrix);
  m->set_parameter_number(1);
  Instruction* c = Add(small.entry, "c", Opcode::kConvolution, matrix, {m, m});
  ConvolutionDimensionNumbers numbers;  // batch and feature are both dimension 0
  c->Set(Attr::kDimLabels, numbers);
  EXPECT_EQ(small.Rule(), "conv_with_general_padding.11");
}

// The result has the operand's dynamic dimensions. A static size in the text is valid, as in XLA.
TEST(InferTest, CarriesDynamicDimensions) {
  Small small;
  small.x->mutable_shape().set_dynamic_dimension(0, true);
  EXPECT_EQ(InferShape(*small.r)->ToString(), "f32[<=2]");
  EXPECT_EQ(small.Rule(), "");
}

TEST(InferTest, ContractionWithoutAStatedType) {
  Small small;
  Instruction* d = Add(small.entry, "d", Opcode::kDot, Shape(), {small.x, small.x});
  d->Set(Attr::kLhsContractingDims, std::vector<int64_t>{0});
  d->Set(Attr::kRhsContractingDims, std::vector<int64_t>{0});
  EXPECT_EQ(InferShape(*d)->ToString(), "f32[]");
}

// If the header does not state the counts, they follow from the collectives.
TEST(CollectiveTest, StatesTheDevicesThatCollectivesName) {
  auto counts = [](const char* header, const char* collective) {
    auto module = ParseModule(absl::StrCat(
        "HloModule m", header, "\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n",
        "ROOT r = f32[] add(a, b) }\nENTRY e { x = f32[2] parameter(0)\n", collective, " }\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    const bool changed = StateDevices(module->get());
    return absl::StrCat((*module)->replica_count, "x", (*module)->num_partitions,
                        changed ? " changed" : "");
  };
  const char* groups = "r = f32[2] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add";
  EXPECT_EQ(counts("", groups), "4x1 changed");
  EXPECT_EQ(counts(", replica_count=2", groups), "2x1");
  EXPECT_EQ(counts("", "r = f32[6] all-gather(x), dimensions={0}"), "3x1 changed");
  EXPECT_EQ(counts("", "r = (f32[2], f32[6]) all-gather-start(x), dimensions={0}"), "3x1 changed");
  EXPECT_EQ(counts("", "r = f32[2] collective-permute(x), source_target_pairs={{0,2}}"),
            "3x1 changed");
  EXPECT_EQ(counts("",
                   "r = f32[2] collective-permute(x), source_target_pairs={{0,2}}, "
                   "channel_id=1"),
            "1x3 changed");
  const std::string global = absl::StrCat(groups, ", channel_id=1, use_global_device_ids=true");
  EXPECT_EQ(counts("", global.c_str()), "4x1 changed");
  EXPECT_EQ(counts("", absl::StrCat(global, "\n p = u32[] partition-id()").c_str()), "1x4 changed");
  EXPECT_EQ(counts("", absl::StrCat(global,
                                    "\n s = f32[2] all-reduce(x), "
                                    "replica_groups={{0,1}}, to_apply=add, channel_id=2")
                           .c_str()),
            "4x1 changed");
  EXPECT_EQ(counts("", "r = f32[2] all-reduce(x), replica_groups={{0}}, to_apply=add"), "1x1");
  EXPECT_EQ(counts("", "r = f32[2] collective-permute(x), source_target_pairs={{0,5000}}"), "1x1");
}

TEST(VerifierTest, AThousandCallsDeep) {
  Module module("deep");
  Computation* callee = nullptr;
  for (int i = 0; i < 20000; ++i) {
    auto* c = module.Add(std::make_unique<Computation>(absl::StrCat("c", i)));
    Instruction* x = Add(c, "x", Opcode::kParameter, kVector);
    x->set_parameter_number(0);
    Instruction* r = Add(c, "r", callee ? Opcode::kCall : Opcode::kNegate, kVector, {x});
    if (callee) r->Set(Attr::kToApply, callee);
    c->set_root(r);
    callee = c;
  }
  module.set_entry(callee);
  EXPECT_TRUE(VerifyModule(module).ok());
}

TEST(VerifierTest, ManyInstructionsInLinearTime) {
  Small small;
  Instruction* last = small.r;
  for (int i = 0; i < 200000; ++i) {
    last = Add(small.entry, absl::StrCat("i", i), Opcode::kAdd, kVector, {last, small.x});
  }
  small.entry->set_root(last);
  EXPECT_TRUE(VerifyModule(small.module).ok());
}

}  // namespace
}  // namespace hlocts
