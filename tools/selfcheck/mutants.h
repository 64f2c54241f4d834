// SPDX-License-Identifier: Apache-2.0
// Runs mutants, to find which of them are detected and by which module.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "backends/selftest/faults/fault.h"
#include "nlohmann/json_fwd.hpp"
#include "reports/verdict.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

// Mutants are seeded faults, changed rules of the table, and broken clauses. The same code runs all
// mutants, and one table shows which of them are detected.
//
// Parts of `hlocts selfcheck`: `faults` (seeded faults on cases and on random modules), `rules` (a
// rule of spec/accuracy is narrowed or widened), `clauses` (the fault of suites/clause_mutants.txt
// for each tested clause), `noise` (the worst-case conforming engine, which must never fail),
// `variants` (metamorphic rules preserve the meaning). A mutant runs in its own process (forked.h),
// because a crash or an endless loop is a detection. If the outputs have the bits of the reference,
// they are not judged. No fault and no module is exempt.

struct MutantResult {
  bool noticed = false;
  std::string by;       // the first trial that detects it, "lint" or "canary:FAULT survives"
  std::string verdict;  // fail, rejected, accepted, crash or timeout
  int64_t modules = 0;  // number of modules on which it was tried
  // The number of modules whose outputs (for a rule: sets) the mutant changed before it was
  // detected.
  int64_t changed = 0;
};

struct Mutant {
  std::string name, group, what;
  bool shared_layer = false;
  std::function<MutantResult()> run;
};

struct MutantRecord : Mutant, MutantResult {};

// Runs each mutant in a child process, `jobs` at a time, for at most `seconds` each. A crash or a
// hang is a detection. Calls `done` in the order of `mutants`.
std::vector<MutantRecord> RunMutants(const std::vector<Mutant>& mutants, int jobs, double seconds,
                                     const std::function<void(const MutantRecord&)>& done);

struct Tally {
  int64_t killed = 0, all = 0;
  void Add(bool is_killed) { killed += is_killed, ++all; }
  double Share() const {
    return all == 0 ? 0 : 100.0 * static_cast<double>(killed) / static_cast<double>(all);
  }
};

// Returns the record of a seeded fault.
nlohmann::ordered_json ToJson(const MutantRecord& record);
// Prints how many mutants were detected, by group and in total, and then each undetected mutant
// with the reason.
void PrintKillTable(const std::vector<MutantRecord>& records, std::ostream& out);

// Returns a mutant for each fault. A mutant runs the trials in order, for at most `seconds`, until
// one detects the fault. The trials must outlive the mutants.
std::vector<Mutant> FaultMutants(const std::vector<std::string>& ids,
                                 const std::vector<Trial>& trials, Profile profile, double seconds);

// Returns true for a verdict that needs a user's attention: all except pass, unsupported,
// inconclusive and errors of the harness.
bool IsNoticed(Outcome kind);
// Returns true if the trial detects the fault in an engine; false if the fault has no effect.
bool Kills(const backends::Fault& fault, backends::Backend& engine, const Trial& trial,
           Profile profile);

// Tries one fault in this process.
MutantResult TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                      double seconds);

// Mutants of the rule table: a rule is narrowed or widened, or a permission is dropped or granted,
// for floats and complex numbers. If a rule is narrowed, legal noise should fail. If a rule is
// widened (also in `relaxed`, because profiles must remain nested), a seeded fault should pass. In
// both cases the lint may report the mutant instead.

// The time limit in seconds for one mutant. An unfinished mutant is not detected.
constexpr double kRuleSeconds = 300;

// Returns the mutants, with names like "tanh: ulps halved", in the group "rule". For an undetected
// mutant, `changed` is the number of trials on which it changes an acceptance set; 0 means that no
// code reads this part of the rule, or that no trial depends on it. `killed` has the faults that
// the trials detect with the unchanged table. `trials` and `killed` must outlive the mutants.
std::vector<Mutant> RuleMutants(std::vector<Trial>& trials, const std::vector<std::string>& killed);

}  // namespace hlocts::tools
