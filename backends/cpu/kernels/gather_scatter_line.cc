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
constexpr int64_t kGatherBlock = 128, kScatterBlock = 512, kMadeBlock = 2048;
constexpr int64_t kNearBytes = 1 << 18;  // of an operand: no need to ask for its lines early

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
  if (stride == 1 && count == kGatherBlock) {  // vector code
    for (int64_t i = 0; i < kGatherBlock; ++i) to[i] = Clamped(indices[i], last);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = Clamped(indices[i * stride], last);
  }
}

// visit(indices, first, count): blocks of [begin, end), whose indices stand at `indices`.
template <int64_t kBlock, typename Index, class Visit>
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

// Places, and elements from there.
template <bool kDense, typename Index, typename Element>
struct Fetch {
  void Ask(const Index* places, int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) __builtin_prefetch(&At(places[i]));
  }
  void Take(const Index* places, int64_t begin, int64_t end, Element* __restrict to) const {
    for (int64_t i = begin; i < end; ++i) to[i * batched_stride()] = At(places[i]);
  }
  void TakeAndAsk(const Index* places, const Index* next, int64_t count,
                  Element* __restrict to) const {
    for (int64_t i = 0; i < count; ++i) {
      __builtin_prefetch(&At(next[i]));
      to[i * batched_stride()] = At(places[i]);
    }
  }
  const Element& At(Index place) const {
    return operand[static_cast<int64_t>(place) * (kDense ? 1 : line.operand_stride)];
  }
  int64_t batched_stride() const { return kDense ? 1 : line.batched_stride; }

  const IndexedLine& line;
  const Element* __restrict operand;
};

// From far arrays the elements of one block are taken while the lines of the next are asked for.
template <bool kDense, typename Index, typename Element>
void GatherPart(const IndexedLine& line, const Element* operand, Element* output, int64_t begin,
                int64_t end) {
  const Fetch<kDense, Index, Element> fetch = {line, operand};
  const Index last = LastOf<Index>(line);
  const int64_t bytes = line.last * line.operand_stride * static_cast<int64_t>(sizeof(Element));
  const bool far = bytes > kNearBytes;
  alignas(64) Index places[2][kGatherBlock];
  Index *now = places[0], *before = places[1];
  int64_t waiting = 0;  // places of the block before
  Element* to = output;
  ForEachBlock<kGatherBlock, Index>(line, begin, end,
                                    [&](const Index* indices, int64_t first, int64_t count) {
                                      ClampAll(indices, line.index_stride, count, last, now);
                                      Element* here = output + first * fetch.batched_stride();
                                      if (!far) return fetch.Take(now, 0, count, here);
                                      const int64_t both = std::min(count, waiting);
                                      fetch.TakeAndAsk(before, now, both, to);
                                      fetch.Ask(now, both, count);
                                      fetch.Take(before, both, waiting, to);
                                      std::swap(now, before);
                                      waiting = count;
                                      to = here;
                                    });
  fetch.Take(before, 0, waiting, to);
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
  alignas(64) int64_t targets[kScatterBlock];
  alignas(64) int32_t picked[kScatterBlock];
  ForEachBlock<kScatterBlock, Index>(
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
  const bool far = line.last * line.operand_stride * static_cast<int64_t>(sizeof(T)) > kNearBytes;
  const int64_t parts =
      line.count < kPartsFrom || !far ? 1 : std::min<int64_t>(parallel.threads(), kPartsMax);
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

bool ScatterLine(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
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

}  // namespace hlocts::kernels
