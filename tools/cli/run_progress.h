// SPDX-License-Identifier: Apache-2.0
// Progress of a run of the suite, measured by the cost of its cases, not by their number.
#ifndef HLOCTS_TOOLS_CLI_RUN_PROGRESS_H_
#define HLOCTS_TOOLS_CLI_RUN_PROGRESS_H_

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "suites/case.h"
#include "suites/costs.h"
#include "tools/cli/terminal.h"

namespace hlocts::tools {

// On a terminal a line that is overwritten; elsewhere a line a minute.
class RunProgress {
 public:
  // Every case runs on `engines` engines. `shown`: false prints nothing.
  RunProgress(const std::vector<suites::Case>& cases, size_t engines,
              const suites::CaseCosts& costs, bool shown);
  void Began(const std::string& address);
  void Step(const std::string& address, bool surprise);
  void Clear() { line_.Clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  int64_t CostOf(const std::string& address) const;
  double Elapsed() const;
  std::string Text(double elapsed) const;

  const suites::CaseCosts& costs_;
  bool shown_;
  size_t total_, done_ = 0, surprises_ = 0;
  double cost_total_ = 0, cost_done_ = 0;
  Clock::time_point start_ = Clock::now();
  double next_ = 0;
  std::map<std::string, double> running_;  // start time, by address
  StatusLine line_;
};

// "48 s", "3 min", "1 h 20 min".
std::string SpanText(double seconds);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_RUN_PROGRESS_H_
