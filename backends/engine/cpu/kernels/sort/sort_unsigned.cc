// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/sort/sort_unsigned.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "hwy/contrib/sort/vqsort.h"
#include "hwy/targets.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kPart = 1 << 16;        // one thread sorts a shorter run
constexpr int64_t kMergePiece = 1 << 14;  // outputs that one thread merges at a time
constexpr int64_t kInsertionCount = 24;
constexpr double kNanosecondsPerKey = 8;

// While an instance exists, Highway selects 256-bit vectors. AMD's processors compress 512-bit
// vectors by microcode, in more than a hundred cycles, so 32-bit keys are partitioned faster with
// 256-bit vectors. Other kernels that are selected at the same time also get 256-bit vectors, which
// makes them only a little slower.
class In256Bits {
 public:
#if defined(__x86_64__)
  In256Bits() { Choose(HWY_AVX3 | HWY_AVX3_DL); }
  ~In256Bits() { Choose(0); }
#else
  In256Bits() {}
#endif
  In256Bits(const In256Bits&) = delete;
  In256Bits& operator=(const In256Bits&) = delete;

#if defined(__x86_64__)
 private:
  static void Choose(int64_t without) {
    static const bool slow = __builtin_cpu_is("amd");
    if (slow) hwy::GetChosenTarget().Update(hwy::SupportedTargets() & ~without);
  }
#endif
};

template <typename U>
void SortPart(U* keys, int64_t count) {
  if (count <= kInsertionCount) {
    std::sort(keys, keys + count);
  } else if constexpr (sizeof(U) == 1) {
    int64_t counts[256] = {};
    for (int64_t i = 0; i < count; ++i) ++counts[keys[i]];
    for (int value = 0; value < 256; ++value) {
      std::memset(keys, value, counts[value]);
      keys += counts[value];
    }
  } else if constexpr (sizeof(U) == 16) {
    static_assert(sizeof(hwy::uint128_t) == 16);
    hwy::Sorter()(reinterpret_cast<hwy::uint128_t*>(keys), count, hwy::SortAscending());
  } else if constexpr (sizeof(U) == 8) {
    hwy::Sorter()(keys, count, hwy::SortAscending());
  } else {
    const In256Bits in_256_bits;
    hwy::Sorter()(keys, count, hwy::SortAscending());
  }
}

// Returns how many of the first `rank` merged keys come from `a`.
template <typename U>
int64_t MergeSplit(const U* a, int64_t a_count, const U* b, int64_t b_count, int64_t rank) {
  int64_t low = std::max<int64_t>(0, rank - b_count), high = std::min(rank, a_count);
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (b[rank - middle - 1] < a[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Two sorted runs that are merged into `to`.
template <typename U>
struct Merge {
  const U *a, *a_end, *b, *b_end;
  U* to;

  bool HasBoth() const { return a != a_end && b != b_end; }
  void Step() {
    const bool take_b = *b < *a;
    *to++ = take_b ? *b : *a;
    b += take_b;
    a += !take_b;
  }
  void Finish() {
    while (HasBoth()) Step();
    to = std::copy(a, a_end, to);
    std::copy(b, b_end, to);
  }
};

// Merges each pair of adjacent runs of `run` keys of `from` into `to`. The pairs are divided into
// pieces, which the threads of the pool merge.
template <typename U>
void MergeRound(const Parallel& parallel, const U* from, U* to, int64_t count, int64_t run) {
  const int64_t pieces = (count + kMergePiece - 1) / kMergePiece;
  parallel.For(pieces, 2.0 * kMergePiece, [&](int64_t piece, int64_t end) {
    for (; piece < end; ++piece) {
      const int64_t first = piece * kMergePiece, last = std::min(count, first + kMergePiece);
      const int64_t pair = first / (2 * run) * (2 * run);  // no piece is in two pairs
      const U* a = from + pair;
      const int64_t a_count = std::min(run, count - pair);
      const U* b = a + a_count;
      const int64_t b_count = std::min(run, count - pair - a_count);
      // Merges both halves of the piece in one loop, because the steps of one merge are sequential.
      const int64_t ranks[] = {first - pair, (first + last) / 2 - pair, last - pair};
      int64_t from_a[3];
      for (int i = 0; i < 3; ++i) from_a[i] = MergeSplit(a, a_count, b, b_count, ranks[i]);
      const auto half = [&](int i) {
        return Merge<U>{a + from_a[i], a + from_a[i + 1], b + (ranks[i] - from_a[i]),
                        b + (ranks[i + 1] - from_a[i + 1]), to + pair + ranks[i]};
      };
      Merge<U> low = half(0), high = half(1);
      while (low.HasBoth() && high.HasBoth()) {
        low.Step();
        high.Step();
      }
      low.Finish();
      high.Finish();
    }
  });
}

}  // namespace

template <typename U>
absl::Status SortUnsigned(const Parallel& parallel, U* keys, int64_t count) {
  if (sizeof(U) == 1 || parallel.threads() == 1 || count < 2 * kPart) {
    SortPart(keys, count);
    return absl::OkStatus();
  }
  int64_t parts = 2;
  while (parts < parallel.threads() && count / parts > kPart) parts *= 2;
  // Run lengths are multiples of a merge piece, so that each piece is in one pair of runs.
  int64_t run = ((count + parts - 1) / parts + kMergePiece - 1) / kMergePiece * kMergePiece;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(U));
  const Scratch other(bytes);
  if (!other.ok()) return OutOfScratch(bytes);
  int64_t rounds = 0;
  for (int64_t merged = run; merged < count; merged *= 2) ++rounds;
  // Selects the first buffer so that the last round writes to `keys`.
  U *from = keys, *to = other.As<U>();
  if (rounds % 2 == 1) std::swap(from, to);
  parallel.For((count + run - 1) / run, kNanosecondsPerKey * run, [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      const int64_t first = part * run, size = std::min(run, count - first);
      if (from != keys) std::memcpy(from + first, keys + first, size * sizeof(U));
      SortPart(from + first, size);
    }
  });
  for (; run < count; run *= 2, std::swap(from, to)) MergeRound(parallel, from, to, count, run);
  return absl::OkStatus();
}

template absl::Status SortUnsigned(const Parallel&, uint8_t*, int64_t);
template absl::Status SortUnsigned(const Parallel&, uint16_t*, int64_t);
template absl::Status SortUnsigned(const Parallel&, uint32_t*, int64_t);
template absl::Status SortUnsigned(const Parallel&, uint64_t*, int64_t);
template absl::Status SortUnsigned(const Parallel&, Uint128*, int64_t);

}  // namespace hlocts::kernels
