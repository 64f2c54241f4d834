// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

struct Body {
  const char* shape;
  const char* read;
  const char* printed;  // nullptr: same as `read`
};

class LiteralTest : public testing::TestWithParam<Body> {};

TEST_P(LiteralTest, IsPrintedAsXlaPrintsIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto shape, ParseShape(GetParam().shape));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto literal, ParseLiteral(GetParam().read, shape));
  std::string printed = PrintLiteralBody(literal);
  EXPECT_EQ(printed, GetParam().printed ? GetParam().printed : GetParam().read);
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, ParseLiteral(printed, shape));
  EXPECT_TRUE(again.BitwiseEqual(literal)) << printed;
}

constexpr Body kBodies[] = {
    {"f32[]", "0"},
    {"f32[]", "-0"},
    {"f32[]", "1.5"},
    {"f32[]", "0.1"},
    {"f32[]", "16777217", "16777216"},
    {"f32[]", "123456789", "123456792"},
    {"f32[]", "3.1415926535", "3.14159274"},
    {"f32[]", "1e10", "1e+10"},
    {"f32[]", "100000"},
    {"f32[]", "1e-45", "1.4013e-45"},
    {"f32[]", "3.4028235e38", "3.40282347e+38"},
    {"f32[]", ".5", "0.5"},
    {"f32[]", "5.", "5"},
    {"f64[]", "0.66666666666666663"},
    {"f64[]", "0.1"},
    {"f64[]", "1e300", "1e+300"},
    {"f64[]", "4.94065645841247e-324"},
    {"f64[]", "-1.7976931348623157e+308"},
    {"f16[3]", "{0.76172, 65504, 5.9605e-08}"},
    {"bf16[3]", "{0.7617, -6.554e+04, 9.184e-41}"},
    {"f8e4m3[3]", "{0.102, 3.25, 0.00195}"},
    {"f8e5m2[2]", "{0.0001, 57344}", "{0.00011, 5.7e+04}"},
    {"f8e8m0fnu[3]", "{1, 2, nan}"},
    {"f4e2m1fn[4]", "{0, -0, 6, 0.5}"},
    {"f32[5]", "{inf, -inf, nan, -nan, nan(0x1)}"},
    {"bf16[2]", "{nan(0x41), -nan(0x7f)}"},
    {"f64[1]", "{nan(0xfffffffffffff)}"},
    {"f8e4m3[2]", "{nan(0x7), -nan(0x7)}"},
    {"f8e4m3fn[3]", "{nan, -nan, 448}"},
    {"c64[]", "(1, -2.5)"},
    {"c64[2]", "{(nan, -nan), (-inf, 1e-05)}"},
    {"c128[]", "(0.1,0.2)", "(0.1, 0.2)"},
    {"pred[]", "true"},
    {"pred[]", "0", "false"},
    {"pred[2]", "{true, 0}", "{1, 0}"},
    {"s2[2]", "{1, -2}"},
    {"u2[2]", "{3, 0}"},
    {"s4[2]", "{-8, 7}"},
    {"u4[1]", "{15}"},
    {"u8[1]", "{255}"},
    {"s64[2]", "{-9223372036854775808, 9223372036854775807}"},
    {"u64[1]", "{18446744073709551615}"},
    {"s32[2,2]", "{{1,2},{3,4}}", "{ { 1, 2 }, { 3, 4 } }"},
    {"s32[2,2]", "{ { /*x*/ 1, 2, }, { 3 4 } }", "{ { 1, 2 }, { 3, 4 } }"},
    {"s32[2,1]", "{ {1}, {2} }"},
    {"s32[2,2]{0,1}", "{ { 1, 2 }, { 3, 4 } }"},
    {"s32[1,1,1]", "{ { {1} } }"},
    {"s32[2,1,2,2]",
     "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } } }, { /*i0=1*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } } "
     "} }"},
    {"f32[0]", "{}"},
    {"f32[2,0]", "{ {}, {} }"},
    {"f32[0,2]", "{  }"},
    {"f32[3,0,2]", "{ {  }, {  }, {  } }"},
    {"f32[2,0,2,2,1]", "{ { /*i0=0*/ }, { /*i0=1*/ } }"},
    {"(f32[2], (s32[], pred[]))", "( {1, 2}, ( 3, true ) )"},
    {"()", "(  )"},
    {"s8[3]", "7", "{7, 0, 0}"},  // as XLA reads it
};
INSTANTIATE_TEST_SUITE_P(Bodies, LiteralTest, testing::ValuesIn(kBodies));

