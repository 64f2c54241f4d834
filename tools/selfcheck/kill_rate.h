// SPDX-License-Identifier: Apache-2.0
// Which planted faults are noticed, by which module, and which are not.
#ifndef HLOCTS_TOOLS_SELFCHECK_KILL_RATE_H_
#define HLOCTS_TOOLS_SELFCHECK_KILL_RATE_H_

#include <functional>
#include <string>
#include <vector>

#include "backends/selftest/faults/fault.h"
#include "reports/verdict_kind.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

struct KillRecord {
  std::string fault, fault_class, what;
  bool shared_layer = false;
  bool killed = false;
  std::string killed_by;  // name of the first trial that noticed it
  std::string verdict;    // how: fail, rejected, accepted, crash, timeout
  int64_t modules = 0;    // on which it was run
  // Modules whose outputs it changed by a bit; of those the judge accepted all before killed_by.
  int64_t changed = 0;
};

// Each fault in a process of its own (a fault may crash it or never end), `jobs` at a time, against
// the trials in order until one notices it. `done` is called for each fault in the order of `ids`.
std::vector<KillRecord> TryFaults(const std::vector<std::string>& ids,
                                  const std::vector<Trial>& trials, Profile profile, int jobs,
                                  double seconds_per_fault,
                                  const std::function<void(const KillRecord&)>& done);

// A verdict that people would look at: not pass, unsupported, inconclusive or the harness's error.
bool IsNoticed(reports::VerdictKind kind);
// Does the trial notice the engine with this fault? False where the fault has nothing to strike.
bool Kills(const backends::Fault& fault, backends::Backend& engine, const Trial& trial,
           Profile profile);

// One fault in this process.
KillRecord TryFault(const std::string& id, const std::vector<Trial>& trials, Profile profile,
                    double seconds);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_KILL_RATE_H_
