// SPDX-License-Identifier: Apache-2.0
// Estimates the remaining time of a run of many cases.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace hlocts::tools {

// Weighs cases by their known costs, in any unit. Uses the speed in the last kRecentSeconds,
// because known costs are those of another machine and costly cases run first. The estimate is at
// most kMost times the one from the mean speed, since a few long cases may delay the others.
class TimeLeft {
 public:
  static constexpr double kRecentSeconds = 15, kMost = 2;

  void Expect(double cost) { total_ += cost; }
  void Finished(double elapsed, double cost) {
    done_ += cost;
    finished_.emplace_back(elapsed, cost);
    recent_ += cost;
  }
  // Returns seconds. Returns nullopt if no case finished recently, and in the first kRecentSeconds,
  // in which only costly cases run: their speed says little of the cheap ones.
  std::optional<double> At(double elapsed) {
    for (; !finished_.empty() && finished_[0].first < elapsed - kRecentSeconds;
         finished_.pop_front())
      recent_ -= finished_[0].second;
    if (elapsed < kRecentSeconds || done_ < 0.02 * total_ || finished_.empty()) return std::nullopt;
    return (total_ - done_) *
           std::min(kMost * elapsed / done_, std::min(elapsed, kRecentSeconds) / recent_);
  }

 private:
  double total_ = 0, done_ = 0, recent_ = 0;
  std::deque<std::pair<double, double>> finished_;  // times and costs of the last kRecentSeconds
};

}  // namespace hlocts::tools
