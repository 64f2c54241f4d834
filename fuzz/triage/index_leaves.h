// SPDX-License-Identifier: Apache-2.0
// Recognises arrays whose values are indices, not data.
#pragma once

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Returns true if a parameter or constant is used, and only as indices (slice, gather, scatter).
bool OnlyIndexes(const Instruction& leaf);

}  // namespace hlocts::fuzz