struct BadBody {
  const char* shape;
  const char* text;
  const char* message;
  const char* rule;
};

class BadLiteralTest : public testing::TestWithParam<BadBody> {};

TEST_P(BadLiteralTest, IsRefusedWithPlaceAndRule) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto shape, ParseShape(GetParam().shape));
  auto literal = ParseLiteral(GetParam().text, shape);
  ASSERT_FALSE(literal.ok()) << PrintLiteralBody(*literal);
  EXPECT_EQ(RuleOf(literal.status()), GetParam().rule) << literal.status();
  EXPECT_NE(std::string(literal.status().message()).find(GetParam().message), std::string::npos)
      << literal.status();
}

constexpr BadBody kBadBodies[] = {
    {"s4[]", "-9", "line 1, column 1", "text.literal"},
    {"u4[2]", "{1, -1}", "column 5", "text.literal"},
    {"u32[]", "4294967296", "out of range", "text.literal"},
    {"s64[]", "9223372036854775808", "out of range", "text.literal"},
    {"s32[]", "1.5", "integer", "text.literal"},
    {"f64[]", "-1.8e308", "out of range", "text.literal"},
    {"f16[]", "65520", "out of range", "text.literal"},
    {"c64[]", "(1e100, 0)", "out of range", "text.literal"},
    {"c64[3]", "(1, 0)", "'{' before the elements of a complex array", "text.literal"},
    {"f32[]", "nan(0x0)", "nan", "text.literal"},
    {"f32[]", "nan(0x800000)", "nan", "text.literal"},
    {"f8e4m3fn[]", "nan(0x1)", "nan", "text.literal"},
    {"f32[]", "abc", "abc", "text.literal"},
    {"pred[]", "maybe", "maybe", "text.literal"},
    {"f32[2]", "{1}", "expected 2 elements in dimension 0, found 1", "text.literal"},
    {"f32[2]", "{1, 2, 3}", "expected 2 elements in dimension 0, found more", "text.literal"},
    {"f32[2]", "{1, {2}}", "found '{'", "text.literal"},
    {"f32[2,2]", "{1, 2}", "before dimension 1", "text.literal"},
    {"f32[0]", "{1}", "found more", "text.literal"},
    {"f32[2]", "{1, 2} 3", "the end of the text", "text.syntax"},
    {"f32[2]", "{1, 2", "found the end of the text", "text.literal"},
    {"f32[20]", "{...}", "print_large_constants=True", "text.literal"},
    {"f32[1099511627776]", "{1}", "too short", "text.limit"},
    {"f32[1099511627776]", "1", "too short", "text.limit"},
    {"f32[4611686018427387904,16]", "{{1}}", "too short", "text.limit"},
    {"(f32[], f32[])", "(1)", "','", "text.syntax"},
    {"opaque[]", "1", "a literal of an array", "text.syntax"},
};
INSTANTIATE_TEST_SUITE_P(BadBodies, BadLiteralTest, testing::ValuesIn(kBadBodies));

struct Leaf {
  const char* read;
  const char* printed;
};

class LeafTest : public testing::TestWithParam<Leaf> {};

TEST_P(LeafTest, IsPrintedAsALineOfALiteralsFile) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto literal, ParseLiteralWithShape(GetParam().read));
  EXPECT_EQ(PrintLiteralWithShape(literal),
            GetParam().printed ? GetParam().printed : GetParam().read);
}

