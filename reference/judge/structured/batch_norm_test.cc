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

// Of numbers that are computed: exp(0) = 1 and exp(log(2)) = 2.
#define COMPUTED                                                            \
  "ENTRY e { p = f32[2,1] parameter(0) x = f32[2,1] exponential(p)\n"       \
  " q = f32[1] parameter(1) two = f32[1] exponential(q)\n"                  \
  " zero = f32[] constant(0) z = f32[1] broadcast(zero), dimensions={}\n"   \
  " one = f32[] constant(1) o = f32[1] broadcast(one), dimensions={}\n"     \
  " high = f32[] constant(1.5) m = f32[1] broadcast(high), dimensions={}\n" \
  " low = f32[] constant(0.25) v = f32[1] broadcast(low), dimensions={}\n"
const char kTraining[] = COMPUTED
    " ROOT r = (f32[2,1], f32[1], f32[1]) batch-norm-training(x, o, z), epsilon=0.01, "
    "feature_index=1 }";
const char kInference[] = COMPUTED
    " ROOT r = f32[2,1] batch-norm-inference(x, two, o, o, o), epsilon=0.01, "
    "feature_index=1 }";
const char kGrad[] = COMPUTED
    " g = f32[2,1] parameter(2)\n"
    " ROOT r = (f32[2,1], f32[1], f32[1]) batch-norm-grad(x, two, m, v, g), epsilon=0.01, "
    "feature_index=1 }";
const std::vector<const char*> kLogs = {"f32[2,1] {{0}, {0.6931472}}", "f32[1] {0.6931472}"};
const std::vector<const char*> kLogsAndGrad = {"f32[2,1] {{0}, {0.6931472}}", "f32[1] {0.6931472}",
                                               "f32[2,1] {{1}, {3}}"};
const Case kComputed[] = {
    {"training",
     kTraining,
     kLogs,
     {"f32[2,1] {{-0.98058069}, {0.98058069}}", "f32[1] {1.5}", "f32[1] {0.25}"},
     kPass},
    {"training_off",
     kTraining,
     kLogs,
     {"f32[2,1] {{-0.98058069}, {0.981}}", "f32[1] {1.5}", "f32[1] {0.25}"},
     kFail},
    {"mean_off",
     kTraining,
     kLogs,
     {"f32[2,1] {{-0.98058069}, {0.98058069}}", "f32[1] {1.50001}", "f32[1] {0.25}"},
     kFail},
    {"variance_of_a_sample",  // divided by n - 1
     kTraining,
     kLogs,
     {"f32[2,1] {{-0.98058069}, {0.98058069}}", "f32[1] {1.5}", "f32[1] {0.5}"},
     kFail},
    {"inference", kInference, kLogs, {"f32[2,1] {{1}, {2.9900744}}"}, kPass},
    {"inference_without_epsilon", kInference, kLogs, {"f32[2,1] {{1}, {3}}"}, kFail},
    {"grad",
     kGrad,
     kLogsAndGrad,
     {"f32[2,1] {{-0.15085857}, {0.15085857}}", "f32[1] {1.9611614}", "f32[1] {4}"},
     kPass},
    {"grad_of_another_operand",
     kGrad,
     kLogsAndGrad,
     {"f32[2,1] {{-0.15085857}, {0.152}}", "f32[1] {1.9611614}", "f32[1] {4}"},
     kFail},
    {"grad_of_another_scale",
     kGrad,
     kLogsAndGrad,
     {"f32[2,1] {{-0.15085857}, {0.15085857}}", "f32[1] {1.9613}", "f32[1] {4}"},
     kFail},
};
JUDGE_CASES(BatchNormOfComputedTest, kComputed);

}  // namespace
}  // namespace hlocts::reference
