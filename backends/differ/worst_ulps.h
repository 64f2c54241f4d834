// SPDX-License-Identifier: Apache-2.0
// The largest distance of accepted values from the exact ones, of functions with exact arguments.
#ifndef HLOCTS_BACKENDS_DIFFER_WORST_ULPS_H_
#define HLOCTS_BACKENDS_DIFFER_WORST_ULPS_H_

#include <vector>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"
#include "spec/accuracy/profile.h"
#include "spec/accuracy/target_facts.h"
#include "spec/judge/judge.h"

namespace hlocts::backends {

// For each output, [leaf], that is a function of real numbers (spec/ops/scalar_functions.def,
// square root) of parameters and constants: the accepted element that is farthest from the exact
// value. Elements for which UlpsFromExact has no answer are not counted; there is one entry per
// function and type. `arguments` are those of the same device. Functions that carry a
// `result_accuracy` are left out: their bound is the module's own.
std::vector<reports::WorstUlps> WorstUlpsOf(const Module& module,
                                            const std::vector<Literal>& arguments,
                                            const std::vector<Literal>& outputs,
                                            const ModuleAcceptance& accepted, Profile profile,
                                            const TargetFacts& facts);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_WORST_ULPS_H_
