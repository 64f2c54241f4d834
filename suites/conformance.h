// SPDX-License-Identifier: Apache-2.0
// Decides from the records of a run which level of CONFORMANCE.md an engine reaches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/run_record.h"
#include "reports/verdict_fwd.h"

namespace hlocts::suites {

// The conformance of one engine in one run.
struct Conformance {
  std::string engine, version, tier, profile;
  int level = 0;                      // 1 smoke, 2 presubmit, 3 nightly; 0: not conformant
  std::vector<std::string> against;   // reasons why the engine is not conformant
  std::map<std::string, int> counts;  // by verdict; "known": failures that expectations list
  int cases = 0;
  std::vector<std::string> facts;  // that the engine declares

  // Example: "xla 2.21.0: smoke, default profile: 1216 pass, 82 unsupported: conformant, level 1".
  std::string ToText() const;
  // Returns a badge for a web page, e.g. "HLO conformance | level 2".
  std::string ToSvg() const;
};

// Returns the conformance of each engine of the run, in the order of the record.
std::vector<Conformance> ConformanceOf(const reports::RunRecord& record,
                                       const std::vector<reports::Verdict>& verdicts);

// Returns a line if the exit status of the run is 0 and no level is reached, or the reverse.
std::string WhyClaimDiffers(int exit_status, const std::vector<Conformance>& engines);

}  // namespace hlocts::suites
