// SPDX-License-Identifier: Apache-2.0
// Declares the scorecard: the number of cases by area, operation and verdict, per engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/verdict.h"

namespace hlocts::reports {

class Scorecard {
 public:
  void Add(const Verdict& verdict);
  // Adds the facts that the engine declares, which are printed below its table.
  void Promise(const std::string& backend, std::vector<std::string> facts);
  // Adds an engine that could not be started and ran no case.
  void AddUnavailable(const std::string& backend, EngineError error);
  // Returns, for each engine, a line for every unexpected verdict, a table of areas and verdicts
  // with a legend, the reasons why cases are unsupported, and the number of passes. `verbose` adds
  // the bits that the sets checked, by precision.
  std::string ToText(bool verbose = false) const;
  // Returns, for each engine, the causes of unexpected verdicts, each with all its cases.
  std::string CasesOfCauses() const;
  // Returns a line per engine: "1216 of 1339 pass (90.8%; 96.7% of the 1257 supported); ...".
  std::string Summary() const;
  // Returns JUnit XML with a suite per engine and a case per address. An unexpected verdict is a
  // failure (or an error, if the harness failed). Known failures and unsupported cases are skipped
  // with their texts. An engine that could not be started is one case with an error. The time of a
  // case is that in the engine, as in its record. `started` is a time as UtcNow() returns it.
  // `problems`, the reasons why the run is incomplete, are errors, since a case that did not run
  // has not passed.
  std::string ToJunit(const std::string& started = "",
                      const std::vector<std::string>& problems = {}) const;
  // Returns the worst exit status of the unexpected verdicts: 4 if all are suspect, unless
  // `suspect_fails` makes them failures. An engine that is not available is an error.
  int ExitStatus(bool suspect_fails = false) const;

 private:
  std::map<std::string, std::vector<Verdict>> verdicts_;  // by engine
  std::map<std::string, std::vector<std::string>> promises_;
  std::map<std::string, EngineError> unavailable_;  // by engine
};

// The option of XLA's CPU plugins that sets the number of devices.
inline constexpr char kDevicesOption[] = "?client.cpu_device_count=";
// Returns the reasons why verdicts are unsupported ("52 need 4 devices"), the most frequent first,
// with known remedies. Reasons that differ only in numbers or names of instructions are merged.
std::string UnsupportedReasons(const std::vector<Verdict>& verdicts);

}  // namespace hlocts::reports
