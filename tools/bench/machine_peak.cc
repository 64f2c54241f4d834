// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/machine_peak.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hlocts::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 40;
constexpr int64_t kSteps = 200000;
constexpr int kChains = 12;  // more than a multiply-add takes cycles on two ports
constexpr size_t kCopyBytes = size_t{48} << 20;

// Runs kSteps times kChains multiply-adds that depend on nothing but their own chain; returns how
// many operations these are. `sink` keeps the compiler from dropping them.
using Chains = double (*)(float* sink);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) double ChainsOf16(float* sink) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(0.5f);
  const __m512 factor = _mm512_set1_ps(0.9999f), term = _mm512_set1_ps(0.1f);
  for (int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_fmadd_ps(sums[c], factor, term);
  }
  for (int c = 0; c < kChains; ++c) _mm512_storeu_ps(sink + 16 * c, sums[c]);
  return 2.0 * 16 * kChains * kSteps;
}
__attribute__((target("avx2,fma"))) double ChainsOf8(float* sink) {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(0.5f);
  const __m256 factor = _mm256_set1_ps(0.9999f), term = _mm256_set1_ps(0.1f);
  for (int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = _mm256_fmadd_ps(sums[c], factor, term);
  }
  for (int c = 0; c < kChains; ++c) _mm256_storeu_ps(sink + 16 * c, sums[c]);
  return 2.0 * 8 * kChains * kSteps;
}
#endif

Chains ChainsHere() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return ChainsOf16;
  if (__builtin_cpu_supports("fma")) return ChainsOf8;
#endif
  return nullptr;
}

// The cores that this process may use.
int UsableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// The best rate of each thread, all running side by side, added up. work: thread -> how much it
// did.
double BestRates(int threads, const std::function<double(int)>& work) {
  std::vector<double> best(static_cast<size_t>(threads), 0);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        const auto start = Clock::now();
        const double done = work(t);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        best[static_cast<size_t>(t)] = std::max(best[static_cast<size_t>(t)], done / seconds);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return std::accumulate(best.begin(), best.end(), 0.0);
}

}  // namespace

MachinePeak MeasureMachinePeak() {
  MachinePeak peak;
  peak.threads = UsableCores();
  const size_t count = static_cast<size_t>(peak.threads);
  std::vector<std::vector<float>> sinks(count, std::vector<float>(16 * kChains));
  if (const Chains chains = ChainsHere(); chains != nullptr) {
    peak.flops = BestRates(peak.threads,
                           [&](int t) { return chains(sinks[static_cast<size_t>(t)].data()); });
  }
  std::vector<std::vector<char>> from(count, std::vector<char>(kCopyBytes, 1)), to = from;
  peak.copy_bytes = BestRates(peak.threads, [&](int t) {
    std::memcpy(to[static_cast<size_t>(t)].data(), from[static_cast<size_t>(t)].data(), kCopyBytes);
    return 2.0 * kCopyBytes;
  });
  return peak;
}

}  // namespace hlocts::tools
