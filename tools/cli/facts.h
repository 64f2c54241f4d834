// SPDX-License-Identifier: Apache-2.0
// Facts from a command line: single facts, or all facts of a target or an engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/judge/judge.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {

// Returns the facts of `name`, a target or an engine (as in --backend). Errors list the targets.
absl::StatusOr<std::vector<std::string>> FactsOfName(const std::string& name);
struct FactOptions {
  std::vector<std::string> facts;
  std::string of;
  void Declare(Flags& flags);
  // Returns the facts of --facts-of, then those of --fact, after checking that these exist.
  absl::StatusOr<std::vector<std::string>> Given() const;
};

// Returns the facts of each engine by recorded name; none if the engine cannot be created.
std::map<std::string, std::vector<std::string>> PromisesOf(const std::vector<std::string>& engines,
                                                           const std::vector<std::string>& names);

// Returns the sets as text, one line per element: "output 0 [1,2]: [1.5, 1.75] ulp(3) of
// exponential.4". Adjacent elements with equal sets share a line.
std::string SetsText(const ModuleAcceptance& accepted);

}  // namespace hlocts::tools
