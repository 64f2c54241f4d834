// SPDX-License-Identifier: Apache-2.0
// Controls how the calling thread treats subnormal numbers. In the default profile an engine may
// replace subnormal operands and results by zeros. This avoids a hundredfold slowdown on processors
// that handle subnormals in microcode. The thread pool copies the caller's setting to its workers.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hlocts::cpu {

// Enables or disables the flushing of subnormals until the end of the scope.
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
