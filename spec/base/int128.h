// SPDX-License-Identifier: Apache-2.0
// A 128-bit integer for sums and products of int64 attributes, which may have any value.
#pragma once

namespace hlocts {

__extension__ using Int128 = __int128;

}  // namespace hlocts
