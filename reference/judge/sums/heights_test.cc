// SPDX-License-Identifier: Apache-2.0
// Flushes in a tree of declared height, of which each addition may be one.
#include <string>

#include "absl/strings/str_cat.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// Neighbours of 1,024 numbers add up to half of the least normal number, which is flushed 512 times
// on the first of ten levels; the exact sum is 256 of them.
std::string Differences() {
  std::string text = "f32[1024] {";
  for (int i = 0; i < 512; ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", "1.7632415e-38, -1.17549435e-38");
  }
  return text + "}";
}
const std::string& kDifferences = *new std::string(Differences());
const char kSumOf1024[] =
    ADD_BODY("f32")
    "ENTRY e { x = f32[1024] parameter(0) i = f32[] constant(0)\n"
    " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=add }";
TargetFacts OfHeight10() {
  TargetFacts facts;
  facts.reduce_height = 10;
  return facts;
}
const Case kHeights[] = {
    {"flushes_are_not_of_the_height",
     kSumOf1024,
     {kDifferences.c_str()},
     {"f32[] 0"},
     kPass,
     Profile::kDefault,
     OfHeight10()},
    {"more_flushes_than_additions",
     kSumOf1024,
     {kDifferences.c_str()},
     {"f32[] -1.2e-35"},
     kFail,
     Profile::kDefault,
     OfHeight10()},
    {"none_in_strict",
     kSumOf1024,
     {kDifferences.c_str()},
     {"f32[] 0"},
     kFail,
     kStrict,
     OfHeight10()},
};

JUDGE_CASES(HeightsTest, kHeights);

}  // namespace
}  // namespace hlocts::reference
