// SPDX-License-Identifier: Apache-2.0
// The scorecard: how many cases of each area and operation came out how, per engine.
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
  // What the engine promises beyond the documents, and is held to; below its table.
  void Promise(const std::string& backend, std::vector<std::string> facts);
  // An engine that could not be started: no case ran on it.
  void AddUnavailable(const std::string& backend, EngineError error);
  // Of each engine: a line for every verdict that is not expected; a table, rows are areas, columns
  // verdicts, with a legend; why cases are unsupported; and last how many pass.
  // `verbose`: how sharp the sets were, by precision.
  std::string ToText(bool verbose = false) const;
  // The last line of each engine: "1216 of 1339 pass (90.8%; 96.7% of the 1257 supported); ...".
  std::string Summary() const;
  // JUnit XML: a suite per engine, a case per address. What is not expected is a failure (of the
  // harness: an error), a known failure and what is unsupported are skipped, each with its text; an
  // engine that could not be started is one case with an error. `started`: as UtcNow() writes it.
  // `problems`, why the run is not complete, are errors: what did not run is not green.
  std::string ToJunit(const std::string& started = "",
                      const std::vector<std::string>& problems = {}) const;
  // The worst exit status of all verdicts.
  int ExitStatus() const;

 private:
  std::map<std::string, std::vector<Verdict>> verdicts_;  // by engine
  std::map<std::string, std::vector<std::string>> promises_;
  std::map<std::string, EngineError> unavailable_;  // by engine
};

// How XLA's CPU plugins are given them.
inline constexpr char kDevicesOption[] = "?client.cpu_device_count=";
// "52 need 4 devices, the engine has 1": lines of why verdicts are unsupported, most first, numbers
// and names of instructions put aside; with what helps, where that is known.
std::string UnsupportedReasons(const std::vector<Verdict>& verdicts);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_SCORECARD_H_
