// SPDX-License-Identifier: Apache-2.0
// Operands of dot as groups of neighbours along the sum, and the conversion of sums to bf16.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/engine/cpu/kernels/gemm/dot_operand.h"

namespace hlocts::kernels {

// Returns true if the processor multiplies such groups. Products of bf16 treat subnormals as zeros
// in any mode, so they are used only if the mode does, too.
bool MultipliesPairs();
bool MultipliesQuads();

// Makes groups of `matrices`, whose elements have `bytes` bytes, in place or copied: `free` lines
// with sums of `depth` elements. `flip` is added to each group without carry. Groups are contiguous
// along the sum or along the lines, as elements are.
absl::Status MakeGroups(const Parallel& parallel, int bytes, int64_t batch, int64_t free,
                        int64_t depth, uint32_t flip, std::unique_ptr<Scratch>& copy,
                        Matrices& matrices);

// Rounds to bf16.
void EncodeBf16(const float* from, int64_t count, uint16_t* to);

}  // namespace hlocts::kernels
