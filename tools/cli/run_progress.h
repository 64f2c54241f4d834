// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a suite run by the cost of its finished cases, not by their number.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "suites/case.h"
#include "suites/costs.h"
#include "tools/cli/terminal.h"

namespace hlocts::tools {

// Prints a line: on a terminal it is overwritten; elsewhere there is one per minute.
class RunProgress {
 public:
  // Every case runs on `engines` engines. If `shown` is false, nothing is printed.
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
  size_t total_, done_ = 0, unexpected_ = 0;
  double cost_total_ = 0, cost_done_ = 0;
  Clock::time_point start_ = Clock::now();
  double next_ = 0;
  std::map<std::string, double> running_;  // start time by address
  StatusLine line_;
};

// A duration as "48 s", "3 min", "1 h 20 min".
std::string SpanText(double seconds);

}  // namespace hlocts::tools
