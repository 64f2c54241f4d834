// SPDX-License-Identifier: Apache-2.0
// Counter-based generators on consecutive counters. Counters are processed independently, so the
// compiler vectorizes the loops.
#include "backends/engine/cpu/kernels/random/random.h"

#include <algorithm>

#include "backends/engine/cpu/kernels/random/random_blocks.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "spec/ir/element_width.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kBlock = kRandomBlock;

// Computes 20 rounds of ThreeFry2x32 on the counters first, first + 1, ...
void ThreeFryBlock(uint64_t key, uint64_t first, uint32_t* __restrict x, uint32_t* __restrict y) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t schedule[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  for (int64_t i = 0; i < kBlock; ++i) {
    const uint64_t counter = first + static_cast<uint64_t>(i);
    uint32_t a = static_cast<uint32_t>(counter) + schedule[0];
    uint32_t b = static_cast<uint32_t>(counter >> 32) + schedule[1];
    for (int round = 0; round < 20; ++round) {
      const int by = kRotations[round % 8];
      a += b;
      b = (b << by | b >> (32 - by)) ^ a;
      if (round % 4 == 3) {
        const uint32_t injection = static_cast<uint32_t>(round) / 4 + 1;
        a += schedule[injection % 3];
        b += schedule[(injection + 1) % 3] + injection;
      }
    }
    x[i] = a;
    y[i] = b;
  }
}

void StoreWord(int bytes, uint64_t word, void* output, int64_t i) {
  VisitUnsigned(bytes, [&](auto zero) {
    using T = decltype(zero);
    static_cast<T*>(output)[i] = static_cast<T>(word);
  });
}

// Generates 64-bit elements, one for each counter.
void ThreeFryWide(const Parallel& parallel, const RandomBitsRequest& r, int64_t count) {
  ForRandomBlocks(parallel, count, kBlock, [&](int64_t first, int64_t n) {
    uint32_t x[kBlock], y[kBlock];
    ThreeFryBlock(r.key, r.counter[0] + static_cast<uint64_t>(first), x, y);
    uint64_t* to = static_cast<uint64_t*>(r.output) + first;
    for (int64_t i = 0; i < n; ++i) to[i] = x[i] | static_cast<uint64_t>(y[i]) << 32;
  });
}

// The layout of elements of less than 64 bits, which are generated in pairs along dimension `split`
// of [outer, split, inner]. Counter (o, s, i) of [outer, (split + 1) / 2, inner] yields the
// elements 2*s and 2*s + 1 of dimension `split`.
struct Pairs {
  int64_t outer = 1, split = 1, inner = 1;
};

Pairs PairsOf(absl::Span<const int64_t> dimensions) {
  size_t split = 0;
  while (split < dimensions.size() && dimensions[split] % 2 != 0) ++split;
  if (split == dimensions.size()) {
    split = std::max_element(dimensions.begin(), dimensions.end()) - dimensions.begin();
  }
  Pairs pairs;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    (d < split ? pairs.outer : d == split ? pairs.split : pairs.inner) *= dimensions[d];
  }
  return pairs;
}

// Stores pairs one after another.
template <typename T>
void StorePairs(const uint32_t* x, const uint32_t* y, int64_t pairs, T* __restrict to) {
  for (int64_t i = 0; i < pairs; ++i) {
    to[2 * i] = static_cast<T>(x[i]);
    to[2 * i + 1] = static_cast<T>(y[i]);
  }
}

void StorePairs(int bytes, const uint32_t* x, const uint32_t* y, int64_t pairs, int64_t at,
                void* output) {
  VisitUnsigned(bytes, [&](auto zero) {
    StorePairs(x, y, pairs, static_cast<decltype(zero)*>(output) + at);
  });
}

