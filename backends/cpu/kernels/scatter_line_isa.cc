// Scatter of single elements. Per instruction set, because the indices of a block are compared as
// vectors.
#include <algorithm>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "backends/cpu/kernels/indexed_line_isa.h"

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

constexpr int64_t kBlock = 512;  // updates that are picked out at a time
// Updates of a scatter of which threads take a part of the array each.
constexpr int64_t kPartsFrom = 1 << 16, kPartsMax = 8;

// Of a block of indices those from `low` on, at most `reach` beyond it, and their numbers: without
// branches. Returns how many there are.
template <typename Index>
int64_t PickOut(const Index* indices, int64_t stride, int64_t count, Index low, Index reach,
                Index* places, int32_t* numbers) {
  using Unsigned = std::make_unsigned_t<Index>;
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
    picked +=
        static_cast<Unsigned>(index) - static_cast<Unsigned>(low) <= static_cast<Unsigned>(reach);
  }
  return picked;
}

// The updates that fall on elements `low` to `high`, in order. Those of a block are picked out
// first, so that the rest waits for nothing but memory.
template <ScatterKind kKind, typename Index, typename T>
void ScatterPart(const IndexedLine& line, const T* __restrict from, T* __restrict to, Index low,
                 Index high) {
  alignas(64) Index places[kBlock];
  alignas(64) int32_t numbers[kBlock];
  const bool asks = AsksAhead();
  ForEachBlock<kBlock, Index>(
      line, 0, line.count, [&](const Index* indices, int64_t first, int64_t count) {
        const int64_t picked = PickOut(indices, line.index_stride, count, low,
                                       static_cast<Index>(high - low), places, numbers);
        const auto target = [&](int64_t i) -> T& {
          return to[static_cast<int64_t>(places[i]) * line.operand_stride];
        };
        for (int64_t i = 0; asks && i < picked; ++i) __builtin_prefetch(&target(i), 1);
        const T* updates = from + first * line.batched_stride;
        for (int64_t i = 0; i < picked; ++i) {
          T& element = target(i);
          element = Updated<kKind>(element, updates[numbers[i] * line.batched_stride]);
        }
      });
}

template <ScatterKind kKind, typename Index, typename T>
bool ScatterElements(const Parallel& parallel, const IndexedLine& line, const void* updates,
                     void* output) {
  const T* from = static_cast<const T*>(updates);
  T* to = static_cast<T*>(output);
  const uint64_t last = static_cast<uint64_t>(LastOf<Index>(line));
  const int64_t bytes = line.last * line.operand_stride * static_cast<int64_t>(sizeof(T));
  const bool far = line.count >= kPartsFrom && bytes > kNearBytes;
  const int64_t parts = far ? std::min<int64_t>(parallel.threads(), kPartsMax) : 1;
  const uint64_t step = last / static_cast<uint64_t>(parts) + 1;
  parallel.For(parts, 3.0 * static_cast<double>(line.count), [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      const uint64_t low = static_cast<uint64_t>(part) * step;
      const uint64_t high = std::min(last, low + step - 1);
      if (low > last) return;
      ScatterPart<kKind, Index, T>(line, from, to, static_cast<Index>(low),
                                   static_cast<Index>(high));
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
  return VisitIndexType(line.index_type, [&](auto index) {
    using Index = decltype(index);
    if (kind == ScatterKind::kAssign) {
      return VisitElement(StorageBytes(type), [&](auto element) {
        return ScatterElements<ScatterKind::kAssign, Index, decltype(element)>(parallel, line,
                                                                               updates, output);
      });
    }
    switch (type) {
      case PrimitiveType::kF32:
        return ScatterKinds<Index, float>(parallel, line, kind, updates, output);
      case PrimitiveType::kF64:
        return ScatterKinds<Index, double>(parallel, line, kind, updates, output);
      case PrimitiveType::kS32:
        return ScatterKinds<Index, int32_t>(parallel, line, kind, updates, output);
      case PrimitiveType::kU32:
        return ScatterKinds<Index, uint32_t>(parallel, line, kind, updates, output);
      case PrimitiveType::kS64:
        return ScatterKinds<Index, int64_t>(parallel, line, kind, updates, output);
      case PrimitiveType::kU64:
        return ScatterKinds<Index, uint64_t>(parallel, line, kind, updates, output);
      default:
        return false;
    }
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
