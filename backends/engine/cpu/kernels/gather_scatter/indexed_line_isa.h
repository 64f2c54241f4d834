// SPDX-License-Identifier: Apache-2.0
// The indices of an IndexedLine, block by block. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_ISA_H_

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter_line.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/processor.h"
#include "spec/ir/element_width.h"

namespace hlocts::kernels::HLOCTS_ISA {

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

// visit(index) of the unsigned type as wide. A signed index below zero is then beyond LastOf.
template <class Visit>
bool VisitIndexWidth(PrimitiveType type, Visit visit) {
  return VisitIndexType(type,
                        [&](auto index) { return visit(std::make_unsigned_t<decltype(index)>{}); });
}

inline constexpr int64_t kMadeBlock = 8192;     // indices that are made at a time
inline constexpr int64_t kNearBytes = 1 << 18;  // of an operand: it is in a near cache

// The largest place that an index of its type can name.
inline uint64_t LastOf(const IndexedLine& line) {
  uint64_t largest = 0;
  VisitIndexType(line.index_type, [&](auto index) {
    largest = static_cast<uint64_t>(std::numeric_limits<decltype(index)>::max());
    return true;
  });
  return std::min(static_cast<uint64_t>(line.last), largest);
}

// Whether lines are asked for before they are needed: Intel's processors gain 5 to 10 % by it,
// AMD's have as many loads on the way as they can and lose 5 to 15.
inline bool AsksAhead() { return !IsAmd(); }

// visit(indices, first, count): blocks of [begin, end), whose indices stand at `indices`, one every
// line.index_stride elements.
template <int64_t kBlock, typename Index, class Visit>
void ForEachBlock(const IndexedLine& line, int64_t begin, int64_t end, Visit visit) {
  static_assert(kMadeBlock % kBlock == 0);
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

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GATHER_SCATTER_INDEXED_LINE_ISA_H_
