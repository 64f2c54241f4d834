// SPDX-License-Identifier: Apache-2.0
// Scatter of single elements. Per instruction set, because the indices of a block are compared as
// vectors.
#include <algorithm>
#include <limits>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "backends/engine/cpu/kernels/gather_scatter/indexed_line_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/ir/number_type.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

// NaN on either side of a minimum or maximum stays.
template <ScatterKind kKind, typename T>
T Updated(T a, T b) {
  if constexpr (kKind == ScatterKind::kAssign) {
    return b;
  } else if constexpr (kKind == ScatterKind::kAdd) {
    return a + b;
  } else if constexpr (kKind == ScatterKind::kMinimum) {
    return a < b || a != a ? a : b;
  } else {
    return a > b || a != a ? a : b;
  }
}

// What every update of a kind but kAssign leaves as it is.
template <ScatterKind kKind, typename T>
T NeutralOf() {
  using Limits = std::numeric_limits<T>;
  if constexpr (kKind == ScatterKind::kMinimum) {
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  } else if constexpr (kKind == ScatterKind::kMaximum) {
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  } else {
    return -T{0};  // of floats -0, which alone leaves the other zero as it is
  }
}

constexpr int64_t kBlock = 512;  // updates that are picked out at a time
// Updates of a scatter that is done in parts, of the array or of the updates.
constexpr int64_t kPartsFrom = 1 << 16, kPartsMax = 8;
// Updates of a part that goes to a copy of the array, at least; and for each element of the copy.
constexpr int64_t kCopyUpdates = 2 * kMadeBlock, kCopyUpdatesPerElement = 4;

// Indices are unsigned here, whatever their type: half as many loops.
// Of a block of indices those from `low` on, at most `reach` beyond it, and their numbers: without
// branches. Returns how many there are.
template <typename Index>
int64_t PickOut(const Index* indices, int64_t stride, int64_t count, Index low, Index reach,
                Index* places, int32_t* numbers) {
  int64_t picked = 0, i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(Index) == 4) {
    const __m512i first = _mm512_set1_epi32(static_cast<int32_t>(low));
    const __m512i most = _mm512_set1_epi32(static_cast<int32_t>(reach));
    __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (; stride == 1 && i + 16 <= count; i += 16) {
      const __m512i index = _mm512_loadu_si512(indices + i);
      const __mmask16 inside = _mm512_cmple_epu32_mask(_mm512_sub_epi32(index, first), most);
      _mm512_storeu_si512(places + picked, _mm512_maskz_compress_epi32(inside, index));
      _mm512_storeu_si512(numbers + picked, _mm512_maskz_compress_epi32(inside, number));
      number = _mm512_add_epi32(number, _mm512_set1_epi32(16));
      picked += __builtin_popcount(inside);
    }
  }
#endif
  for (; i < count; ++i) {
    const Index index = indices[i * stride];
    places[picked] = index;
    numbers[picked] = static_cast<int32_t>(i);
    picked += index - low <= reach;
  }
  return picked;
}

// Whether all indices of a block lie in that range.
template <typename Index>
bool AllInside(const Index* indices, int64_t count, Index low, Index reach) {
  Index furthest = 0;
  for (int64_t i = 0; i < count; ++i) furthest = std::max<Index>(furthest, indices[i] - low);
  return furthest <= reach;
}

// Which of the updates, and which elements they may fall on.
template <typename Index>
struct ScatterPart {
  int64_t begin, end;
  Index low, high;
};

// The updates of a part, in order. Those of a block are picked out first, so that the rest waits
// for nothing but memory.
template <ScatterKind kKind, typename Index, typename T>
void RunPart(const IndexedLine& line, const ScatterPart<Index>& part, const T* __restrict from,
             T* __restrict to, int64_t to_stride) {
  alignas(64) Index places[kBlock];
  alignas(64) int32_t numbers[kBlock];
  const bool asks = AsksAhead();
  const auto reach = static_cast<Index>(part.high - part.low);
  const auto update = [=](Index place, T value) {
    T& element = to[static_cast<int64_t>(place) * to_stride];
    element = Updated<kKind>(element, value);
  };
  const auto run = [&](const Index* indices, int64_t first, int64_t count) {
    const T* updates = from + first * line.batched_stride;
    if (!asks && line.index_stride == 1 && AllInside(indices, count, part.low, reach)) {
      for (int64_t i = 0; i < count; ++i) update(indices[i], updates[i * line.batched_stride]);
      return;
    }
    const int64_t picked =
        PickOut(indices, line.index_stride, count, part.low, reach, places, numbers);
    for (int64_t i = 0; asks && i < picked; ++i) {
      __builtin_prefetch(&to[static_cast<int64_t>(places[i]) * to_stride], 1);
    }
    for (int64_t i = 0; i < picked; ++i) {
      update(places[i], updates[numbers[i] * line.batched_stride]);
    }
  };
  ForEachBlock<kBlock, Index>(line, part.begin, part.end, run);
}

