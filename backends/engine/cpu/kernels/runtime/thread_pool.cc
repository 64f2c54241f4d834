// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hlocts::kernels {
namespace {

constexpr int kMaxThreads = 256;
// The number of spins of a worker after its last chunk, so that the next kernel finds it awake.
constexpr int kSpinsBeforeSleep = 400;
// Each thread begins with a slice of the work that is the same for jobs of the same size, so that
// the data of one job are in caches for the next job. Then it processes the other slices. It takes
// 1 / kChunksPerThread of the rest of a slice at a time. Ranges thus become shorter, so that all
// threads end at the same time even if one began late or was delayed.
constexpr int kChunksPerThread = 4;
constexpr int kLeastChunksPerThread = 64;
constexpr double kMinChunkNanoseconds = 4000;

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Returns the calling thread's rounding mode and flushing of subnormals. Workers copy them, because
// a body must run with its caller's settings.
unsigned FloatControl() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3Fu;  // without the exception flags
#else
  return 0;
#endif
}

void SetFloatControl(unsigned control) {
#if defined(__x86_64__)
  if (FloatControl() != control) _mm_setcsr(control);
#endif
}

int MachineThreads() {
  static const int threads = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return threads;
}

struct Job {
  struct alignas(64) Slice {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  const RangeBody* body = nullptr;
  int64_t least = 1, grain = 1;  // least: minimum length of a range, except a slice's last
  int threads = 1;
  unsigned float_control = 0;
  Slice slices[kMaxThreads];

  void SetSlices(int64_t count) {
    const int64_t grains = (count + grain - 1) / grain;
    for (int s = 0; s < threads; ++s) {
      slices[s].next.store(grains * s / threads * grain, std::memory_order_relaxed);
      slices[s].end = std::min(count, grains * (s + 1) / threads * grain);
    }
  }

  // Processes slice `own`, then the other slices.
  void Work(int own) {
    for (int s = 0; s < threads; ++s) {
      Slice& slice = slices[(own + s) % threads];
      int64_t begin = slice.next.load(std::memory_order_relaxed);
      while (begin < slice.end) {
        const int64_t share = (slice.end - begin) / kChunksPerThread / grain * grain;
        const int64_t end = std::min(slice.end, begin + std::max(least, share));
        if (!slice.next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
        (*body)(begin, end);
        begin = slice.next.load(std::memory_order_relaxed);
      }
    }
  }
};

thread_local bool inside_body = false;

// The pool. The caller of a job waits only for workers that have entered the job, not for a worker
// that wakes late or that does not exist after a fork.
class ThreadPool {
 public:
  static ThreadPool& Get() {
    static auto* pool = new ThreadPool();  // never destroyed: its threads outlive main
    return *pool;
  }

  // Runs the job. Returns false if another thread is using the pool.
  bool Run(int threads, int64_t count, int64_t least, int64_t grain, const RangeBody& body) {
    std::unique_lock<std::mutex> lock(busy_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    Grow(threads - 1);
    job_.body = &body;
    job_.least = least;
    job_.grain = grain;
    job_.threads = threads;
    job_.float_control = FloatControl();
    job_.SetSlices(count);
    places_ = threads - 1;
    entered_.store(0, std::memory_order_release);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    inside_body = true;
    job_.Work(0);
    inside_body = false;
    Close();
    return true;
  }

 private:
  static constexpr int kClosed = -1;

  void Grow(int workers) {
    while (started_ < std::min(workers, kMaxThreads)) {
      try {
        std::thread([this, number = started_ + 1] { Worker(number); }).detach();
      } catch (const std::system_error&) {
        return;  // fewer threads are sufficient
      }
      ++started_;
    }
  }

  void Close() {
    for (int spins = 0;; ++spins) {
      int none = 0;
      if (entered_.compare_exchange_weak(none, kClosed, std::memory_order_acq_rel)) return;
      if (spins < kSpinsBeforeSleep) {
        Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  bool Enter() {
    int entered = entered_.load(std::memory_order_acquire);
    while (entered != kClosed && entered < places_) {
      if (entered_.compare_exchange_weak(entered, entered + 1, std::memory_order_acq_rel)) {
        return true;
      }
    }
    return false;
  }

  void Worker(int number) {
    inside_body = true;
    // A new worker must enter the job for which it was created.
    uint64_t seen = epoch_.load(std::memory_order_acquire) - 1;
    for (;;) {
      for (int spins = 0; epoch_.load(std::memory_order_acquire) == seen; ++spins) {
        if (spins < kSpinsBeforeSleep) {
          Pause();
        } else {
          epoch_.wait(seen, std::memory_order_acquire);
        }
      }
      seen = epoch_.load(std::memory_order_acquire);
      if (!Enter()) continue;
      SetFloatControl(job_.float_control);
      job_.Work(number % job_.threads);
      entered_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::mutex busy_;
  Job job_;
  std::atomic<int> places_{0};
  int started_ = 0;
  std::atomic<int> entered_{kClosed};  // number of workers in the job
  std::atomic<uint64_t> epoch_{1};
};

}  // namespace

Parallel::Parallel(int threads)
    : threads_(std::min(threads <= 0 ? MachineThreads() : threads, kMaxThreads)) {}

void Parallel::For(int64_t count, double cost_ns, RangeBody body, int64_t grain) const {
  if (count <= 0) return;
  const double cost = cost_ns * static_cast<double>(count);
  if (threads_ == 1 || inside_body || count <= grain || cost < kWakeNanoseconds) {
    return body(0, count);
  }
  const double pieces =
      std::min<double>(threads_ * kLeastChunksPerThread, cost / kMinChunkNanoseconds);
  int64_t least = std::max<int64_t>(1, static_cast<int64_t>(count / std::max(1.0, pieces)));
  least = (least + grain - 1) / grain * grain;
  if (least >= count || !ThreadPool::Get().Run(threads_, count, least, grain, body)) {
    body(0, count);
  }
}

}  // namespace hlocts::kernels
