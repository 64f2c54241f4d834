// SPDX-License-Identifier: Apache-2.0
#include "spec/base/hard_limit.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace hlocts {
namespace {

struct Limits {
  std::mutex mutex;
  std::condition_variable changed;
  std::multiset<HardLimit::Clock::time_point> ends;
  void (*handler)() = nullptr;
};

// Returns the limits of this process. They are never destroyed, because the thread that watches
// them outlives main(). A forked process begins without limits.
Limits& TheLimits() {
  static Limits* limits = new Limits;
  static pid_t owner = getpid();
  if (owner != getpid()) {
    limits = new Limits;
    owner = getpid();
  }
  return *limits;
}

void Watch() {
  Limits& limits = TheLimits();
  std::unique_lock<std::mutex> lock(limits.mutex);
  while (true) {
    if (limits.ends.empty()) {
      limits.changed.wait(lock);
      continue;
    }
    const auto first = *limits.ends.begin();
    if (HardLimit::Clock::now() > first) return limits.handler();
    limits.changed.wait_until(lock, first);
  }
}

}  // namespace

HardLimit::HardLimit(Clock::time_point deadline) : deadline_(deadline) {
  if (deadline_ == Clock::time_point::max()) return;
  deadline_ += std::chrono::microseconds(static_cast<int64_t>(kGraceSeconds * 1e6));
  Limits& limits = TheLimits();
  std::lock_guard<std::mutex> lock(limits.mutex);
  limits.ends.insert(deadline_);
  limits.changed.notify_one();
}

HardLimit::~HardLimit() {
  if (deadline_ == Clock::time_point::max()) return;
  Limits& limits = TheLimits();
  std::lock_guard<std::mutex> lock(limits.mutex);
  if (auto own = limits.ends.find(deadline_); own != limits.ends.end()) limits.ends.erase(own);
}

void HardLimit::SetHandler(void (*handler)()) {
  Limits& limits = TheLimits();
  std::lock_guard<std::mutex> lock(limits.mutex);
  const bool first = limits.handler == nullptr;
  limits.handler = handler;
  if (first) std::thread(Watch).detach();
}

}  // namespace hlocts
