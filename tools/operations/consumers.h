// SPDX-License-Identifier: Apache-2.0
// Checks that each part of the program that needs an entry per operation has one for every opcode.
//
// The compiler reports a missing row of spec/ops and a missing member of a kind; this table reports
// all other gaps. For an intended gap, add a line with a reason to spec/ops/exempt.def. For a new
// consumer, add a row to AllConsumers.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/ir/opcode.h"

namespace hlocts::tools {

using OpcodeSet = std::bitset<kOpcodeCount>;

struct Consumer {
  absl::string_view name;
  absl::string_view what;  // what this consumer calls an entry for an operation
  OpcodeSet has;
};
// Returns all consumers. `home` is the directory that contains suites/ and spec/.
absl::StatusOr<std::vector<Consumer>> AllConsumers(const std::string& home);

// A line of spec/ops/exempt.def.
struct Exemption {
  Opcode opcode;
  absl::string_view consumers;  // names, separated by spaces
  absl::string_view reason;
  bool Names(absl::string_view consumer) const;
};
absl::Span<const Exemption> AllExemptions();
// Returns the reason of an exemption, or "" if there is none.
absl::string_view ReasonOf(Opcode opcode, absl::string_view consumer);

}  // namespace hlocts::tools
