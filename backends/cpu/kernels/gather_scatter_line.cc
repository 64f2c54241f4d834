#include "backends/cpu/kernels/gather_scatter_line.h"

#include <algorithm>
#include <limits>
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

// Elements whose addresses are known before any is asked for, and indices that are made at a time.
constexpr int64_t kBlock = 512, kMadeBlock = 2048;
constexpr int64_t kNearBytes = 1 << 18;  // of an operand: no need to ask for its lines early

template <typename Index>
bool IsInside(Index index, Index last) {
  return static_cast<std::make_unsigned_t<Index>>(index) <=
         static_cast<std::make_unsigned_t<Index>>(last);
}
template <typename Index>
Index Clamped(Index index, Index last) {
  const Index at = index > 0 ? index : Index{0};
  return at > last ? last : at;
}
// The largest place that an index of this type can name.
template <typename Index>
Index LastOf(const IndexedLine& line) {
  const auto largest = static_cast<uint64_t>(std::numeric_limits<Index>::max());
  return static_cast<Index>(std::min(static_cast<uint64_t>(line.last), largest));
}

template <typename Index>
void ClampAll(const Index* __restrict indices, int64_t stride, int64_t count, Index last,
              Index* __restrict to) {
  if (stride == 1 && count == kBlock) {  // vector code
    for (int64_t i = 0; i < kBlock; ++i) to[i] = Clamped(indices[i], last);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = Clamped(indices[i * stride], last);
  }
}

// visit(indices, first, count): blocks of [begin, end), whose indices stand at `indices`.
template <typename Index, class Visit>
void ForEachBlock(const IndexedLine& line, int64_t begin, int64_t end, Visit visit) {
  if (line.make == nullptr) {
    const Index* indices = static_cast<const Index*>(line.indices);
    for (int64_t i = begin; i < end; i += kBlock) {
      visit(indices + i * line.index_stride, i, std::min(kBlock, end - i));
    }
    return;
  }
  alignas(64) Index made[kMadeBlock];
  for (int64_t at = begin; at < end; at += kMadeBlock) {
    const int64_t stop = std::min(end, at + kMadeBlock);
    (*line.make)(at, stop, made);
    for (int64_t i = at; i < stop; i += kBlock) {
      visit(made + (i - at), i, std::min(kBlock, stop - i));
    }
  }
}

// Places of a block, and their lines on the way when they may be far.
template <typename Index, typename Element>
void FindPlaces(const IndexedLine& line, const Index* indices, int64_t count,
                const Element* operand, Index* places) {
  const Index last = LastOf<Index>(line);
  ClampAll(indices, line.index_stride, count, last, places);
  const int64_t stride = line.operand_stride;
  if (line.last * stride * static_cast<int64_t>(sizeof(Element)) <= kNearBytes) return;
  for (int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(operand + static_cast<int64_t>(places[i]) * stride);
  }
}

template <bool kDense, typename Index, typename Element>
void GatherPart(const IndexedLine& line, const Element* __restrict operand,
                Element* __restrict output, int64_t begin, int64_t end) {
  const int64_t operand_stride = kDense ? 1 : line.operand_stride;
  const int64_t batched_stride = kDense ? 1 : line.batched_stride;
  alignas(64) Index places[kBlock];
  ForEachBlock<Index>(line, begin, end, [&](const Index* indices, int64_t first, int64_t count) {
    FindPlaces(line, indices, count, operand, places);
    Element* to = output + first * batched_stride;
    for (int64_t i = 0; i < count; ++i) {
      to[i * batched_stride] = operand[static_cast<int64_t>(places[i]) * operand_stride];
    }
  });
}

template <typename Index, typename Element>
bool GatherElements(const Parallel& parallel, const IndexedLine& line, const void* operand,
                    void* output) {
  const bool dense = line.operand_stride == 1 && line.batched_stride == 1;
  const auto* from = static_cast<const Element*>(operand);
  auto* to = static_cast<Element*>(output);
  parallel.For(
      line.count, 3,
      [&](int64_t begin, int64_t end) {
        dense ? GatherPart<true, Index>(line, from, to, begin, end)
              : GatherPart<false, Index>(line, from, to, begin, end);
      },
      kMadeBlock);
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
  const T* __restrict from = static_cast<const T*>(updates);
  T* __restrict to = static_cast<T*>(output);
  const Index last = LastOf<Index>(line);
  alignas(64) Index places[kBlock];
  ForEachBlock<Index>(line, 0, line.count, [&](const Index* indices, int64_t first, int64_t count) {
    FindPlaces(line, indices, count, to, places);
    for (int64_t i = 0; i < count; ++i) {
      if (!IsInside(indices[i * line.index_stride], last)) continue;
      T& target = to[static_cast<int64_t>(places[i]) * line.operand_stride];
      target = Updated<kKind>(target, from[(first + i) * line.batched_stride]);
    }
  });
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
