// SPDX-License-Identifier: Apache-2.0
// Runs seeded faults as mutants, to find which are detected and by which module.
#pragma once

#include <string>
#include <vector>

#include "backends/selftest/faults/fault.h"
#include "reports/verdict.h"
#include "tools/selfcheck/mutant.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// Makes mutants that run each fault against the trials in order until one detects it, for at most
// `seconds`. The trials must outlive the mutants.
std::vector<Mutant> FaultMutants(const std::vector<std::string>& ids,
                                 const std::vector<Trial>& trials, Profile profile, double seconds);

// Returns true for a verdict that needs a user's attention: not pass, unsupported, inconclusive or
// an error of the harness.
bool IsNoticed(Outcome kind);
// Returns true if the trial detects the fault in an engine; false if the fault has no effect.
bool Kills(const backends::Fault& fault, backends::Backend& engine, const Trial& trial,
           Profile profile);

// Tries one fault in this process.
MutantResult TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                      double seconds);

}  // namespace hlocts::tools
