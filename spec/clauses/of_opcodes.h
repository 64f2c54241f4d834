// SPDX-License-Identifier: Apache-2.0
// Which clauses say what the value of an operation is (of_opcodes.txt): what a failure quotes.
#ifndef HLOCTS_SPEC_CLAUSES_OF_OPCODES_H_
#define HLOCTS_SPEC_CLAUSES_OF_OPCODES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hlocts {

// By the opcode's text ("log"), with its variant where each has a sentence of its own
// ("compare:LT", "fft:RFFT", "rng:rng_normal"). Opcodes that the documents do not describe have no
// line. Errors name file and line.
using ClausesOfOpcodes = std::map<std::string, std::vector<std::string>>;
absl::StatusOr<ClausesOfOpcodes> LoadClausesOfOpcodes(const std::string& path);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CLAUSES_OF_OPCODES_H_