// How many parts the updates of a small array are done in: by sizes alone, as it changes sums.
inline int64_t CopyParts(const IndexedLine& line, int64_t elements) {
  if (line.count < kPartsFrom) return 1;
  const int64_t updates = std::max(kCopyUpdates, kCopyUpdatesPerElement * elements);
  return std::clamp<int64_t>(line.count / updates, 1, kPartsMax);
}

// The first part of the updates goes to the array, the others to copies that begin with what
// changes nothing, and that are then updates themselves.
template <ScatterKind kKind, typename Index, typename T>
bool ScatterToCopies(const Parallel& parallel, const IndexedLine& line, int64_t parts,
                     const T* from, T* to) {
  const auto last = static_cast<Index>(LastOf(line));
  const int64_t elements = static_cast<int64_t>(last) + 1;
  const Scratch copies((parts - 1) * elements * static_cast<int64_t>(sizeof(T)));
  if (!copies.ok()) return false;
  const int64_t blocks = (line.count + kMadeBlock - 1) / kMadeBlock;
  const auto begin_of = [&](int64_t part) {
    return std::min(line.count, blocks * part / parts * kMadeBlock);
  };
  parallel.For(parts, static_cast<double>(line.count / parts), [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      T* copy = part == 0 ? to : copies.As<T>() + (part - 1) * elements;
      if (part > 0) std::fill_n(copy, elements, NeutralOf<kKind, T>());
      RunPart<kKind, Index, T>(line, {begin_of(part), begin_of(part + 1), Index{0}, last}, from,
                               copy, part == 0 ? line.operand_stride : 1);
    }
  });
  for (int64_t part = 1; part < parts; ++part) {
    const T* copy = copies.As<T>() + (part - 1) * elements;
    for (int64_t i = 0; i < elements; ++i) {
      T& element = to[i * line.operand_stride];
      element = Updated<kKind>(element, copy[i]);
    }
  }
  return true;
}

template <ScatterKind kKind, typename Index, typename T>
bool ScatterElements(const Parallel& parallel, const IndexedLine& line, const void* updates,
                     void* output) {
  const T* from = static_cast<const T*>(updates);
  T* to = static_cast<T*>(output);
  const uint64_t last = LastOf(line);
  const int64_t bytes = line.last * line.operand_stride * static_cast<int64_t>(sizeof(T));
  const bool is_near = bytes <= kNearBytes;
  if constexpr (kKind != ScatterKind::kAssign) {  // of which the last update counts
    const int64_t copies = is_near ? CopyParts(line, static_cast<int64_t>(last) + 1) : 1;
    if (copies > 1) return ScatterToCopies<kKind, Index, T>(parallel, line, copies, from, to);
  }
  const bool splits = line.count >= kPartsFrom && !is_near;
  const int64_t parts = splits ? std::min<int64_t>(parallel.threads(), kPartsMax) : 1;
  const uint64_t step = last / static_cast<uint64_t>(parts) + 1;
  parallel.For(parts, 3.0 * static_cast<double>(line.count), [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      const uint64_t low = static_cast<uint64_t>(part) * step;
      const uint64_t high = std::min(last, low + step - 1);
      if (low > last) return;
      RunPart<kKind, Index, T>(line,
                               {0, line.count, static_cast<Index>(low), static_cast<Index>(high)},
                               from, to, line.operand_stride);
    }
  });
  return true;
}

template <typename Index, typename T>
bool ScatterKinds(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                  const void* updates, void* output) {
  switch (kind) {
    case ScatterKind::kAdd:
      if constexpr (std::is_integral_v<T>) {  // unsigned, so that it wraps
        return ScatterElements<ScatterKind::kAdd, Index, std::make_unsigned_t<T>>(parallel, line,
                                                                                  updates, output);
      } else {
        return ScatterElements<ScatterKind::kAdd, Index, T>(parallel, line, updates, output);
      }
    case ScatterKind::kMinimum:
      return ScatterElements<ScatterKind::kMinimum, Index, T>(parallel, line, updates, output);
    case ScatterKind::kMaximum:
      return ScatterElements<ScatterKind::kMaximum, Index, T>(parallel, line, updates, output);
    default:
      return false;
  }
}

}  // namespace

bool ScatterLineKernel(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                       PrimitiveType type, const void* updates, void* output) {
  return VisitIndexWidth(line.index_type, [&](auto index) {
    using Index = decltype(index);
    if (kind == ScatterKind::kAssign) {
      return VisitWidth(StorageBytes(type), [&](auto element) {
        return ScatterElements<ScatterKind::kAssign, Index, decltype(element)>(parallel, line,
                                                                               updates, output);
      });
    }
    return VisitNumberType<bool>(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (sizeof(T) >= 4) {
        return ScatterKinds<Index, T>(parallel, line, kind, updates, output);
      } else {
        return false;
      }
    });
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
