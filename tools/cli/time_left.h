// SPDX-License-Identifier: Apache-2.0
// Estimates how long a run of many cases still takes.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace hlocts::tools {

// The cases are weighed by their known costs, in any unit. The estimate is that of the speed of the
// last kRecentSeconds, since known costs are of another machine and costly cases run first. It is
// at most kMost times that of the whole run's speed, since a few long cases may hold up the others.
class TimeLeft {
 public:
  static constexpr double kRecentSeconds = 15, kMost = 2;

  void Expect(double cost) { total_ += cost; }
  void Finished(double elapsed, double cost) {
    done_ += cost;
    finished_.emplace_back(elapsed, cost);
    recent_ += cost;
  }
  // Returns seconds, or nothing in the first seconds and if nothing finished recently.
  std::optional<double> At(double elapsed) {
    for (; !finished_.empty() && finished_[0].first < elapsed - kRecentSeconds;
         finished_.pop_front())
      recent_ -= finished_[0].second;
    if (elapsed <= 2 || done_ < 0.02 * total_ || finished_.empty()) return std::nullopt;
    return (total_ - done_) *
           std::min(kMost * elapsed / done_, std::min(elapsed, kRecentSeconds) / recent_);
  }

 private:
  double total_ = 0, done_ = 0, recent_ = 0;
  std::deque<std::pair<double, double>> finished_;  // times and costs in the last kRecentSeconds
};

}  // namespace hlocts::tools
