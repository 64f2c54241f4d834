// SPDX-License-Identifier: Apache-2.0
// Holds sums and products of a few int64 values, since attributes may have any value.
#ifndef HLOCTS_SPEC_BASE_INT128_H_
#define HLOCTS_SPEC_BASE_INT128_H_

namespace hlocts {

__extension__ using Int128 = __int128;

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_INT128_H_
