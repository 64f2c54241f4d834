// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gather_scatter/indexed_line.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/ir/element_width.h"
#include "spec/ir/number_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/gather_scatter/indexed_line.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sets to[i] = operand[indices[i]]. Indices are first clamped to [0, last].
void GatherWords(const int32_t* indices, int64_t count, int32_t last, const int32_t* operand,
                 int32_t* to) {
  const hn::ScalableTag<int32_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto at = hn::Max(hn::Zero(d), hn::Min(hn::LoadU(d, indices + i), hn::Set(d, last)));
    hn::StoreU(hn::GatherIndex(d, operand, at), d, to + i);
  }
  for (; i < count; ++i) to[i] = operand[std::clamp(indices[i], 0, last)];
}

// Selects the indices in [low, low + reach], in order. Stores them in `places`, and their positions
// in `numbers`. Returns how many there are. `count` must be a multiple of kPad, and both arrays
// must have kPad additional elements.
int64_t PickWords(const uint32_t* indices, int64_t count, uint32_t low, uint32_t reach,
                  uint32_t* places, uint32_t* numbers) {
  const hn::CappedTag<uint32_t, kPad> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t picked = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const auto index = hn::LoadU(d, indices + i);
    const auto picks = hn::Not(hn::Gt(hn::Sub(index, hn::Set(d, low)), hn::Set(d, reach)));
    hn::StoreU(hn::Compress(index, picks), d, places + picked);
    hn::StoreU(hn::Compress(hn::Iota(d, static_cast<uint32_t>(i)), picks), d, numbers + picked);
    picked += static_cast<int64_t>(hn::CountTrue(d, picks));
  }
  return picked;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(GatherWords);
