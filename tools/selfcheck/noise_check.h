// SPDX-License-Identifier: Apache-2.0
// Checks the judge with the legal-noise engine: each failure is a defect of the judge or of the
// engine.
#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "reports/verdict.h"
#include "spec/judge/unusual.h"
#include "tools/selfcheck/trial.h"

namespace hlocts::tools {

struct NoiseReport {
  std::map<std::string, int64_t> verdicts;  // by name
  int64_t modules = 0, elements = 0, unspecified = 0;
  int64_t barely_checked = 0;    // unspecified, or fewer than two effective bits
  int64_t unlike_reference = 0;  // modules whose outputs differ from the reference's in a bit
  double bits_checked_mean = 0;
  Unusual unusual;  // improbable passes, for typical noise
  // Counts of the statistical tests: suspects, tested outputs' elements, and elements tested
  // singly.
  int64_t suspects = 0, tested = 0, swept = 0;
  struct Failure {
    std::string trial;
    uint64_t seed = 0;
    reports::Verdict verdict;
  };
  std::vector<Failure> failures;
  std::vector<std::string> marked;  // a line for each module with an unusual result
};

// The permissions that the noise uses. `facts` are the facts that the engine declares (its option
// `facts`); "" for none. If `typical`, the noise omits additions with one-sided errors, and outputs
// that pass are searched for improbable results.
struct NoiseMode {
  Profile profile = Profile::kDefault;
  std::string facts;
  bool typical = false;
  bool suspect = false;    // runs the statistical tests on outputs and counts suspects
  int64_t partitions = 1;  // sums are split over up to this many devices
};

// Runs each trial once for each seed, in this process.
NoiseReport CheckNoise(const std::vector<Trial>& trials, const NoiseMode& mode,
                       const std::vector<uint64_t>& seeds);
void Merge(const NoiseReport& from, NoiseReport& into);
// Print a failure as a line, and a report as a line followed by its failures.
std::string NoiseLine(const NoiseReport::Failure& failure);
void PrintNoise(const NoiseReport& report, const std::string& where, std::ostream& out);

// Runs `count` generated modules in child processes, `jobs` at a time. A crash is a failure. Every
// few hundred modules, calls `tick` with the report so far.
NoiseReport CheckNoiseOnGenerated(uint64_t seed, int64_t count, const NoiseMode& mode, int jobs,
                                  const std::function<void(const NoiseReport&)>& tick);

}  // namespace hlocts::tools
