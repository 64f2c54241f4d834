#include "backends/cpu/kernels/gather_scatter_line.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/scratch.h"

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

// Many updates to a large array by several threads: brought, a chunk at a time, into the order of the
// array's parts, each of which stays in a near cache while its updates are applied, in their order.
template <typename T>
struct Update {
  uint32_t place;
  T value;
};

constexpr int64_t kManyUpdates = 1 << 15, kBatch = 1 << 20, kPartBytes = 1 << 18, kPartsMax = 64;

template <typename Index, typename T>
class UpdatesByPart {
 public:
  UpdatesByPart(const IndexedLine& line, const T* updates) : line_(line), from_(updates) {
    while ((line.last >> shift_) >= kPartsMax || PartBytes() < kPartBytes) ++shift_;
    parts_ = (line.last >> shift_) + 1;
  }
  int64_t parts() const { return parts_; }
  static int64_t Chunks(int64_t count) { return (count + kMadeBlock - 1) / kMadeBlock; }
  static int64_t Bytes() {
    return kBatch * static_cast<int64_t>(sizeof(Update<T>)) + Chunks(kBatch) * (kPartsMax + 1) * 4;
  }
  void Place(char* memory) {
    sorted_ = reinterpret_cast<Update<T>*>(memory);
    starts_ = reinterpret_cast<int32_t*>(memory + kBatch * sizeof(Update<T>));
  }

  // Updates [begin, end), the chunk of the batch with this number.
  void SortChunk(int64_t chunk, int64_t begin, int64_t end) {
    const Index last = LastOf<Index>(line_);
    int32_t counts[kPartsMax + 1] = {};
    int32_t* starts = starts_ + chunk * (kPartsMax + 1);
    alignas(64) Index kept[kMadeBlock];
    ForEachBlock<Index>(line_, begin, end, [&](const Index* indices, int64_t first, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const Index index = kept[first - begin + i] = indices[i * line_.index_stride];
        // What lies outside is counted where nobody looks.
        ++counts[IsInside(index, last) ? static_cast<int64_t>(index) >> shift_ : kPartsMax];
      }
    });
    int32_t at = 0;
    for (int64_t p = 0; p <= kPartsMax; ++p) {
      starts[p] = at;
      at += counts[p];
      counts[p] = starts[p];
    }
    Update<T>* to = sorted_ + chunk * kMadeBlock;
    for (int64_t i = 0; i < end - begin; ++i) {
      const Index index = kept[i];
      const int64_t part = IsInside(index, last) ? static_cast<int64_t>(index) >> shift_ : kPartsMax;
      to[counts[part]++] = {static_cast<uint32_t>(index), from_[(begin + i) * line_.batched_stride]};
    }
  }

  template <ScatterKind kKind>
  void Apply(int64_t part, int64_t chunks, T* output) const {
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const int32_t* starts = starts_ + chunk * (kPartsMax + 1);
      const Update<T>* updates = sorted_ + chunk * kMadeBlock;
      for (int32_t i = starts[part]; i < starts[part + 1]; ++i) {
        T& target = output[static_cast<int64_t>(updates[i].place) * line_.operand_stride];
        target = Updated<kKind>(target, updates[i].value);
      }
    }
  }

 private:
  int64_t PartBytes() const {
    return (std::max<int64_t>(line_.operand_stride, 1) << shift_) *
           static_cast<int64_t>(sizeof(T));
  }

  const IndexedLine& line_;
  const T* from_;
  int shift_ = 0;
  int64_t parts_ = 1;
  Update<T>* sorted_ = nullptr;
  int32_t* starts_ = nullptr;
};

// False where it does not pay (for one thread it does not) or there is no memory for it.
template <ScatterKind kKind, typename Index, typename T>
bool ScatterByParts(const Parallel& parallel, const IndexedLine& line, const T* updates, T* output) {
  if (parallel.threads() == 1 || line.count < kManyUpdates || line.last >= (int64_t{1} << 31)) return false;
  UpdatesByPart<Index, T> by_part(line, updates);
  if (by_part.parts() < 4) return false;
  const Scratch scratch(by_part.Bytes());
  if (!scratch.ok()) return false;
  by_part.Place(scratch.As<char>());
  for (int64_t batch = 0; batch < line.count; batch += kBatch) {
    const int64_t end = std::min(line.count, batch + kBatch), chunks = by_part.Chunks(end - batch);
    parallel.For(chunks, 4.0 * kMadeBlock, [&](int64_t chunk, int64_t stop) {
      for (; chunk < stop; ++chunk) {
        const int64_t first = batch + chunk * kMadeBlock;
        by_part.SortChunk(chunk, first, std::min(end, first + kMadeBlock));
      }
    });
    const double cost = 2.0 * static_cast<double>((end - batch) / by_part.parts());
    parallel.For(by_part.parts(), cost, [&](int64_t part, int64_t stop) {
      for (; part < stop; ++part) by_part.template Apply<kKind>(part, chunks, output);
    });
  }
  return true;
}

template <ScatterKind kKind, typename Index, typename T>
bool ScatterElements(const Parallel& parallel, const IndexedLine& line, const void* updates,
                     void* output) {
  const T* __restrict from = static_cast<const T*>(updates);
  T* __restrict to = static_cast<T*>(output);
  if constexpr (sizeof(T) <= 8) {
    if (ScatterByParts<kKind, Index>(parallel, line, from, to)) return true;
  }
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
bool ScatterKinds(const Parallel& parallel, const IndexedLine& line, ScatterKind kind, const void* updates, void* output) {
  switch (kind) {
    case ScatterKind::kAdd:
      if constexpr (std::is_integral_v<T>) {  // unsigned, so that it wraps
        return ScatterElements<ScatterKind::kAdd, Index, std::make_unsigned_t<T>>(
            parallel, line, updates, output);
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
bool ScatterAssign(const Parallel& parallel, const IndexedLine& line, int bytes, const void* updates, void* output) {
  switch (bytes) {
    case 1:
      return ScatterElements<ScatterKind::kAssign, Index, uint8_t>(parallel, line, updates, output);
    case 2:
      return ScatterElements<ScatterKind::kAssign, Index, uint16_t>(parallel, line, updates, output);
    case 4:
      return ScatterElements<ScatterKind::kAssign, Index, uint32_t>(parallel, line, updates, output);
    case 8:
      return ScatterElements<ScatterKind::kAssign, Index, uint64_t>(parallel, line, updates, output);
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