HWY_EXPORT(PickWords);
namespace {

constexpr int64_t kBlock = 1024;         // indices processed at a time
constexpr int64_t kNearBytes = 1 << 18;  // an output of this size fits in an L2 cache
// The least number of updates that are divided into parts, and the maximum number of parts.
constexpr int64_t kPartsFrom = 1 << 16, kPartsMax = 8;
// The least number of updates for each copy of the output: in total, and per element.
constexpr int64_t kCopyUpdates = 16384, kCopyUpdatesPerElement = 4;

// If the index type has 32 or 64 bits, calls visit(index) with a value of the C++ type.
template <class Visit>
bool VisitIndexType(PrimitiveType type, Visit visit) {
  if (!IsInteger(type) || BitWidth(type) < 32) return false;
  return VisitInteger(type, [&](auto index) {
    if constexpr (sizeof(index) >= 4) return visit(index);
    return false;
  });
}

// Calls visit(indices, first, count) for each block of [begin, end). A block's indices are
// line.index_stride apart.
template <typename Index, class Visit>
void ForEachBlock(const IndexedLine& line, int64_t begin, int64_t end, Visit visit) {
  for (int64_t i = begin; i < end; i += kBlock) {
    const int64_t count = std::min(kBlock, end - i);
    visit(static_cast<const Index*>(line.indices) + i * line.index_stride, i, count);
  }
}

// Returns the smaller of `last` and the largest index of the type.
template <typename Index>
Index LastOf(const IndexedLine& line) {
  const auto largest = static_cast<uint64_t>(std::numeric_limits<Index>::max());
  return static_cast<Index>(std::min(static_cast<uint64_t>(line.last), largest));
}

template <typename Index, typename Element>
void GatherElements(const IndexedLine& line, int64_t begin, int64_t end, const Element* operand,
                    Element* output) {
  const Index last = LastOf<Index>(line);
  ForEachBlock<Index>(line, begin, end, [&](const Index* indices, int64_t first, int64_t count) {
    if constexpr (std::is_same_v<Index, int32_t> && sizeof(Element) == sizeof(int32_t)) {
      if (line.index_stride == 1 && line.operand_stride == 1 && line.batched_stride == 1) {
        return HWY_DYNAMIC_DISPATCH(GatherWords)(indices, count, last,
                                                 reinterpret_cast<const int32_t*>(operand),
                                                 reinterpret_cast<int32_t*>(output + first));
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      const Index at = std::clamp<Index>(indices[i * line.index_stride], 0, last);
      output[(first + i) * line.batched_stride] =
          operand[static_cast<int64_t>(at) * line.operand_stride];
    }
  });
}

// Applies an update. A minimum or maximum returns NaN if an operand is NaN.
template <ScatterKind kKind, typename T>
T Updated(T a, T b) {
  if constexpr (kKind == ScatterKind::kAssign) return b;
  if constexpr (kKind == ScatterKind::kAdd) return a + b;
  if constexpr (kKind == ScatterKind::kMinimum) return a < b || a != a ? a : b;
  if constexpr (kKind == ScatterKind::kMaximum) return a > b || a != a ? a : b;
}

// Returns the neutral element of a kind other than kAssign.
template <ScatterKind kKind, typename T>
T NeutralOf() {
  using Limits = std::numeric_limits<T>;
  if constexpr (kKind == ScatterKind::kMinimum) {
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  } else if constexpr (kKind == ScatterKind::kMaximum) {
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  } else {
    return -T{0};  // for floats -0: unlike +0 it keeps the sign of any zero
  }
}

// Scatters elements. Indices are compared as unsigned, so a negative one is out of bounds.
template <ScatterKind kKind, typename Index, typename T>
class LineScatter {
 public:
  LineScatter(const IndexedLine& line, Index last, const T* from, T* to)
      : line_(line), last_(last), from_(from), to_(to) {}

  void Run(const Parallel& parallel) const {
    const int64_t elements = static_cast<int64_t>(last_) + 1;
    const bool is_near =
        elements * line_.operand_stride * static_cast<int64_t>(sizeof(T)) <= kNearBytes;
    const bool many = line_.count >= kPartsFrom;
    if constexpr (kKind != ScatterKind::kAssign) {  // kAssign keeps only the last update
      if (many && is_near && ToCopies(parallel, elements)) return;
    }
    // For two threads, selecting updates and moving cache lines between cores take too long.
    const bool shares = many && !is_near && parallel.threads() > 2;
    const int64_t parts = shares ? std::min<int64_t>(parallel.threads(), kPartsMax) : 1;
    const auto step = static_cast<Index>(last_ / static_cast<Index>(parts) + 1);
    parallel.For(parts, 3.0 * static_cast<double>(line_.count), [&](int64_t part, int64_t end) {
      for (; part < end; ++part) {
        const Index low = static_cast<Index>(part) * step;
        if (low > last_) continue;
        RunPart(0, line_.count, low, std::min<Index>(last_ - low, step - 1), to_,
                line_.operand_stride);
      }
    });
  }

 private:
  // Applies, in order, those of updates [begin, end) whose element is in [low, low + reach]. Unless
  // these are all elements, first selects the updates of each block, without branches.
  void RunPart(int64_t begin, int64_t end, Index low, Index reach, T* to, int64_t to_stride) const {
    ForEachBlock<Index>(line_, begin, end, [&](const Index* indices, int64_t first, int64_t count) {
      const int64_t gap = line_.batched_stride;
      const T* updates = from_ + first * gap;
      const auto apply = [&](Index place, int64_t number, int64_t stride, int64_t batched_stride) {
        T& element = to[static_cast<int64_t>(place) * stride];
        element = Updated<kKind>(element, updates[number * batched_stride]);
      };
      const auto apply_all = [&](int64_t stride, int64_t batched_stride, int64_t index_stride) {
        for (int64_t i = 0; i < count; ++i) {
          const Index index = indices[i * index_stride];
          if (index <= last_) apply(index, i, stride, batched_stride);
        }
      };
      if (reach == last_) {
        const bool dense = to_stride == 1 && gap == 1 && line_.index_stride == 1;
        return dense ? apply_all(1, 1, 1) : apply_all(to_stride, gap, line_.index_stride);
      }
      Index places[kBlock + kPad];
      uint32_t numbers[kBlock + kPad];
      const int64_t picked = Pick(indices, count, low, reach, places, numbers);
      for (int64_t i = 0; i < picked; ++i) apply(places[i], numbers[i], to_stride, gap);
    });
  }
  int64_t Pick(const Index* indices, int64_t count, Index low, Index reach, Index* places,
               uint32_t* numbers) const {
    int64_t picked = 0, i = 0;
    if constexpr (sizeof(Index) == sizeof(uint32_t)) {
      if (line_.index_stride == 1) {
        i = count / kPad * kPad;
        picked = HWY_DYNAMIC_DISPATCH(PickWords)(indices, i, low, reach, places, numbers);
      }
    }
    for (; i < count; ++i) {
      places[picked] = indices[i * line_.index_stride];
      numbers[picked] = static_cast<uint32_t>(i);
      picked += static_cast<Index>(places[picked] - low) <= reach;
    }
    return picked;
  }

  // Divides the updates into parts. The first part is applied to the output, each other part to a
  // copy that begins with the neutral element. Then the copies are combined with the output.
  // Returns false without an effect if this does not save time. The sizes alone decide this,
  // because the bits of sums depend on the parts.
  bool ToCopies(const Parallel& parallel, int64_t elements) const {
    const int64_t updates = std::max(kCopyUpdates, kCopyUpdatesPerElement * elements);
    const int64_t parts = std::min(line_.count / updates, kPartsMax);
    if (parts < 2) return false;
    const Scratch copies((parts - 1) * elements * static_cast<int64_t>(sizeof(T)));
    if (!copies.ok()) return false;
    const int64_t blocks = (line_.count + kBlock - 1) / kBlock;
    const auto begin_of = [&](int64_t part) {
      return std::min(line_.count, blocks * part / parts * kBlock);
    };
    parallel.For(parts, static_cast<double>(line_.count / parts), [&](int64_t part, int64_t end) {
      for (; part < end; ++part) {
        T* copy = part == 0 ? to_ : copies.As<T>() + (part - 1) * elements;
        if (part > 0) std::fill_n(copy, elements, NeutralOf<kKind, T>());
        RunPart(begin_of(part), begin_of(part + 1), 0, last_, copy,
                part == 0 ? line_.operand_stride : 1);
      }
    });
    for (int64_t i = 0; i < (parts - 1) * elements; ++i) {
      T& element = to_[i % elements * line_.operand_stride];
      element = Updated<kKind>(element, copies.As<T>()[i]);
    }
    return true;
  }

  const IndexedLine& line_;
  const Index last_;
  const T* from_;
  T* to_;
};

}  // namespace

bool GatherLine(const Parallel& parallel, const IndexedLine& line, int bytes, const void* operand,
                void* output) {
  return VisitIndexType(line.index_type, [&](auto index) {
    VisitWidth(bytes, [&](auto element) {
      using Element = decltype(element);
      parallel.For(
          line.count, 3,
          [&](int64_t begin, int64_t end) {
            GatherElements<decltype(index)>(line, begin, end, static_cast<const Element*>(operand),
                                            static_cast<Element*>(output));
          },
          kBlock);
    });
    return true;
  });
}

bool ScatterLine(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                 PrimitiveType type, const void* updates, void* output) {
  return VisitIndexType(line.index_type, [&](auto index) {
    using Index = std::make_unsigned_t<decltype(index)>;
    const auto run = [&]<ScatterKind kKind, typename T>(T) {
      LineScatter<kKind, Index, T>(line, static_cast<Index>(LastOf<decltype(index)>(line)),
                                   static_cast<const T*>(updates), static_cast<T*>(output))
          .Run(parallel);
      return true;
    };
    if (kind == ScatterKind::kAssign) {
      return VisitWidth(StorageBytes(type), [&](auto element) {
        return run.template operator()<ScatterKind::kAssign>(element);
      });
    }
    return VisitNumberType<bool>(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (sizeof(T) < 4) {
        return false;
      } else if (kind == ScatterKind::kMinimum) {
        return run.template operator()<ScatterKind::kMinimum>(zero);
      } else if (kind == ScatterKind::kMaximum) {
        return run.template operator()<ScatterKind::kMaximum>(zero);
      } else if (kind != ScatterKind::kAdd) {
        return false;
      } else if constexpr (std::is_integral_v<T>) {  // unsigned: sums wrap
        return run.template operator()<ScatterKind::kAdd>(std::make_unsigned_t<T>{});
      } else {
        return run.template operator()<ScatterKind::kAdd>(zero);
      }
    });
  });
}

}  // namespace hlocts::kernels
#endif
