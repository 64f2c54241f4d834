// SPDX-License-Identifier: Apache-2.0
// Bodies of reductions that are sums or extremes in disguise: by way of a wider type, and of
// copies.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

#define REDUCE(type, body)                                                \
  "body { a = " type "[] parameter(0) b = " type "[] parameter(1)\n" body \
  " }\n"                                                                  \
  "ENTRY e { x = " type "[8] parameter(0) z = " type                      \
  "[] parameter(1)\n"                                                     \
  " ROOT r = " type "[] reduce(x, z), dimensions={0}, to_apply=body }"
#define WIDENED(operation, type)                                    \
  " u = f32[] convert(a) v = f32[] convert(b) w = f32[] " operation \
  "(v, u)\n"                                                        \
  " ROOT c = " type "[] convert(w)"
const char kSum[] = REDUCE("bf16", WIDENED("add", "bf16"));
const char kSumF16[] = REDUCE("f16", WIDENED("add", "f16"));
const char kMaximum[] = REDUCE("bf16", WIDENED("maximum", "bf16"));
const char kProduct[] = REDUCE("bf16", WIDENED("multiply", "bf16"));
const char kCopied[] = REDUCE("f32", " s = f32[] add(a, b) ROOT c = f32[] copy(s)");
const char kOneOperandTwice[] =
    REDUCE("bf16",
           " u = f32[] convert(a) v = f32[] convert(a) w = f32[] add(v, u)\n"
           " ROOT c = bf16[] convert(w)");
const std::vector<const char*> kOnes = {"bf16[8] {256, 1, 1, 1, 1, 1, 1, 1}", "bf16[] 0"};
const std::vector<const char*> kOnesF16 = {"f16[8] {2048, 1, 1, 1, 1, 1, 1, 1}", "f16[] 0"};
const std::vector<const char*> kOnesF32 = {"f32[8] {16777216, 1, 1, 1, 1, 1, 1, 1}", "f32[] 0"};
const Case kCases[] = {
    // One after the other each one is lost; the small ones first give 7.
    {"lost_ones", kSum, kOnes, {"bf16[] 256"}, kPass, kStrict},
    {"small_ones_first", kSum, kOnes, {"bf16[] 264"}, kPass, kStrict},
    {"more_than_any_order", kSum, kOnes, {"bf16[] 280"}, kFail},
    {"without_the_largest", kSum, kOnes, {"bf16[] 7"}, kFail},
    {"half", kSumF16, kOnesF16, {"f16[] 2056"}, kPass, kStrict},
    {"half_off", kSumF16, kOnesF16, {"f16[] 2072"}, kFail},
    {"greatest", kMaximum, kOnes, {"bf16[] 256"}, kPass, kStrict},
    {"not_the_greatest", kMaximum, kOnes, {"bf16[] 1"}, kFail},
    {"copied", kCopied, kOnesF32, {"f32[] 16777224"}, kPass, kStrict},
    {"copied_off", kCopied, kOnesF32, {"f32[] 16777280"}, kFail},
    // The product's two roundings are two where it is subnormal: enumerated, and open here.
    {"product", kProduct, kOnes, {"bf16[] 256"}, kOpen},
    // No sum of its two arguments.
    {"one_operand_twice", kOneOperandTwice, kOnes, {"bf16[] 264"}, kOpen},
};
JUDGE_CASES(BodiesTest, kCases);

}  // namespace
}  // namespace hlocts::reference
