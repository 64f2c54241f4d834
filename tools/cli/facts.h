// SPDX-License-Identifier: Apache-2.0
// Facts from a command line: single facts, or all facts of a target or an engine by its name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/judge/judge.h"

namespace hlocts::tools {

// The facts of `name`, a target or an engine as in --backend. InvalidArgument lists the targets.
absl::StatusOr<std::vector<std::string>> FactsOfName(const std::string& name);
// The facts of `name` (none for "") followed by `facts`, each of which is checked.
absl::StatusOr<std::vector<std::string>> GivenFacts(const std::vector<std::string>& facts,
                                                    const std::string& name);

// The facts of each engine, by its recorded name; none for an engine that cannot be created.
std::map<std::string, std::vector<std::string>> PromisesOf(const std::vector<std::string>& engines,
                                                           const std::vector<std::string>& names);

// Returns the sets, a line per element: "output 0 [1,2]: [1.5, 1.75] ulp(3) of exponential.4".
// Neighbours with the same set share a line.
std::string SetsText(const ModuleAcceptance& accepted);

}  // namespace hlocts::tools
