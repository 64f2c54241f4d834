// SPDX-License-Identifier: Apache-2.0
// Reads elements of integer arrays as indices.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/ir/primitive_type.h"

namespace hlocts::plan {

// Returns element i of an integer array. Converts a u64 that exceeds INT64_MAX to INT64_MAX.
int64_t IndexAt(PrimitiveType type, const uint8_t* elements, int64_t i);
std::vector<int64_t> IndicesOf(PrimitiveType type, const uint8_t* elements, int64_t count);

}  // namespace hlocts::plan
