// SPDX-License-Identifier: Apache-2.0
// Functions of 8-bit types by way of a 16-bit one (RULES 17).
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

const char kNarrowLogistic[] =
    "ENTRY e { x = f8e5m2[] parameter(0) ROOT r = f8e5m2[] logistic(x) }";
const Case kNarrow[] = {
    // 0.2227; within 64 ulps of bf16 lies 0.2832, which is nearer to 0.3125 of the next binade.
    {"next_binade", kNarrowLogistic, {"f8e5m2[] -1.25"}, {"f8e5m2[] 0.3125"}, kPass, kRelaxed},
    {"beyond_that", kNarrowLogistic, {"f8e5m2[] -1.25"}, {"f8e5m2[] 0.375"}, kFail, kRelaxed},
    {"in_default", kNarrowLogistic, {"f8e5m2[] -1.25"}, {"f8e5m2[] 0.3125"}, kFail},
};
JUDGE_CASES(NarrowFunctionsTest, kNarrow);

}  // namespace
}  // namespace hlocts::reference