constexpr Leaf kLeaves[] = {
    {"f32[2,2]{1,0} { { 1, 2.5 }, { -inf, nan } }", nullptr},
    {"f32[2]{0} {0.1, 3.4028235e+38}", nullptr},
    {"f32[2] {0.1, 16777217}", "f32[2]{0} {0.1, 16777216}"},
    {"s32[2,2]{0,1} {{1,2},{3,4}}", "s32[2,2]{1,0} { { 1, 2 }, { 3, 4 } }"},
    {"pred[2]{0} {1, 0}", "pred[2]{0} {true, false}"},
    {"c64[] (1,2)", "c64[] (1, 2)"},
    {"token[]", nullptr},
    {"f32[2,0]{1,0} { {}, {} }", nullptr},
    {"s32[<=4]{0}(3) {1, 2, 3}", nullptr},
    {"s32[<=4](3) {1, 2, 3}", "s32[<=4]{0}(3) {1, 2, 3}"},
    {"s32[<=4,2](1) {{1, 2}}", "s32[<=4,2]{1,0}(1,2) { { 1, 2 } }"},
    {"bf16[2]{0} {0.1, nan(0x41)}", nullptr},
    {"f64[1]{0} {0.1}", nullptr},
};
INSTANTIATE_TEST_SUITE_P(Leaves, LeafTest, testing::ValuesIn(kLeaves));

struct Large {
  const char* shape;
  const char* read;
  const char* printed;
};

// An array that is written as one number is printed as that number, not with all its elements.
TEST(LargeLiteralTest, ANumberForAWholeArrayIsPrintedAsIt) {
  const Large kRows[] = {
      {"f32[26214144]", "0", "0"},
      {"f32[26214144]", "-1.5", "-1.5"},
      {"pred[1024,1024]", "true", "1"},
      {"f32[1000000000000,0]", "0", "0"},
      {"f32[1000000000000,1000000000000,0]", "7", "0"},
      {"(s8[3], s32[100000])", "({1, 2, 3}, 4)", "( {1, 2, 3}, 4 )"},
      {"f32[0,1000000000000,1000000000000]", "{}", "{  }"},
      {"s8[3]", "7", "{7, 0, 0}"},
  };
  for (const Large& row : kRows) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto shape, ParseShape(row.shape));
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto literal, ParseLiteral(row.read, shape));
    const std::string printed = PrintLiteralBody(literal);
    ASSERT_LT(printed.size(), 100) << row.shape;
    EXPECT_EQ(printed, row.printed) << row.shape;
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, ParseLiteral(printed, shape));
    EXPECT_TRUE(again.BitwiseEqual(literal)) << row.shape;
  }
}

// If a nonzero element follows the zeros, only the full form expresses the literal.
TEST(LargeLiteralTest, OtherwiseEveryElementIsWritten) {
  Literal literal(Shape(PrimitiveType::kS8, {70000}));
  literal.mutable_raw_data()[69999] = 1;
  EXPECT_EQ(PrintLiteralBody(literal).size(), 3 * 70000);
}

// A literals file uses the short form only for arrays without elements.
TEST(LargeLiteralTest, LeavesWithoutElementsAreShort) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto empty, ParseLiteralWithShape("f32[1000000000000,0]{1,0} 0"));
  EXPECT_EQ(PrintLiteralWithShape(empty), "f32[1000000000000,0]{1,0} 0");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto complex,
                              ParseLiteralWithShape("c64[1000000000000,0]{1,0} (0, 0)"));
  EXPECT_EQ(PrintLiteralWithShape(complex), "c64[1000000000000,0]{1,0} (0, 0)");
  EXPECT_EQ(PrintLiteralWithShape(Literal(Shape(PrimitiveType::kU8, {70000}))).size(),
            3 * 70000 + std::string("u8[70000]{0} ").size());
}

TEST(LeafTest, RuntimeSizesStayWithinTheirBounds) {
  EXPECT_FALSE(ParseLiteralWithShape("s32[<=4](5) {1, 2, 3, 4, 5}").ok());
  EXPECT_FALSE(ParseLiteralWithShape("s32[<=4,2](1,1) {{1}}").ok());
  EXPECT_FALSE(ParseLiteralWithShape("s32[<=4](1,1) {1}").ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto literal, ParseLiteralWithShape("s32[<=4](3) {1, 2, 3}"));
  EXPECT_EQ(literal.runtime_size(0), 3);
}

}  // namespace
}  // namespace hlocts
