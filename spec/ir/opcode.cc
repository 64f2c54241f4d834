// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/opcode.h"

#include <array>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/attr.h"

namespace hlocts {
namespace {

constexpr absl::string_view kOpcodeNames[] = {
#define HLOCTS_OPCODE(Name, text) text,
#include "spec/ir/opcodes.def"
#undef HLOCTS_OPCODE
};

constexpr std::array<Opcode, kOpcodeCount> kAllOpcodes = {
#define HLOCTS_OPCODE(Name, text) Opcode::k##Name,
#include "spec/ir/opcodes.def"
#undef HLOCTS_OPCODE
};

constexpr absl::string_view kAttrNames[] = {
#define HLOCTS_ATTRIBUTE(Name, text, Kind) text,
#include "spec/ir/attributes.def"
#undef HLOCTS_ATTRIBUTE
};

}  // namespace

absl::string_view OpcodeName(Opcode opcode) { return kOpcodeNames[static_cast<size_t>(opcode)]; }

std::optional<Opcode> OpcodeFromName(absl::string_view name) {
  static const auto* by_name = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, Opcode>();
    for (Opcode opcode : kAllOpcodes) (*map)[OpcodeName(opcode)] = opcode;
    return map;
  }();
  auto found = by_name->find(name);
  if (found == by_name->end()) return std::nullopt;
  return found->second;
}

absl::Span<const Opcode> AllOpcodes() { return kAllOpcodes; }
absl::string_view AttrName(Attr attr) { return kAttrNames[static_cast<size_t>(attr)]; }

}  // namespace hlocts
