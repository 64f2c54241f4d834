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
  // What the engine promises beyond the documents, and is held to; in the table beside its name.
  void Promise(const std::string& backend, std::vector<std::string> facts);
  // A table per engine: rows are areas, columns verdicts; then every verdict that is not expected.
  std::string ToText() const;
  // JUnit XML: a suite per engine, a case per address; what is expected passes, unsupported is
  // skipped. `problems`, why the run is not complete, are errors: what did not run is not green.
  std::string ToJunit(const std::vector<std::string>& problems = {}) const;
  // The worst exit status of all verdicts.
  int ExitStatus() const;

 private:
  std::map<std::string, std::vector<Verdict>> verdicts_;  // by engine
  std::map<std::string, std::vector<std::string>> promises_;
};

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_SCORECARD_H_
