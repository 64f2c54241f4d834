// SPDX-License-Identifier: Apache-2.0
// Means whose quotient is as far off as its row grants, and farther.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// A mean is a sum and a quotient, which the row of divide grants 2.5 ulps: 1 - 5 2^-24 of {1, 1}.
const char kNorm[] =
    "ENTRY e { x = f32[2,1] parameter(0) z = f32[1] parameter(1)\n"
    " ROOT r = (f32[2,1], f32[1], f32[1]) batch-norm-training(x, z, z), epsilon=0.01, "
    "feature_index=1 }";
const std::vector<const char*> kOnes = {"f32[2,1] {{1}, {1}}", "f32[1] {0}"};
const Case kMeans[] = {
    {"quotient_of_the_row",
     kNorm,
     kOnes,
     {"f32[2,1] {{0}, {0}}", "f32[1] {0.9999997}", "f32[1] {0}"},
     kPass},
    {"quotient_of_the_row_in_strict",
     kNorm,
     kOnes,
     {"f32[2,1] {{0}, {0}}", "f32[1] {0.9999997}", "f32[1] {0}"},
     kFail,
     kStrict},
    {"quotient_too_far",
     kNorm,
     kOnes,
     {"f32[2,1] {{0}, {0}}", "f32[1] {0.9999994}", "f32[1] {0}"},
     kFail},
    {"quotient_of_relaxed",
     kNorm,
     kOnes,
     {"f32[2,1] {{0}, {0}}", "f32[1] {0.99999}", "f32[1] {0}"},
     kPass,
     kRelaxed},
};

JUDGE_CASES(BatchNormTest, kMeans);

}  // namespace
}  // namespace hlocts::reference
