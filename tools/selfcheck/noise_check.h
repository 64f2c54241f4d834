// SPDX-License-Identifier: Apache-2.0
// Checks the judge with the legal-noise engine. Each failure is a defect of the judge or of this
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
  int64_t barely_checked = 0;    // unspecified elements, and those with fewer than two bits checked
  int64_t unlike_reference = 0;  // modules with outputs that differ from the reference in a bit
  double bits_checked_mean = 0;
  Unusual unusual;  // improbable passes; counted only for typical noise
  // Counts of the statistical tests: suspects, elements of tested outputs, and elements that were
  // tested one by one.
  int64_t suspects = 0, tested = 0, swept = 0;
  struct Failure {
    std::string trial;
    uint64_t seed = 0;
    reports::Verdict verdict;
  };
  std::vector<Failure> failures;
  std::vector<std::string> marked;  // a line for each module with an improbable result
};

// The permissions that the noise uses. `facts` are the facts that the engine declares (its option
// `facts`), or "". If `typical`, the noise does not use additions with one-sided errors, and passes
// are searched for improbable results.
struct NoiseMode {
  Profile profile = Profile::kDefault;
  std::string facts;
  bool typical = false;
  bool suspect = false;    // true: tests outputs statistically, and counts suspects
  int64_t partitions = 1;  // sums are divided over up to this many devices
};

// Runs each trial once for each seed in this process.
NoiseReport CheckNoise(const std::vector<Trial>& trials, const NoiseMode& mode,
                       const std::vector<uint64_t>& seeds);
void Merge(const NoiseReport& from, NoiseReport& into);
// Return a failure as a line; print a report as a line, followed by its failures.
std::string NoiseLine(const NoiseReport::Failure& failure);
void PrintNoise(const NoiseReport& report, const std::string& where, std::ostream& out);

// Runs `count` generated modules in child processes, `jobs` at a time. A crash is a failure. Calls
// `tick` with the report so far after every few hundred modules.
NoiseReport CheckNoiseOnGenerated(uint64_t seed, int64_t count, const NoiseMode& mode, int jobs,
                                  const std::function<void(const NoiseReport&)>& tick);

}  // namespace hlocts::tools
