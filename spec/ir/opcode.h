// SPDX-License-Identifier: Apache-2.0
// The opcodes of HLO, from the table opcodes.def.
#pragma once

#include "spec/ir/opcode_fwd.h"

namespace hlocts {

enum class Opcode : uint8_t {
#define HLOCTS_OPCODE(Name, text) k##Name,
#include "spec/ir/opcodes.def"
#undef HLOCTS_OPCODE
};
inline constexpr int kOpcodeCount = 0
#define HLOCTS_OPCODE(Name, text) +1
#include "spec/ir/opcodes.def"
#undef HLOCTS_OPCODE
    ;

}  // namespace hlocts
