// Scatter of single elements. Per instruction set, because the indices of a block are compared as
// vectors.
#include <algorithm>
#include <type_traits>

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

// The updates that fall on elements `low` to `high`, in order. Those of a block are picked out
// first, without branches, so that the rest waits for nothing but memory.
template <ScatterKind kKind, typename Index, typename T>
void ScatterPart(const IndexedLine& line, const T* __restrict from, T* __restrict to, Index low,
                 Index high) {
  using Unsigned = std::make_unsigned_t<Index>;
  const uint64_t stride = static_cast<uint64_t>(line.operand_stride);
  const Unsigned size = static_cast<Unsigned>(high) - static_cast<Unsigned>(low);
  alignas(64) int64_t targets[kBlock];
  alignas(64) int32_t picked[kBlock];
  ForEachBlock<kBlock, Index>(
      line, 0, line.count, [&](const Index* indices, int64_t first, int64_t count) {
        int64_t n = 0;
        for (int64_t i = 0; i < count; ++i) {
          const Index index = indices[i * line.index_stride];
          targets[n] = static_cast<int64_t>(static_cast<uint64_t>(index) * stride);
          picked[n] = static_cast<int32_t>(i);
          n += static_cast<Unsigned>(index) - static_cast<Unsigned>(low) <= size;
        }
        for (int64_t i = 0; i < n; ++i) __builtin_prefetch(to + targets[i], 1);
        const T* updates = from + first * line.batched_stride;
        for (int64_t i = 0; i < n; ++i) {
          T& target = to[targets[i]];
          target = Updated<kKind>(target, updates[picked[i] * line.batched_stride]);
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

template <typename Index>
bool ScatterAssign(const Parallel& parallel, const IndexedLine& line, int bytes,
                   const void* updates, void* output) {
  switch (bytes) {
    case 1:
      return ScatterElements<ScatterKind::kAssign, Index, uint8_t>(parallel, line, updates, output);
    case 2:
      return ScatterElements<ScatterKind::kAssign, Index, uint16_t>(parallel, line, updates,
                                                                    output);
    case 4:
      return ScatterElements<ScatterKind::kAssign, Index, uint32_t>(parallel, line, updates,
                                                                    output);
    case 8:
      return ScatterElements<ScatterKind::kAssign, Index, uint64_t>(parallel, line, updates,
                                                                    output);
    default:
      return ScatterElements<ScatterKind::kAssign, Index, Bytes16>(parallel, line, updates, output);
  }
}

}  // namespace

bool ScatterLineKernel(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                       PrimitiveType type, const void* updates, void* output) {
  return VisitIndexType(line.index_type, [&](auto index) {
    using Index = decltype(index);
    if (kind == ScatterKind::kAssign) {
      return ScatterAssign<Index>(parallel, line, StorageBytes(type), updates, output);
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
