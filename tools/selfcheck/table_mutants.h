// SPDX-License-Identifier: Apache-2.0
// Mutants of the rule table: a rule narrowed, widened, a permission dropped or granted, for floats
// and complex numbers. Narrow ones should make legal noise fail, wide ones (of relaxed as well, so
// that profiles stay nested) let a planted fault through, either may break the lint.
#ifndef HLOCTS_TOOLS_SELFCHECK_TABLE_MUTANTS_H_
#define HLOCTS_TOOLS_SELFCHECK_TABLE_MUTANTS_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

struct MutantRecord {
  std::string mutant;  // "tanh: ulps halved"
  bool noticed = false;
  std::string noticed_by;  // "lint", "legal noise on CASE", "canary:FAULT survives"
  // Not noticed: on how many of the trials it changes an acceptance set at all. 0: nothing reads
  // that part of the rule, or nothing that is tried depends on it.
  int64_t changed = 0;
};

// `killed`: faults that the trials find with the table as it is.
std::vector<MutantRecord> TryMutants(const std::vector<Trial>& trials,
                                     const std::vector<std::string>& killed, int jobs,
                                     const std::function<void(const MutantRecord&)>& done);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_TABLE_MUTANTS_H_
