// SPDX-License-Identifier: Apache-2.0
// Time limits for work that does not check the clock, such as one kernel over a large array. The
// process terminates when a limit is exceeded.
#pragma once

#include <chrono>

namespace hlocts {

// Ends the process if this object still exists kGraceSeconds after the deadline. Until then, work
// that checks the clock can end in an orderly way. time_point::max() means no deadline. Without a
// handler there is no limit.
class HardLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kGraceSeconds = 1;

  explicit HardLimit(Clock::time_point deadline);
  ~HardLimit();
  HardLimit(const HardLimit&) = delete;
  HardLimit& operator=(const HardLimit&) = delete;

  // Sets the function that terminates the process. It is called on a separate thread.
  static void SetHandler(void (*handler)());

 private:
  Clock::time_point deadline_;
};

}  // namespace hlocts
