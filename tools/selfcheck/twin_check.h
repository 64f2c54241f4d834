// SPDX-License-Identifier: Apache-2.0
// The metamorphic rules on random modules: does the reference evaluator agree that a twin means the
// same?
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

// Up to `wanted` twins of each rule, out of at most `modules_max` generated modules. A twin fails
// when the verifier refuses it, when its outputs are other bits (rules that are exact), or when
// they leave its own acceptance sets (rules that are bounded).
std::vector<TwinTally> CheckTwins(uint64_t seed, int64_t wanted, int64_t modules_max);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_TWIN_CHECK_H_
