// SPDX-License-Identifier: Apache-2.0
// Time limits on work that does not look at the clock (one kernel over a large array): the process
// ends.
#ifndef HLOCTS_SPEC_BASE_HARD_LIMIT_H_
#define HLOCTS_SPEC_BASE_HARD_LIMIT_H_

#include <chrono>

namespace hlocts {

// The scope must end within kGraceSeconds of the deadline; time_point::max(): whenever it likes.
// Work that does look at the clock ends in an orderly way before. Without a handler there is no
// limit.
class HardLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kGraceSeconds = 1;

  explicit HardLimit(Clock::time_point deadline);
  ~HardLimit();
  HardLimit(const HardLimit&) = delete;
  HardLimit& operator=(const HardLimit&) = delete;

  // `handler` is called by a thread of its own and ends the process.
  static void SetHandler(void (*handler)());

 private:
  Clock::time_point deadline_;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_HARD_LIMIT_H_
