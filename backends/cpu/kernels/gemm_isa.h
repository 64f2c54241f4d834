// Matrix product of strided matrices of one computing type. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_GEMM_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_GEMM_ISA_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "backends/cpu/kernels/dot.h"
#include "backends/cpu/kernels/thread_pool.h"
#include "backends/cpu/kernels/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// What the caller reads after a product, as runs of cache lines to be fetched meanwhile.
struct Ahead {
  static constexpr int64_t kLine = 64;
  struct Lines {
    const char* at = nullptr;
    int64_t count = 0;
  };
  Lines now, later;

  // At most `count` lines; the rest of them stays.
  Lines Take(int64_t count) {
    if (now.count == 0) now = std::exchange(later, {});
    const Lines taken = {now.at, std::min(count, now.count)};
    now.at += taken.count * kLine;
    now.count -= taken.count;
    return taken;
  }
};

enum class GemmUpdate : uint8_t { kAssign, kAdd, kSubtract };

// c[i, j] (=, +=, -=) sum over p of a[i, p] * b[p, j]; strides in elements, c's rows contiguous.
template <typename T>
struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_row = 0, a_column = 1;
  const T* b = nullptr;
  int64_t b_row = 0, b_column = 1;
  T* c = nullptr;
  int64_t c_row = 0;
  GemmUpdate update = GemmUpdate::kAssign;
  Ahead* ahead = nullptr;  // only of products on one thread
  const PartDone* done = nullptr;
};

// The order of additions depends on the sizes alone. T: float, double, uint32_t, uint64_t.
template <typename T>
absl::Status Gemm(const Parallel& parallel, const GemmArgs<T>& args);

// A guess of the time of one product on one thread.
double GemmNanoseconds(int64_t m, int64_t n, int64_t k, int bytes);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_GEMM_ISA_H_
