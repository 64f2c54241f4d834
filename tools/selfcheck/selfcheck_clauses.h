// SPDX-License-Identifier: Apache-2.0
// Declares the part `clauses` of `hlocts selfcheck`.
#pragma once

namespace hlocts::tools {

struct SelfcheckClausesOptions {
  bool update = false;        // complete suites/clause_mutants.txt
  bool changed_only = false;  // run only lines whose case or fault changed
  int jobs = 1;
};
// Runs the part and returns the exit status.
int RunSelfcheckClauses(const SelfcheckClausesOptions& options);

}  // namespace hlocts::tools
