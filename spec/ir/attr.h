// SPDX-License-Identifier: Apache-2.0
// The names of instruction attributes, from the table attributes.def.
#pragma once

#include "spec/ir/opcode_fwd.h"

namespace hlocts {

enum class Attr : uint8_t {
#define HLOCTS_ATTRIBUTE(Name, text, Kind) k##Name,
#include "spec/ir/attributes.def"
#undef HLOCTS_ATTRIBUTE
};
inline constexpr int kAttrCount = 0
#define HLOCTS_ATTRIBUTE(Name, text, Kind) +1
#include "spec/ir/attributes.def"
#undef HLOCTS_ATTRIBUTE
    ;

}  // namespace hlocts
