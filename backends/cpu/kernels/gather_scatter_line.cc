#include "backends/cpu/kernels/gather_scatter_line.h"

#include <type_traits>

namespace hlocts::kernels {
namespace {

struct Bytes16 {
  uint64_t low, high;
};

// visit(index type) for those of 32 and 64 bits.
template <class Visit>
bool VisitIndexType(PrimitiveType type, Visit visit) {
  switch (type) {
    case PrimitiveType::kS32:
      return visit(int32_t{});
    case PrimitiveType::kU32:
      return visit(uint32_t{});
    case PrimitiveType::kS64:
      return visit(int64_t{});
    case PrimitiveType::kU64:
      return visit(uint64_t{});
    default:
      return false;
  }
}

template <typename Index>
bool IsInside(Index index, int64_t last) {
  if constexpr (std::is_unsigned_v<Index>) {
    return index <= static_cast<uint64_t>(last);
  } else {
    return static_cast<uint64_t>(static_cast<int64_t>(index)) <= static_cast<uint64_t>(last);
  }
}
template <typename Index>
int64_t Clamped(Index index, int64_t last) {
  if constexpr (std::is_unsigned_v<Index>) {
    return static_cast<uint64_t>(index) > static_cast<uint64_t>(last)
               ? last
               : static_cast<int64_t>(index);
  } else {
    const int64_t at = index < 0 ? 0 : static_cast<int64_t>(index);
    return at > last ? last : at;
  }
}

template <bool kDense, typename Index, typename Element>
void GatherPart(const IndexedLine& line, const Element* __restrict operand,
                Element* __restrict output, int64_t begin, int64_t end) {
  const Index* __restrict indices = static_cast<const Index*>(line.indices);
  const int64_t index_stride = kDense ? 1 : line.index_stride;
  const int64_t operand_stride = kDense ? 1 : line.operand_stride;
  const int64_t batched_stride = kDense ? 1 : line.batched_stride;
  const int64_t last = line.last;
  for (int64_t i = begin; i < end; ++i) {
    output[i * batched_stride] =
        operand[Clamped(indices[i * index_stride], last) * operand_stride];
  }
}

template <typename Index, typename Element>
bool GatherElements(const Parallel& parallel, const IndexedLine& line, const void* operand,
                    void* output) {
  const bool dense =
      line.index_stride == 1 && line.operand_stride == 1 && line.batched_stride == 1;
  const auto* from = static_cast<const Element*>(operand);
  auto* to = static_cast<Element*>(output);
  parallel.For(
      line.count, 1.5,
      [&](int64_t begin, int64_t end) {
        dense ? GatherPart<true, Index>(line, from, to, begin, end)
              : GatherPart<false, Index>(line, from, to, begin, end);
      },
      1024);
  return true;
}

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

template <ScatterKind kKind, typename Index, typename T>
bool ScatterElements(const IndexedLine& line, const void* updates, void* output) {
  const Index* __restrict indices = static_cast<const Index*>(line.indices);
  const T* __restrict from = static_cast<const T*>(updates);
  T* __restrict to = static_cast<T*>(output);
  for (int64_t i = 0; i < line.count; ++i) {
    const Index index = indices[i * line.index_stride];
    if (!IsInside(index, line.last)) continue;
    T& target = to[static_cast<int64_t>(index) * line.operand_stride];
    target = Updated<kKind>(target, from[i * line.batched_stride]);
  }
  return true;
}

template <typename Index, typename T>
bool ScatterKinds(const IndexedLine& line, ScatterKind kind, const void* updates, void* output) {
  switch (kind) {
    case ScatterKind::kAdd:
      if constexpr (std::is_integral_v<T>) {  // unsigned, so that it wraps
        return ScatterElements<ScatterKind::kAdd, Index, std::make_unsigned_t<T>>(line, updates,
                                                                                  output);
      } else {
        return ScatterElements<ScatterKind::kAdd, Index, T>(line, updates, output);
      }
    case ScatterKind::kMinimum:
      return ScatterElements<ScatterKind::kMinimum, Index, T>(line, updates, output);
    case ScatterKind::kMaximum:
      return ScatterElements<ScatterKind::kMaximum, Index, T>(line, updates, output);
    default:
      return false;
  }
}

template <typename Index>
bool ScatterAssign(const IndexedLine& line, int bytes, const void* updates, void* output) {
  switch (bytes) {
    case 1:
      return ScatterElements<ScatterKind::kAssign, Index, uint8_t>(line, updates, output);
    case 2:
      return ScatterElements<ScatterKind::kAssign, Index, uint16_t>(line, updates, output);
    case 4:
      return ScatterElements<ScatterKind::kAssign, Index, uint32_t>(line, updates, output);
    case 8:
      return ScatterElements<ScatterKind::kAssign, Index, uint64_t>(line, updates, output);
    default:
      return ScatterElements<ScatterKind::kAssign, Index, Bytes16>(line, updates, output);
  }
}

}  // namespace

bool GatherLine(const Parallel& parallel, const IndexedLine& line, int bytes, const void* operand,
                void* output) {
  return VisitIndexType(line.index_type, [&](auto index) {
    using Index = decltype(index);
    switch (bytes) {
      case 1:
        return GatherElements<Index, uint8_t>(parallel, line, operand, output);
      case 2:
        return GatherElements<Index, uint16_t>(parallel, line, operand, output);
      case 4:
        return GatherElements<Index, uint32_t>(parallel, line, operand, output);
      case 8:
        return GatherElements<Index, uint64_t>(parallel, line, operand, output);
      default:
        return GatherElements<Index, Bytes16>(parallel, line, operand, output);
    }
  });
}

bool ScatterLine(const IndexedLine& line, ScatterKind kind, PrimitiveType type,
                 const void* updates, void* output) {
  return VisitIndexType(line.index_type, [&](auto index) {
    using Index = decltype(index);
    if (kind == ScatterKind::kAssign) {
      return ScatterAssign<Index>(line, StorageBytes(type), updates, output);
    }
    switch (type) {
      case PrimitiveType::kF32:
        return ScatterKinds<Index, float>(line, kind, updates, output);
      case PrimitiveType::kF64:
        return ScatterKinds<Index, double>(line, kind, updates, output);
      case PrimitiveType::kS32:
        return ScatterKinds<Index, int32_t>(line, kind, updates, output);
      case PrimitiveType::kU32:
        return ScatterKinds<Index, uint32_t>(line, kind, updates, output);
      case PrimitiveType::kS64:
        return ScatterKinds<Index, int64_t>(line, kind, updates, output);
      case PrimitiveType::kU64:
        return ScatterKinds<Index, uint64_t>(line, kind, updates, output);
      default:
        return false;
    }
  });
}

}  // namespace hlocts::kernels
