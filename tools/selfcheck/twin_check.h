// SPDX-License-Identifier: Apache-2.0
// The metamorphic rules on random modules: checks by the reference evaluator that a metamorphic
// variant means the same.
#ifndef HLOCTS_TOOLS_SELFCHECK_TWIN_CHECK_H_
#define HLOCTS_TOOLS_SELFCHECK_TWIN_CHECK_H_

#include <string>
#include <vector>

#include "generators/metamorphic/rules.h"

namespace hlocts::tools {

struct TwinTally {
  const generators::MetamorphicRule* rule = nullptr;
  int64_t twins = 0;                  // made, valid and evaluated
  int64_t skipped = 0;                // the reference does not evaluate the module
  std::vector<std::string> failures;  // recipe and what differs
};

// Makes up to `wanted` metamorphic variants by each rule, from at most `modules_max` generated
// modules. A variant fails when the verifier refuses it, when its outputs have other bits (exact
// rules), or when they leave its own acceptance sets (bounded rules).
std::vector<TwinTally> CheckTwins(uint64_t seed, int64_t wanted, int64_t modules_max);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_TWIN_CHECK_H_
