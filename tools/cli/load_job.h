// SPDX-License-Identifier: Apache-2.0
// Loads a module that may lack inputs.
#pragma once

#include "tools/cli/common.h"

namespace hlocts::tools {

// Like LoadJob. But if `inputs` and `seed` are not given and the module has no inputs, sets
// `*found` to false and returns a job without arguments. If `found` is null, this is an error.
absl::StatusOr<Job> LoadJobOr(const std::string& module_path, const std::string& inputs,
                              std::optional<uint64_t> seed, const CommonOptions& options,
                              bool* found);

// Kinds of inputs that are recipes of the same name (InputRecipes).
inline constexpr const char kConstantsData[] = "constants", kLimitsData[] = "limits";
// The kinds of inputs that each seed has if --data is empty.
inline constexpr const char* kInputKinds[] = {"random", "edge",         "wide",
                                              "exact",  kConstantsData, kLimitsData};
// Changes seed and --data to those of input number `turn` of a series. If --data is empty, a seed
// has an input of each kind; otherwise each seed has one input.
void SelectInput(int64_t turn, std::optional<uint64_t>& seed, CommonOptions& options);
// Returns the length of a series that gives small arguments all special values of their types.
int64_t InputCount(const Job& job, const CommonOptions& options);

}  // namespace hlocts::tools
