// SPDX-License-Identifier: Apache-2.0
// Dots of complex numbers of which a part may overflow in the last rounding: the other part is
// open.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

const char kComplexDot[] =
    "ENTRY e { a = c64[2] parameter(0) b = c64[2] parameter(1)\n"
    " ROOT r = c64[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
// 1.7014117e38 twice is the largest f32 or an infinity, by the rounding of the products.
const std::vector<const char*> kNearTheEnd = {"c64[2] {(1.7014117e38, 1), (1.7014117e38, 1)}",
                                              "c64[2] {(1, 0), (1, 0)}"};
const std::vector<const char*> kFarFromIt = {"c64[2] {(1e38, 1), (1e38, 1)}",
                                             "c64[2] {(1, 0), (1, 0)}"};
const Case kNearOverflow[] = {
    {"overflows", kComplexDot, kNearTheEnd, {"c64[] (inf, nan)"}, kOpen},
    {"overflows_in_strict", kComplexDot, kNearTheEnd, {"c64[] (inf, nan)"}, kOpen, kStrict},
    {"far_from_it", kComplexDot, kFarFromIt, {"c64[] (2e38, 2)"}, kPass},
    {"no_overflow", kComplexDot, kFarFromIt, {"c64[] (2e38, nan)"}, kFail},
    {"no_infinity", kComplexDot, kFarFromIt, {"c64[] (inf, 2)"}, kFail},
};
JUDGE_CASES(ComplexDotTest, kNearOverflow);

}  // namespace
}  // namespace hlocts::reference