int64_t ThreeFryPairs(const Parallel& parallel, const RandomBitsRequest& r, int bytes) {
  const Pairs pairs = PairsOf(r.dimensions);
  const int64_t half = (pairs.split + 1) / 2, count = pairs.outer * half * pairs.inner;
  ForRandomBlocks(parallel, count, kBlock, [&](int64_t first, int64_t n) {
    uint32_t x[kBlock], y[kBlock];
    ThreeFryBlock(r.key, r.counter[0] + static_cast<uint64_t>(first), x, y);
    if (pairs.inner == 1 && pairs.split % 2 == 0) {
      return StorePairs(bytes, x, y, n, 2 * first, r.output);
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t counter = first + i, rest = counter / pairs.inner;
      const int64_t s = 2 * (rest % half), row = rest / half * pairs.split + s;
      const int64_t at = row * pairs.inner + counter % pairs.inner;
      StoreWord(bytes, x[i], r.output, at);
      if (s + 1 < pairs.split) StoreWord(bytes, y[i], r.output, at + pairs.inner);
    }
  });
  return count;
}

int64_t Philox(const Parallel& parallel, const RandomBitsRequest& r, int bytes, int64_t count) {
  const int64_t per_counter = bytes == 8 ? 2 : 4,
                counters = (count + per_counter - 1) / per_counter;
  ForRandomBlocks(parallel, counters, kBlock, [&](int64_t first, int64_t n) {
    uint32_t words[4][kBlock];
    const uint64_t low = r.counter[0] + static_cast<uint64_t>(first);
    PhiloxBlock(r.key, low, r.counter[1] + (low < r.counter[0] ? 1 : 0), words);
    if (bytes == 4 && (first + n) * 4 <= count) {
      uint32_t* __restrict to = static_cast<uint32_t*>(r.output) + first * 4;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t k = 0; k < 4; ++k) to[4 * i + k] = words[k][i];
      }
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < per_counter; ++k) {
        const int64_t at = (first + i) * per_counter + k;
        if (at >= count) return;
        const uint64_t word =
            bytes == 8 ? words[2 * k][i] | static_cast<uint64_t>(words[2 * k + 1][i]) << 32
                       : words[k][i];
        StoreWord(bytes, word, r.output, at);
      }
    }
  });
  return counters;
}

void Generate(const Parallel& parallel, const RandomBitsRequest& request, int64_t count) {
  const int bytes = StorageBytes(request.type);
  if (request.algorithm == RandomAlgorithm::kPhilox) {
    Philox(parallel, request, bytes, count);
  } else if (bytes == 8) {
    ThreeFryWide(parallel, request, count);
  } else if (request.dimensions.empty()) {
    uint32_t x[kBlock], y[kBlock];
    ThreeFryBlock(request.key, request.counter[0], x, y);
    StoreWord(bytes, x[0], request.output, 0);
  } else {
    ThreeFryPairs(parallel, request, bytes);
  }
}

// Returns the number of counters that are used.
uint64_t Steps(const RandomBitsRequest& request, int64_t count) {
  const bool wide = StorageBytes(request.type) == 8;
  if (request.algorithm == RandomAlgorithm::kPhilox) {
    const int64_t per_counter = wide ? 2 : 4;
    return static_cast<uint64_t>((count + per_counter - 1) / per_counter);
  }
  if (wide || request.dimensions.empty()) return static_cast<uint64_t>(count);
  // The first dimension of even size, or else the largest one, is halved, rounding up.
  int64_t largest = 1;
  for (int64_t size : request.dimensions) {
    if (size % 2 == 0) return static_cast<uint64_t>(count / 2);
    largest = std::max(largest, size);
  }
  return static_cast<uint64_t>(count / largest * ((largest + 1) / 2));
}

}  // namespace

absl::StatusOr<uint64_t> RandomBits(const Parallel& parallel, const RandomBitsRequest& request) {
  if (!IsArrayType(request.type) || IsComplex(request.type) || IsSubByte(request.type)) {
    return Unsupported("random bits of ", PrimitiveTypeName(request.type), " are not supported");
  }
  int64_t count = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(request.dimensions, count));
  if (count > 0) Generate(parallel, request, count);
  return Steps(request, count);
}

}  // namespace hlocts::kernels
