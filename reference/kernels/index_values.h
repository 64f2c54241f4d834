// Index operands as mathematical values, whatever their integer type.
#ifndef HLOCTS_REFERENCE_KERNELS_INDEX_VALUES_H_
#define HLOCTS_REFERENCE_KERNELS_INDEX_VALUES_H_

#include <cstdint>
#include <vector>

#include "spec/ir/literal.h"

namespace hlocts {

// Elements of an array of an integer type as int64; u64 values beyond int64 become INT64_MAX, which
// clamps and misses like every other index that is too large (rulings 0009, 0010, 0011).
std::vector<int64_t> IndexValues(const Literal& indices);

}  // namespace hlocts

#endif  // HLOCTS_REFERENCE_KERNELS_INDEX_VALUES_H_
