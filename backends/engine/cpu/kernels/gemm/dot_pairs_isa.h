// SPDX-License-Identifier: Apache-2.0
// Operands of 16-bit elements as pairs along the sum. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_PAIRS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_PAIRS_ISA_H_

#include <cstring>
#include <memory>

#include "backends/engine/cpu/kernels/gemm/dot_stack_isa.h"
#include "backends/engine/cpu/kernels/runtime/processor.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Whether bf16 are multiplied in pairs: such instructions take subnormals for zeros whatever the
// mode, so only where the mode does.
inline bool MultipliesPairsOfBf16(PrimitiveType lhs, PrimitiveType rhs) {
  return kPairsOfBf16 && lhs == PrimitiveType::kBF16 && rhs == PrimitiveType::kBF16 &&
         FlushesSubnormals();
}

// Whether integers of this type are integers of 16 bits with a sign.
inline bool FitsPairs(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return true;
  return IsInteger(type) && BitWidth(type) <= (IsSigned(type) ? 16 : 8);
}

// A stack of matrices of 16-bit elements, contiguous along the depth or along the other dimension.
struct Halves {
  int64_t batch, free, depth;
  Matrices from;

  int64_t pairs() const { return (depth + 1) / 2; }
  const uint16_t* At(int64_t entry, int64_t i, int64_t p) const {
    return reinterpret_cast<const uint16_t*>(from.data) + entry * from.batch_stride +
           i * from.free_stride + p * from.depth_stride;
  }
  // Whether they are pairs where they stand.
  bool ArePairs() const {
    const auto even = [](int64_t size, int64_t stride) { return size == 1 || stride % 2 == 0; };
    return from.depth_stride == 1 && depth % 2 == 0 && even(free, from.free_stride) &&
           even(batch, from.batch_stride) &&
           reinterpret_cast<uintptr_t>(from.data) % sizeof(uint32_t) == 0;
  }
};

// Two neighbours along the depth woven together; a last one without a neighbour has zeros.
inline void WeaveRow(const Halves& halves, int64_t entry, int64_t pair, uint32_t* __restrict to) {
  const uint16_t* from = halves.At(entry, 0, 2 * pair);
  if (2 * pair + 1 == halves.depth) {
    for (int64_t j = 0; j < halves.free; ++j) to[j] = from[j];
    return;
  }
  const uint16_t* next = from + halves.from.depth_stride;
  for (int64_t j = 0; j < halves.free; ++j) to[j] = from[j] | static_cast<uint32_t>(next[j]) << 16;
}

// One line along the depth, which is contiguous.
inline void CopyPairs(const Halves& halves, int64_t entry, int64_t line, uint32_t* to) {
  to[halves.pairs() - 1] = 0;
  std::memcpy(to, halves.At(entry, line, 0), halves.depth * sizeof(uint16_t));
}

// The stack as pairs: where it stands, or copied as [batch, pairs, free] or [batch, free, pairs].
inline absl::Status MakePairs(const Parallel& parallel, Halves halves,
                              std::unique_ptr<Scratch>& copy, Matrices& pairs) {
  const Matrices& from = halves.from;
  if (halves.ArePairs()) {
    pairs = {from.data, from.batch_stride / 2, from.free_stride / 2, 1};
    return absl::OkStatus();
  }
  if (from.batch_stride == 0) halves.batch = 1;
  const bool lines = from.depth_stride == 1;
  const int64_t rows = lines ? halves.free : halves.pairs();
  const int64_t columns = lines ? halves.pairs() : halves.free;
  const int64_t bytes = halves.batch * rows * columns * static_cast<int64_t>(sizeof(uint32_t));
  auto to = std::make_unique<Scratch>(bytes);
  if (!to->ok()) return OutOfScratch(bytes);
  parallel.For(halves.batch * rows, 0.15 * columns + 5, [&](int64_t row, int64_t end) {
    for (; row < end; ++row) {
      const auto make = lines ? CopyPairs : WeaveRow;
      make(halves, row / rows, row % rows, to->As<uint32_t>() + row * columns);
    }
  });
  pairs = {to->As<char>(), from.batch_stride == 0 ? 0 : rows * columns, lines ? columns : 1,
           lines ? 1 : columns};
  copy = std::move(to);
  return absl::OkStatus();
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_GEMM_DOT_PAIRS_ISA_H_
