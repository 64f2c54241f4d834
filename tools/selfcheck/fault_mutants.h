// SPDX-License-Identifier: Apache-2.0
// Planted faults as mutants: which are noticed, by which module, and which are not.
#ifndef HLOCTS_TOOLS_SELFCHECK_FAULT_MUTANTS_H_
#define HLOCTS_TOOLS_SELFCHECK_FAULT_MUTANTS_H_

#include <string>
#include <vector>

#include "backends/selftest/faults/fault.h"
#include "reports/verdict.h"
#include "tools/selfcheck/mutant.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// Each against the trials in order until one notices it, for at most `seconds`. The trials outlive
// the mutants.
std::vector<Mutant> FaultMutants(const std::vector<std::string>& ids,
                                 const std::vector<Trial>& trials, Profile profile, double seconds);

// A verdict that people would look at: not pass, unsupported, inconclusive or the harness's error.
bool IsNoticed(Outcome kind);
// Does the trial notice the engine with this fault? False where the fault has nothing to strike.
bool Kills(const backends::Fault& fault, backends::Backend& engine, const Trial& trial,
           Profile profile);

// One fault in this process.
MutantResult TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                      double seconds);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_FAULT_MUTANTS_H_
