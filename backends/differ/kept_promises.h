// SPDX-License-Identifier: Apache-2.0
// Judges the effects of a run other than its outputs: changed arguments and the outfeed.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"

namespace hlocts::backends {

// Turns a pass into a failure in three cases: the engine reports that it changed an argument that
// was not donated (aliasing.19), that such an argument shares memory with an output (aliasing.4),
// or that an output does not use the donated memory with which it must alias (aliasing.15; ruling
// 0068).
void JudgeArguments(const Module& module, const ExecuteRequest& request,
                    const ExecuteResult& result, reports::Verdict& verdict);

// Compares the bits of the outfeed with `expected`, [device][leaf] in sending order (after_all.3,
// after_all.4). An empty `expected` changes nothing.
void JudgeOutfeed(const std::vector<std::vector<Literal>>& expected, const ExecuteResult& result,
                  reports::Verdict& verdict);

// Returns a sentence if devices have different copies of an output element, otherwise "".
std::string MismatchedReplicas(const std::vector<std::vector<Literal>>& outputs);

}  // namespace hlocts::backends
