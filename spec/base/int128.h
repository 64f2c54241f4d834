// SPDX-License-Identifier: Apache-2.0
// A 128-bit integer for sums and products of int64 values. Attributes may have any value, so int64
// would overflow.
#ifndef HLOCTS_SPEC_BASE_INT128_H_
#define HLOCTS_SPEC_BASE_INT128_H_

namespace hlocts {

__extension__ using Int128 = __int128;

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_INT128_H_
