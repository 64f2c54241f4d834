// SPDX-License-Identifier: Apache-2.0
// Measures the largest distance from the exact value, of functions with exact arguments.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"
#include "spec/accuracy/profile.h"
#include "spec/accuracy/target_facts.h"
#include "spec/judge/judge.h"

namespace hlocts::backends {

// Returns, for each output leaf that is a real function (spec/ops/scalar_functions.def, square
// root) of parameters and constants, the accepted element that is farthest from the exact value.
// There is one entry per function and type, without elements that UlpsFromExact cannot measure.
// `arguments` are those of the same device. Functions with a `result_accuracy` are omitted, since
// their bound comes from the module.
std::vector<reports::WorstUlps> WorstUlpsOf(const Module& module,
                                            const std::vector<Literal>& arguments,
                                            const std::vector<Literal>& outputs,
                                            const ModuleAcceptance& accepted, Profile profile,
                                            const TargetFacts& facts);

}  // namespace hlocts::backends
