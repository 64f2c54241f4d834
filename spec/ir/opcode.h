// SPDX-License-Identifier: Apache-2.0
// The names of HLO's opcodes and instruction attributes (tables: opcodes.def, attributes.def).
#ifndef HLOCTS_SPEC_IR_OPCODE_H_
#define HLOCTS_SPEC_IR_OPCODE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

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

absl::string_view OpcodeName(Opcode opcode);
std::optional<Opcode> OpcodeFromName(absl::string_view name);
absl::Span<const Opcode> AllOpcodes();
absl::string_view AttrName(Attr attr);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_OPCODE_H_
