// SPDX-License-Identifier: Apache-2.0
// Checks the metamorphic rules on random modules: by the reference, a variant must have the same
// meaning as its module.
#pragma once

#include <string>
#include <vector>

#include "generators/metamorphic/rules.h"

namespace hlocts::tools {

struct VariantCounts {
  const generators::MetamorphicRule* rule = nullptr;
  int64_t variants = 0;               // variants that were made and evaluated
  int64_t skipped = 0;                // variants that the reference does not support
  std::vector<std::string> failures;  // recipe and difference of each failing variant
};

// Makes up to `wanted` metamorphic variants with each rule, from at most `modules_max` generated
// modules. A variant fails if the verifier rejects it, if its outputs differ in bits from the
// module's (exact rules), or if they are outside of the variant's acceptance sets (bounded rules).
std::vector<VariantCounts> CheckVariants(uint64_t seed, int64_t wanted, int64_t modules_max);

}  // namespace hlocts::tools
