// SPDX-License-Identifier: Apache-2.0
// A gather from an array that loses a dimension of one element.
#ifndef HLOCTS_FUZZ_SHRINK_GATHER_RANK_H_
#define HLOCTS_FUZZ_SHRINK_GATHER_RANK_H_

#include "fuzz/triage/sample.h"

namespace hlocts::fuzz {

// Slices, results and the numbers that say where lose the dimension too. `square`: there become as
// few places as numbers in each, where they were as many. The operand and the shapes inferred from
// it are the caller's.
void EraseGathered(Sample& sample, Instruction& gather, int64_t dimension, bool square);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_SHRINK_GATHER_RANK_H_
