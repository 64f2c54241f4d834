// SPDX-License-Identifier: Apache-2.0
// Operands of dot as groups of adjacent terms (gemm.h), and the conversion of sums to bf16.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/engine/cpu/kernels/gemm/dot_operand.h"

namespace hlocts::kernels {

// Return true if the processor multiplies groups of two bf16, or of four 8-bit integers. The first
// function requires that subnormals are flushed now, because these products always flush them.
bool MultipliesPairs();
bool MultipliesQuads();

// Replaces `matrices`, whose elements have `bytes` bytes, by groups, in place or as a copy. There
// are `free` lines of `depth` elements. Each group is XORed with `flip`. Groups are contiguous
// along the depth or across the lines, as the elements were.
absl::Status MakeGroups(const Parallel& parallel, int bytes, int64_t batch, int64_t free,
                        int64_t depth, uint32_t flip, std::unique_ptr<Scratch>& copy,
                        Matrices& matrices);

void EncodeBf16(const float* from, int64_t count, uint16_t* to);

}  // namespace hlocts::kernels
