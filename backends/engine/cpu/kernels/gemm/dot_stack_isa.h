// SPDX-License-Identifier: Apache-2.0
// Stacks of matrix products. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_STACK_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_STACK_ISA_H_

#include <algorithm>
#include <atomic>

#include "backends/engine/cpu/kernels/gemm/gemm_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {

// An operand as a stack of matrices of the computing type.
struct Matrices {
  const char* data = nullptr;
  int64_t batch_stride = 0, free_stride = 0, depth_stride = 0;  // in elements
};

struct Sizes {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};

template <typename T>
GemmArgs<T> ArgsOf(const Sizes& sizes, const Matrices& lhs, const Matrices& rhs, SumOf<T>* output) {
  GemmArgs<T> args;
  args.m = sizes.m;
  args.n = sizes.n;
  args.k = sizes.k;
  args.a = reinterpret_cast<const T*>(lhs.data);
  args.a_row = lhs.free_stride;
  args.a_column = lhs.depth_stride;
  args.b = reinterpret_cast<const T*>(rhs.data);
  args.b_row = rhs.depth_stride;
  args.b_column = rhs.free_stride;
  args.c = output;
  args.c_row = sizes.n;
  return args;
}

inline constexpr int64_t kAheadBytes = 1 << 18;  // in the cache beside what is being multiplied

// The operands of a product if they are dense, b before a as Gemm reads them.
template <typename T>
Ahead LinesOf(const GemmArgs<T>& args) {
  const auto lines = [](const T* data, int64_t count) {
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    return Ahead::Lines{reinterpret_cast<const char*>(data),
                        bytes > kAheadBytes ? 0 : bytes / Ahead::kLine};
  };
  Ahead ahead;
  const bool a_dense = args.a_row == args.k || args.a_column == args.m;
  const bool b_dense = args.b_row == args.n || args.b_column == args.k;
  if (b_dense) ahead.now = lines(args.b, args.k * args.n);
  if (a_dense) ahead.later = lines(args.a, args.m * args.k);
  return ahead;
}

// Every product of the stack. Small ones are spread over the pool whole; c_stride may leave gaps.
template <typename T>
absl::Status MultiplyAll(const Parallel& parallel, const GemmArgs<T>& first, int64_t count,
                         int64_t a_stride, int64_t b_stride, int64_t c_stride) {
  const auto number = [&](int64_t i) {
    GemmArgs<T> args = first;
    args.a += i * a_stride;
    args.b += i * b_stride;
    args.c += i * c_stride;
    return args;
  };
  const double cost = GemmNanoseconds(first.m, first.n, first.k, sizeof(T));
  if (count < parallel.threads() || cost > 5e6) {
    for (int64_t i = 0; i < count; ++i) HLOCTS_RETURN_IF_ERROR(Gemm(parallel, number(i)));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  const Parallel one(1);
  parallel.For(count, cost, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      GemmArgs<T> args = number(i);
      Ahead next = i + 1 < end ? LinesOf(number(i + 1)) : Ahead{};
      args.ahead = &next;
      if (!Gemm(one, args).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_STACK_ISA_H_
