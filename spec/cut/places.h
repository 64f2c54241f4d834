// SPDX-License-Identifier: Apache-2.0
// Classifies instructions by their effect on cutting, which follows from their accuracy rule.
#pragma once

#include "spec/cut/cut.h"

namespace hlocts {

// The effect of an instruction on cutting.
enum class Place : uint8_t {
  kFree,      // a move or an integer operation, which widens no sets
  kCounts,    // an operation that CutOptions::operations counts
  kCutAfter,  // has wide sets: readers of the result are in later pieces
  kAlone,     // is a separate piece, judged with known operands, often as a whole
};
Place PlaceOf(const Instruction& instruction, const CutOptions& options);

}  // namespace hlocts
