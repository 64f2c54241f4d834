// SPDX-License-Identifier: Apache-2.0
// The check of outputs too large to judge as a whole: some of their rows, by a module that computes
// just these (NAME.rows beside NAME.hlo).
#ifndef HLOCTS_TOOLS_BENCH_SAMPLED_CHECK_H_
#define HLOCTS_TOOLS_BENCH_SAMPLED_CHECK_H_

#include <string>
#include <vector>

#include "backends/backend.h"
#include "spec/accuracy/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// `rows` computes from some rows of the arguments what the whole module computes in these rows of
// its outputs: an argument of the whole's shape is given to it as it is, others and the outputs are
// sampled along their first dimension, evenly, first and last row among them. What CheckOutputs
// says: "judged ...", or begins with WRONG.
absl::StatusOr<std::string> CheckSampledRows(const Module& rows,
                                             const std::vector<Literal>& arguments,
                                             const std::vector<Literal>& outputs,
                                             backends::Backend& engine,
                                             Profile profile = Profile::kDefault);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_BENCH_SAMPLED_CHECK_H_
