// SPDX-License-Identifier: Apache-2.0
// Finds mistakes in case files: unknown names, and cases that contradict the reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "spec/clauses/registry.h"
#include "suites/case.h"

namespace hlocts::suites {

// The names that a case may cite: ids of clauses, operations of the documents, opcodes.
class CaseNames {
 public:
  static absl::StatusOr<CaseNames> Load();
  // Returns "file:line: message" for each clause, operation or opcode that does not exist.
  std::vector<std::string> MistakesOf(const Case& one) const;

 private:
  ClauseRegistry registry_;
  std::vector<std::string> operations_, opcodes_;
};

// Returns "file:line: message" for every mistake in a file or below a directory. Judges the stated
// outputs. Runs smoke and presubmit cases without sweep that have no such outputs, or also printed
// ones, on `reference`; a case that fails there is a mistake.
absl::StatusOr<std::vector<std::string>> LintCases(const std::string& path,
                                                   backends::Backend& reference,
                                                   const std::function<bool()>& stop);

}  // namespace hlocts::suites
