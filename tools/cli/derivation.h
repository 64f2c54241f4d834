// SPDX-License-Identifier: Apache-2.0
// Derives the set of one element, instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/common.h"

namespace hlocts::tools {

// Lines that derive element `index` (row-major) of output `output` from the inputs: each
// instruction of the entry that contributes to it, its operands, and the set of its element. "" if
// a single instruction on inputs computes the element, if more than one device runs, or if the sets
// cannot be computed.
std::string DerivationOf(const Job& job, const std::string& profile,
                         const std::vector<std::string>& facts, int64_t output, int64_t index);

}  // namespace hlocts::tools
