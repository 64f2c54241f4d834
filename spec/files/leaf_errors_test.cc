// SPDX-License-Identifier: Apache-2.0
// Tests the error messages for leaves that are rejected.
#include <initializer_list>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/literals_file.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;
using T = PrimitiveType;

void ExpectRefused(const char* text, const Shape* expected, const char* message) {
  absl::StatusOr<Literal> leaf = ParseLeaf(text, expected);
  ASSERT_FALSE(leaf.ok()) << text;
  EXPECT_THAT(std::string(leaf.status().message()), HasSubstr(message)) << text;
}

TEST(LeafErrorsTest, SaysWhatShapeIsExpected) {
  Shape f32_2(T::kF32, {2});
  Shape s32_at_most_2(T::kS32, {2});
  s32_at_most_2.set_dynamic_dimension(0, true);
  struct Case {
    const char* text;
    const Shape* expected;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"f32[3] {1, 2, 3}", &f32_2, "expected f32[2], found f32[3]"},
           {"s32[2] {1, 2}", &f32_2, "expected f32[2], found s32[2]"},
           {"f32[2,1] {{1}, {2}}", &f32_2, "expected f32[2], found f32[2,1]"},
           {"f32[<=2](1) {1}", &f32_2, "expected f32[2], found f32[<=2]"},
           {"s32[3] {1,2,3}", &s32_at_most_2, "expected s32[<=2], found s32[3]"},
           {"token[]", &f32_2, "expected f32[2], found token[]"},
       }) {
    ExpectRefused(c.text, c.expected, c.message);
  }
}

TEST(LeafErrorsTest, SaysWhatIsWrong) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"f32[2] {1, x}", "element at {1}: expected a number of f32, found 'x'"},
           {"f32[2] {1}", "expected ','"},
           {"f32[2] {1, 2, 3}", "expected '}'"},
           {"f32[2] {1, 2", "found the end of the line"},
           {"f32[2] {1, 2} 3", "expected the end of the line, found '3'"},
           {"f32[2]{1, 2}", "expected '{'"},
           {"f32[2] 1", "expected '{'"},
           {"f32[] {1}", "expected an element"},
           {"f32[2,2] { {1, 2}, {3} }", "at {1,1}"},
           {"s8[1] {128}", "'128' is out of range of s8"},
           {"f16[] 65520", "out of range"},
           {"f99[2] {1, 2}", "expected a leaf such as"},
           {"(f32[], f32[])", "tuples are written as their leaves"},
           {"f32[-1] {}", "expected the size of a dimension"},
           {"f32[99999999999999999999] {}", "expected the size of a dimension"},
           {"f32[99999999999999] {1}", "expected ','"},
           {"s32[<=99999999999999](1) {1}", "MiB"},
           {"s32[<=4](5) {1,2,3,4,5}", "run-time size 5"},
           {"s32[2,<=4](3,1) {}", "run-time size 3 of dimension 0"},
           {"s32[2,<=4](1) {}", "expected 2 run-time sizes"},
           {"opaque[]", "expected an array or a token, found opaque"},
       }) {
    ExpectRefused(c.text, nullptr, c.message);
  }
}

}  // namespace
}  // namespace hlocts
