// SPDX-License-Identifier: Apache-2.0
// Mutants are seeded faults, changed rules of the table, and broken clauses. One driver runs them
// all, and one table shows which are detected.
//
// Parts of `hlocts selfcheck`: `faults` (seeded faults on cases and on random modules), `rules`
// (a rule of spec/accuracy narrowed or widened), `clauses` (the fault of suites/clause_mutants.txt
// for each tested clause), `noise` (the worst-case conforming engine, which must never fail),
// `variants` (metamorphic rules keep the meaning). A mutant runs in a separate process (forked.h),
// since a crash or an endless loop counts as a detection. A fault that leaves the reference's bits
// unchanged is not judged. No fault and no module is exempt.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace hlocts::tools {

struct MutantResult {
  bool noticed = false;
  std::string by;       // the first trial that notices it, "lint", "canary:FAULT survives"
  std::string verdict;  // fail, rejected, accepted, crash, timeout
  int64_t modules = 0;  // number of modules that it was tried on
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

// Runs each mutant in a child process (a crash or a hang counts as detected), `jobs` at a time, for
// at most `seconds` each. Calls `done` in the order of `mutants`.
std::vector<MutantRecord> RunMutants(const std::vector<Mutant>& mutants, int jobs, double seconds,
                                     const std::function<void(const MutantRecord&)>& done);

struct Tally {
  int64_t killed = 0, all = 0;
  void Add(bool is_killed) { killed += is_killed, ++all; }
  double Share() const {
    return all == 0 ? 0 : 100.0 * static_cast<double>(killed) / static_cast<double>(all);
  }
};

// The record of a seeded fault.
nlohmann::ordered_json ToJson(const MutantRecord& record);
// Prints how many mutants of each group, and of all, were detected, then each undetected one with
// the reason.
void PrintKillTable(const std::vector<MutantRecord>& records, std::ostream& out);

}  // namespace hlocts::tools
