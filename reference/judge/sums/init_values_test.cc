// SPDX-License-Identifier: Apache-2.0
// Many insertions of an init that is no identity (RULES 11).
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// 999 ones and 2^24 - 1999: exact with up to 500 insertions of -2, and not with 501. No order of
// additions is known that gives the numbers between; the bound of the sums holds them.
const char kExactForAWhile[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[1] parameter(0) one = f32[] constant(1)\n"
    " ones = f32[999] broadcast(one), dimensions={}\n"
    " terms = f32[1000] concatenate(x, ones), dimensions={0} i = f32[] constant(-2)\n"
    " ROOT r = f32[] reduce(terms, i), dimensions={0}, to_apply=add }";
const Case kManyInsertions[] = {
    {"one_insertion", kExactForAWhile, {"f32[1] {16775217}"}, {"f32[] 16776214"}, kPass},
    {"where_sums_begin_to_round",
     kExactForAWhile,
     {"f32[1] {16775217}"},
     {"f32[] 16776600"},
     kPass},
    {"beyond_what_rounds", kExactForAWhile, {"f32[1] {16775217}"}, {"f32[] 16776800"}, kFail},
};
JUDGE_CASES(InitValuesTest, kManyInsertions);

}  // namespace
}  // namespace hlocts::reference
