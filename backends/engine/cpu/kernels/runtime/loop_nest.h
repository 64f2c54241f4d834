// SPDX-License-Identifier: Apache-2.0
// Nests of strided loops over several arrays. Loops that form a single loop can be merged.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "absl/container/inlined_vector.h"

namespace hlocts::kernels {

// One loop, with `size` steps. Each step advances array k by stride[k].
template <int kArrays>
struct LoopDimension {
  int64_t size = 1;
  std::array<int64_t, kArrays> stride{};
};
template <int kArrays>
using LoopNest = absl::InlinedVector<LoopDimension<kArrays>, 6>;

// Drops loops of size 1, and merges adjacent loops that form a single loop in every array.
template <int kArrays>
LoopNest<kArrays> MergedLoops(const LoopNest<kArrays>& loops) {
  LoopNest<kArrays> merged;
  for (const LoopDimension<kArrays>& loop : loops) {
    if (loop.size == 1) continue;
    bool joins = !merged.empty();
    for (int k = 0; joins && k < kArrays; ++k) {
      joins = merged.back().stride[k] == loop.stride[k] * loop.size;
    }
    if (joins) {
      merged.back().size *= loop.size;
      merged.back().stride = loop.stride;
    } else {
      merged.push_back(loop);
    }
  }
  return merged;
}

// Sorts the loops by the magnitude of the stride of array k. The largest becomes the outermost.
template <int kArrays>
void SortLoops(LoopNest<kArrays>& loops, int k) {
  std::stable_sort(loops.begin(), loops.end(), [k](const auto& a, const auto& b) {
    return std::abs(a.stride[k]) > std::abs(b.stride[k]);
  });
}

template <int kArrays>
int64_t LoopCount(const LoopNest<kArrays>& loops) {
  int64_t count = 1;
  for (const LoopDimension<kArrays>& loop : loops) count *= loop.size;
  return count;
}

// Iterates over the offsets of elements in row-major order, beginning with element `number`.
template <int kArrays>
class LoopWalk {
 public:
  LoopWalk(const LoopNest<kArrays>& loops, int64_t number) : loops_(loops) {
    index_.resize(loops.size());
    for (size_t d = loops.size(); d-- > 0;) {
      index_[d] = number % loops[d].size;
      number /= loops[d].size;
      for (int k = 0; k < kArrays; ++k) offset_[k] += index_[d] * loops[d].stride[k];
    }
  }

  int64_t offset(int k) const { return offset_[k]; }

  void Next() {
    for (size_t d = loops_.size(); d-- > 0;) {
      const LoopDimension<kArrays>& loop = loops_[d];
      const int64_t steps = ++index_[d] < loop.size ? 1 : 1 - loop.size;
      for (int k = 0; k < kArrays; ++k) offset_[k] += steps * loop.stride[k];
      if (steps == 1) return;
      index_[d] = 0;
    }
  }

 private:
  const LoopNest<kArrays>& loops_;
  absl::InlinedVector<int64_t, 6> index_;
  std::array<int64_t, kArrays> offset_{};
};

}  // namespace hlocts::kernels
