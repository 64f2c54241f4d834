// SPDX-License-Identifier: Apache-2.0
// Effects of a run other than its outputs: on the arguments, and outfeeds.
#ifndef HLOCTS_BACKENDS_DIFFER_KEPT_PROMISES_H_
#define HLOCTS_BACKENDS_DIFFER_KEPT_PROMISES_H_

#include <vector>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"

namespace hlocts::backends {

// Turns a pass into a failure where an argument that was not donated was changed (aliasing.19), or
// one that was donated, with an alias that must be, is not the output's memory (aliasing.15; ruling
// 0068), as far as the engine reports it.
void JudgeArguments(const Module& module, const ExecuteRequest& request,
                    const ExecuteResult& result, reports::Verdict& verdict);

// `expected`: [device][leaf] in the order in which it is sent; empty changes nothing. Bits are
// compared (after_all.3, after_all.4).
void JudgeOutfeed(const std::vector<std::vector<Literal>>& expected, const ExecuteResult& result,
                  reports::Verdict& verdict);

// A sentence where devices hold different copies of an element of a partitioned module, else "".
std::string UnequalCopies(const std::vector<std::vector<Literal>>& outputs);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_KEPT_PROMISES_H_
