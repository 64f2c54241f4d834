// SPDX-License-Identifier: Apache-2.0
// Time limits for work that does not check the clock (one kernel over a large array): the process
// ends.
#ifndef HLOCTS_SPEC_BASE_HARD_LIMIT_H_
#define HLOCTS_SPEC_BASE_HARD_LIMIT_H_

#include <chrono>

namespace hlocts {

// The scope must end within kGraceSeconds of the deadline; time_point::max() means no deadline.
// Work that checks the clock ends before that in an orderly way. Without a handler there is no
// limit.
class HardLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kGraceSeconds = 1;

  explicit HardLimit(Clock::time_point deadline);
  ~HardLimit();
  HardLimit(const HardLimit&) = delete;
  HardLimit& operator=(const HardLimit&) = delete;

  // `handler` is called on its own thread and must end the process.
  static void SetHandler(void (*handler)());

 private:
  Clock::time_point deadline_;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_HARD_LIMIT_H_
