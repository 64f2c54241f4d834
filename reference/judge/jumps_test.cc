// SPDX-License-Identifier: Apache-2.0
// What operations make of a number that may lie on either side of a jump (RULES 31): either side,
// and nothing between.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// A number around 3 and what a floor leaves of it; one around 2.5, rounded and scaled.
const char kFraction[] =
    "ENTRY e { x = f32[] parameter(0) e = f32[] exponential(x) f = f32[] floor(e)\n"
    " ROOT r = f32[] subtract(e, f) }";
const char kTenths[] =
    "ENTRY e { x = f32[] parameter(0) e = f32[] exponential(x) n = f32[] round-nearest-even(e)\n"
    " t = f32[] constant(0.1) q = f32[] multiply(n, t) i = s32[] convert(n)\n"
    " ten = s32[] constant(10) m = s32[] multiply(i, ten) ROOT r = (f32[], s32[]) tuple(q, m) }";

const Case kJumps[] = {
    {"fraction_above", kFraction, {"f32[] 1.0986123"}, {"f32[] 0"}, kPass},
    {"fraction_below", kFraction, {"f32[] 1.0986123"}, {"f32[] 0.99999976"}, kPass},
    {"fraction_of_two_numbers", kFraction, {"f32[] 1.0986123"}, {"f32[] -2.3841858e-07"}, kPass},
    {"fraction_between", kFraction, {"f32[] 1.0986123"}, {"f32[] 0.5"}, kFail},
    {"tenths_above", kTenths, {"f32[] 0.91629073"}, {"f32[] 0.3", "s32[] 30"}, kPass},
    {"tenths_below", kTenths, {"f32[] 0.91629073"}, {"f32[] 0.2", "s32[] 20"}, kPass},
    {"tenths_between", kTenths, {"f32[] 0.91629073"}, {"f32[] 0.25", "s32[] 20"}, kFail},
    {"tens_between", kTenths, {"f32[] 0.91629073"}, {"f32[] 0.2", "s32[] 25"}, kFail},
};

JUDGE_CASES(JumpTest, kJumps);

}  // namespace
}  // namespace hlocts::reference
