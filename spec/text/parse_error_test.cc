// SPDX-License-Identifier: Apache-2.0
// Malformed text yields an error with its position, the expected and the actual text, and a rule.
#include <string>

#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

struct BadText {
  const char* text;
  const char* rule;
  const char* message;  // a substring
};

class ParseErrorTest : public testing::TestWithParam<BadText> {};

TEST_P(ParseErrorTest, NamesPlaceAndRule) {
  auto module = ParseModule(GetParam().text);
  ASSERT_FALSE(module.ok()) << "accepted: " << GetParam().text;
  EXPECT_EQ(RuleOf(module.status()), GetParam().rule) << module.status();
  EXPECT_NE(std::string(module.status().message()).find(GetParam().message), std::string::npos)
      << module.status();
}

constexpr BadText kBadTexts[] = {
    {"", "text.syntax",
     "line 1, column 1: expected HloModule, a computation or an instruction, "
     "found the end of the text"},
    {"\x7f"
     "ELF\x02\x01",
     "text.syntax", "found '\\x7f'"},
    {"HloModule m", "text.syntax", "line 1, column 12: expected a computation"},
    {"HloModule m, replica_count=x\n", "text.syntax", "column 28: expected a non-negative integer"},
    {"HloModule m, replica_count=2, replica_count=2\n", "text.attribute", "again"},
    {"HloModule m, input_output_alias={ {0, a}: (0, {}) }\n", "text.syntax", "found 'a'"},
    {"HloModule m, input_output_alias={ {0}: (0, {}, never-alias) }\n", "text.syntax",
     "'may-alias'"},
    {"HloModule m, buffer_donor={ (zero, {}) }\n", "text.syntax", "number of a parameter"},
    {"HloModule m\nFileNames\n2 \"a\"\n", "text.syntax", "expected row 1"},
    {"HloModule m\nENTRY e {", "text.syntax", "found the end of the text"},
    {"HloModule m\nENTRY e { }", "text.syntax", "empty computation"},
    {"HloModule m\nENTRY e { a f32[] parameter(0) }", "text.syntax",
     "line 2, column 13: expected '=', found 'f32'"},
    {"HloModule m\nENTRY e { a = g32[] parameter(0) }", "text.syntax", "a shape, found 'g32'"},
    {"HloModule m\nENTRY e { a = b(f32[2]) parameter(0) }", "text.syntax",
     "line 2, column 15: expected a shape, found a buffer, b(...)"},
    {"HloModule m\nENTRY e { a = (s32[], b(f32[2])) parameter(0) }", "text.syntax", "a buffer"},
    {"HloModule m\nENTRY e { a = f32[-1] parameter(0) }", "text.syntax", "size of a dimension"},
    {"HloModule m\nENTRY e { a = f32[2]{1} parameter(0) }", "shapes.layout", "permutation"},
    {"HloModule m\nENTRY e { a = f32[2]{0:X(1)} parameter(0) }", "text.syntax", "one of D T L"},
    {"HloModule m\nENTRY e { a = f32[2,2]{1,0:D(X,C)} parameter(0) }", "text.syntax", "D, C or S"},
    {"HloModule m\nENTRY e { a = token[2] parameter(0) }", "text.syntax", "no dimensions"},
    {"HloModule m\nENTRY e { a = f32[] frobnicate() }", "text.syntax",
     "expected an opcode, found 'frobnicate'"},
    {"HloModule m\nENTRY e { a = f32[] parameter(-1) }", "text.syntax", "number of the parameter"},
    {"HloModule m\nENTRY e { a = f32[] parameter(1) }", "text.name", "parameters numbered 0 to 0"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] parameter(0) }", "text.name",
     "parameters numbered 0 to 1"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) a = f32[] negate(a) }", "text.name",
     "defined already"},
    {"HloModule m\nENTRY e { a = f32[] negate(b) }", "text.name", "found b"},
    {"HloModule m\nENTRY e { a = (f32[]) parameter(0) b = f32[] negate(a#1) }", "text.shape",
     "more than 1 elements before #1, found (f32[])"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] negate(a#0) }", "text.shape",
     "found f32[]"},
    {"HloModule m\nENTRY e { a = (f32[]) parameter(0) b = f32[] negate(a#x) }", "text.syntax",
     "a non-negative integer"},
    {"HloModule m\nENTRY e { a = f32[] negate(a) }", "text.name", "defined earlier"},
    {"HloModule m\nc { a = f32[] parameter(0) } ENTRY e { b = f32[] negate(a) }", "text.name",
     "found a"},
    {"HloModule m\nENTRY e { ROOT a = f32[] parameter(0) ROOT b = f32[] parameter(1) }",
     "text.name", "second"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) } ENTRY f { b = f32[] parameter(0) }",
     "text.name", "second"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) } e { b = f32[] parameter(0) }", "text.name",
     "again"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] call(a), to_apply=nowhere }",
     "text.name", "line 2, column 62: expected the name of a computation, found nowhere"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] negate(f32[3] a) }", "text.shape",
     "expected the shape of a"},
    {"HloModule m\nENTRY e (a: f32[]) -> f32[3] { a = f32[] parameter(0) }", "text.shape",
     "after '->'"},
    {"HloModule m\nENTRY e { a = parameter(0) }", "text.shape", "before parameter"},
    {"HloModule m\nENTRY e { a = constant(0) }", "text.shape", "before constant"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] add(a) }", "text.arity",
     "add: expected 2 operands, found 1"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] concatenate(), dimensions={0} }",
     "text.arity", "at least 1"},
    {"HloModule m\nENTRY e { a = f32[2] iota() }", "text.attribute", "iota_dimension, found none"},
    {"HloModule m\nENTRY e { a = f32[2] iota(), iota_dimension=0, k=1 }", "text.attribute",
     "expected an attribute of iota, found k"},
    {"HloModule m\nENTRY e { a = f32[2] iota(), iota_dimension=0, iota_dimension=0 }",
     "text.attribute", "once"},
    {"HloModule m\nENTRY e { a = f32[2] iota(), iota_dimension={0} }", "text.syntax", "an integer"},
    {"HloModule m\nENTRY e { a = f32[2] iota(), iota_dimension=99999999999999999999 }",
     "text.syntax", "an integer"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = pred[] compare(a, a), direction=XX }",
     "text.attribute", "expected one of EQ, NE"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = pred[] compare(a, a), order=SOME }",
     "text.attribute", "expected one of TOTAL, PARTIAL, found SOME"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) b = pred[] compare(a, a), type=FLOAT, "
     "order=TOTAL }",
     "text.attribute", "a type or an order once"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), metadata={frob=1} }", "text.attribute",
     "field of metadata"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), sharding={devices=[2]0} }", "text.attribute",
     "expected 2 devices"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), sharding={devices=[2]<=[3]} }",
     "text.attribute", "3 devices"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), sharding={devices=[4]<=[2,2]T(0,0)} }",
     "text.attribute", "permutation"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) "
     "b = f32[] all-to-all(a), replica_groups=[99999999,99999999]<=[9999999800000001] }",
     "text.limit", "devices"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), frontend_attributes={k=v} }", "text.syntax",
     "'{'"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), backend_config=\"open }", "text.syntax",
     "closing '\"'"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), backend_config={\"a\":{ }", "text.syntax",
     "closing '}'"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0), statistics={s=x} }", "text.syntax",
     "a number"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] convolution(a, a), window={size=1 "
     "pad=1_1x1_1}, dim_labels=bf_io->bf }",
     "text.attribute", "window"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] convolution(a, a), "
     "dim_labels=bb_io->bf }",
     "text.attribute", "dim_labels"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] convolution(a, a), "
     "dim_labels=b0f_io->bf }",
     "text.attribute", "as many spatial"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] async-done(a) }", "text.name",
     "async-start"},
    // Found by fuzzing: an opcode without operands cannot have a -start form.
    {"HloModule m\nENTRY e { s = (s32[], f32[4]) parameter-start(0) }", "text.syntax",
     "parameter-start"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] negate-start(a) }", "text.shape",
     "((operands), result, context)"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) "
     "s = ((f32[2]), f32[2], u32[]) negate-start(a) d = f32[2] abs-done(s) }",
     "text.name", "found abs"},
    {"HloModule m\nENTRY e { a = f32[2] parameter(0) b = f32[2] custom-call(a, a), "
     "custom_call_target=\"c\", operand_layout_constraints={f32[2]{0}} }",
     "text.attribute", "expected 2 operand_layout_constraints, found 1"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) } /* open", "text.syntax", "found '/'"},
    {"HloModule m\nENTRY e { a = f32[] parameter(0) }, frob=1", "text.attribute",
     "execution_thread"},
};
INSTANTIATE_TEST_SUITE_P(Texts, ParseErrorTest, testing::ValuesIn(kBadTexts));

// Nesting beyond the limit is an error in every form; nesting below the limit is read.
TEST(ParseLimitTest, DeepNestingIsAnError) {
  auto nested = [](int depth, const char* open, const char* middle, const char* close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += middle;
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_TRUE(ParseShape(nested(100, "(", "f32[]", ")")).ok());
  auto shape = ParseShape(nested(100000, "(", "f32[]", ")"));
  EXPECT_EQ(RuleOf(shape.status()), "text.limit");
  auto sharding = ParseSharding(nested(100000, "{", "", "}"));
  EXPECT_EQ(RuleOf(sharding.status()), "text.limit");
  auto operands = ParseModule("HloModule m\nENTRY e { a = f32[] parameter(0) b = " +
                              nested(100000, "f32[] negate(", "a", ")") + " }");
  EXPECT_EQ(RuleOf(operands.status()), "text.limit");
  auto bodies = ParseModule("HloModule m\nENTRY e " +
                            nested(100000, "{ b = f32[] call(), to_apply=", "x", "}"));
  EXPECT_EQ(RuleOf(bodies.status()), "text.limit");
}

TEST(ParseLimitTest, EveryPrefixOfAModuleEndsInAnError) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[2]{0})->(f32[2]{0})}\n"
      "ENTRY %e (p: f32[2]) -> (f32[2]) {\n"
      "  %p = f32[2]{0:T(8)} parameter(0), sharding={devices=[2]0,1}, metadata={op_name=\"a\\n\"}\n"
      "  %c = f32[2]{0} constant({1, nan(0x7)}), backend_config={\"k\":\"}\"}\n"
      "  ROOT %t = (f32[2]{0}) tuple(f32[2]{0} %c)\n"
      "}";
  ASSERT_TRUE(ParseModule(text).ok()) << ParseModule(text).status();
  for (size_t length = 0; length < text.size(); ++length) {
    auto module = ParseModule(text.substr(0, length));
    ASSERT_FALSE(module.ok()) << length;
    ASSERT_NE(RuleOf(module.status()), "") << length << ": " << module.status();
  }
}

}  // namespace
}  // namespace hlocts
