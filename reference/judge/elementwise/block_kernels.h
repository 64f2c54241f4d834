// SPDX-License-Identifier: Apache-2.0
// Blocks of f32 elements by loops without a branch, which compilers vectorise. The ends are those
// of column_kernels.h. False: some element is no ordinary number, or has to be looked at alone;
// what was written does not count then.
#ifndef HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_BLOCK_KERNELS_H_
#define HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_BLOCK_KERNELS_H_

#include <cstdint>

#include "reference/judge/elementwise/column_reader.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {

// Where a block's results go. rlo, rhi: nullptr where nobody reads unrounded values.
struct BlockEnds {
  double *lo, *hi, *rlo, *rhi;
};

// Products of two f32 are exact in f64; operands have one sign each, or are zeros.
bool MultiplyBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count, const BlockEnds& out);
bool AddBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count, const BlockEnds& out);
bool SubtractBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count, const BlockEnds& out);
bool MaximumBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count, const BlockEnds& out);
bool MinimumBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t count, const BlockEnds& out);

// Blocks of f32 arithmetic.
struct F32Blocks {
  ops::FieldOperation operation;
  bool operator()(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                  const BlockEnds& out) const;
};

// a or b, without a branch.
inline uint32_t SelectBits(bool first, uint32_t a, uint32_t b) {
  const uint32_t mask = 0 - static_cast<uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

// The wider operand that is no point, or the operation's own cause (set arithmetic's Blame). Packed
// causes; that of a point has no term.
inline uint32_t WiderCause(uint32_t a, uint32_t b, bool a_is_wider, uint32_t own) {
  static_assert(static_cast<int>(WideningCause::kPoint) == 0);
  const bool from_a = a >> 24 != 0, from_b = b >> 24 != 0;
  return SelectBits(from_a & (!from_b | a_is_wider), a, SelectBits(from_b, b, own));
}

// Where packed causes of a result go, that of a point, and that of what the operation made wide.
struct BlockCauses {
  uint32_t point, own;
  uint32_t* out;
};
void PutBlockCauses(const ColumnBlock& x, const ColumnBlock& y, int64_t count,
                    const BlockEnds& ends, const BlockCauses& causes);

// Some two ends differ.
bool SomeOpen(const double* lo, const double* hi, int64_t count);

// Where blocks have no loop of their own.
struct NoBlocks {
  bool operator()(const ColumnBlock&, const ColumnBlock&, int64_t, const BlockEnds&) const {
    return false;
  }
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_ELEMENTWISE_BLOCK_KERNELS_H_
