// SPDX-License-Identifier: Apache-2.0
// The scorecard: the number of cases by area, operation and verdict, per engine.
#ifndef HLOCTS_REPORTS_SCORECARD_H_
#define HLOCTS_REPORTS_SCORECARD_H_

#include <map>
#include <string>
#include <vector>

#include "reports/verdict.h"

namespace hlocts::reports {

class Scorecard {
 public:
  void Add(const Verdict& verdict);
  // Adds the facts that the engine declares and is held to, printed below its table.
  void Promise(const std::string& backend, std::vector<std::string> facts);
  // An engine that could not be started: no case ran on it.
  void AddUnavailable(const std::string& backend, EngineError error);
  // For each engine: a line for every unexpected verdict; a table with areas as rows and verdicts
  // as columns, with a legend; why cases are unsupported; and last how many pass. `verbose`: the
  // bits that the sets checked, by precision.
  std::string ToText(bool verbose = false) const;
  // The last line of each engine: "1216 of 1339 pass (90.8%; 96.7% of the 1257 supported); ...".
  std::string Summary() const;
  // JUnit XML: a suite per engine, a case per address. An unexpected verdict is a failure (an error
  // of the harness: an error); known failures and unsupported cases are skipped, each with its
  // text; an engine that could not be started is one case with an error. `started`: as UtcNow()
  // writes it. `problems`, the reasons why the run is incomplete, are errors: a case that did not
  // run is not green.
  std::string ToJunit(const std::string& started = "",
                      const std::vector<std::string>& problems = {}) const;
  // The worst exit status of all verdicts.
  int ExitStatus() const;

 private:
  std::map<std::string, std::vector<Verdict>> verdicts_;  // by engine
  std::map<std::string, std::vector<std::string>> promises_;
  std::map<std::string, EngineError> unavailable_;  // by engine
};

// The option of XLA's CPU plugins that sets the number of devices.
inline constexpr char kDevicesOption[] = "?client.cpu_device_count=";
// "52 need 4 devices, the engine has 1": the reasons why verdicts are unsupported, the most
// frequent first, without numbers and names of instructions, and with a remedy where one is known.
std::string UnsupportedReasons(const std::vector<Verdict>& verdicts);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_SCORECARD_H_
