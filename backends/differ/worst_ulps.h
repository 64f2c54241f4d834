// SPDX-License-Identifier: Apache-2.0
// Measures how far accepted values of functions with exact arguments are from the exact values.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"
#include "spec/accuracy/profile.h"
#include "spec/accuracy/target_facts.h"
#include "spec/judge/judge.h"

namespace hlocts::backends {

// Considers output leaves that are a real function (spec/ops/scalar_functions.def, square root) of
// parameters and constants. Returns for each function and type the accepted element that is
// farthest from the exact value, among those that UlpsFromExact can measure. `arguments` and
// outputs belong to one device. Functions with a `result_accuracy` are omitted, since the module
// itself sets their bound.
std::vector<reports::WorstUlps> WorstUlpsOf(const Module& module,
                                            const std::vector<Literal>& arguments,
                                            const std::vector<Literal>& outputs,
                                            const ModuleAcceptance& accepted, Profile profile,
                                            const TargetFacts& facts);

}  // namespace hlocts::backends
