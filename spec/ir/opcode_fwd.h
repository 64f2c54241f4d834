// SPDX-License-Identifier: Apache-2.0
// Declares the types of opcodes and attribute names and the functions that return their texts. This
// is enough to pass or store them. The enumerators are in spec/ir/opcode.h and spec/ir/attr.h, so
// that a new enumerator recompiles only the files that use enumerators.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlocts {

enum class Opcode : uint8_t;
enum class Attr : uint8_t;

absl::string_view OpcodeName(Opcode opcode);
std::optional<Opcode> OpcodeFromName(absl::string_view name);
absl::Span<const Opcode> AllOpcodes();
absl::string_view AttrName(Attr attr);

}  // namespace hlocts
