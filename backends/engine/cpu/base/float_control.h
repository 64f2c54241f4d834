// SPDX-License-Identifier: Apache-2.0
// Scoped control of how the calling thread treats subnormal numbers. The default profile lets an
// engine treat subnormal operands and results as zeros. This avoids a hundredfold slowdown on
// processors that handle them in microcode. The thread pool applies the caller's setting to its
// workers.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hlocts::cpu {

// Turns flushing of subnormals on or off until the end of the scope.
class ScopedFlush {
 public:
#if defined(__x86_64__)
  explicit ScopedFlush(bool flush) : before_(_mm_getcsr()) {
    constexpr unsigned kFlush = 0x8040;  // flush results and operands
    const unsigned wanted = flush ? before_ | kFlush : before_ & ~kFlush;
    changed_ = wanted != before_;
    if (changed_) _mm_setcsr(wanted);
  }
  ~ScopedFlush() {
    if (changed_) _mm_setcsr(before_);
  }

 private:
  unsigned before_;
  bool changed_;
#else
  explicit ScopedFlush(bool) {}
#endif
  ScopedFlush(const ScopedFlush&) = delete;
  ScopedFlush& operator=(const ScopedFlush&) = delete;
};

}  // namespace hlocts::cpu
