// SPDX-License-Identifier: Apache-2.0
// Maps operations to the clauses that define their value (of_opcodes.txt). Reports of failures
// quote these clauses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hlocts {

// Clause ids, keyed by the text of the opcode ("log"). If each variant of an opcode has its own
// sentence, the variant follows ("compare:LT", "fft:RFFT", "rng:rng_normal"). Opcodes that the
// documents do not describe have no entry. Errors name file and line.
using ClausesOfOpcodes = std::map<std::string, std::vector<std::string>>;
absl::StatusOr<ClausesOfOpcodes> LoadClausesOfOpcodes(const std::string& path);

}  // namespace hlocts
