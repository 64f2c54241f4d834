// SPDX-License-Identifier: Apache-2.0
// Gather of single elements. Per instruction set, because the indices of a block are clamped as
// vectors.
#include <algorithm>
#include <utility>

#include "backends/engine/cpu/kernels/gather_scatter/indexed_line_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kGatherBlock = 128;  // elements whose addresses are known before any is asked for

template <typename Index>
Index Clamped(Index index, Index last) {
  const Index at = index > 0 ? index : Index{0};
  return at > last ? last : at;
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

// Elements straight from their places.
template <bool kDense, typename Index, typename Element>
void TakePart(const IndexedLine& line, const Fetch<kDense, Index, Element>& fetch, Element* output,
              int64_t begin, int64_t end) {
  const auto last = static_cast<Index>(LastOf(line));
  alignas(64) Index places[kGatherBlock];
  const auto take = [&](const Index* indices, int64_t first, int64_t count) {
    ClampAll(indices, line.index_stride, count, last, places);
    fetch.Take(places, 0, count, output + first * fetch.batched_stride());
  };
  ForEachBlock<kGatherBlock, Index>(line, begin, end, take);
}

// The elements of one block are taken while the lines of the next are asked for.
template <bool kDense, typename Index, typename Element>
void AskAndTakePart(const IndexedLine& line, const Fetch<kDense, Index, Element>& fetch,
                    Element* output, int64_t begin, int64_t end) {
  const auto last = static_cast<Index>(LastOf(line));
  alignas(64) Index places[2][kGatherBlock];
  Index *now = places[0], *before = places[1];
  int64_t waiting = 0;  // places of the block before
  Element* to = output;
  const auto take = [&](const Index* indices, int64_t first, int64_t count) {
    ClampAll(indices, line.index_stride, count, last, now);
    const int64_t both = std::min(count, waiting);
    fetch.TakeAndAsk(before, now, both, to);
    fetch.Ask(now, both, count);
    fetch.Take(before, both, waiting, to);
    std::swap(now, before);
    waiting = count;
    to = output + first * fetch.batched_stride();
  };
  ForEachBlock<kGatherBlock, Index>(line, begin, end, take);
  fetch.Take(before, 0, waiting, to);
}

template <bool kDense, typename Index, typename Element>
void GatherPart(const IndexedLine& line, const Element* operand, Element* output, int64_t begin,
                int64_t end) {
  const Fetch<kDense, Index, Element> fetch = {line, operand};
  const int64_t bytes = line.last * line.operand_stride * static_cast<int64_t>(sizeof(Element));
  if (bytes > kNearBytes && AsksAhead()) {
    AskAndTakePart(line, fetch, output, begin, end);
  } else {
    TakePart(line, fetch, output, begin, end);
  }
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

}  // namespace

bool GatherLineKernel(const Parallel& parallel, const IndexedLine& line, int bytes,
                      const void* operand, void* output) {
  return VisitIndexType(line.index_type, [&](auto index) {
    return VisitWidth(bytes, [&](auto element) {
      return GatherElements<decltype(index), decltype(element)>(parallel, line, operand, output);
    });
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
