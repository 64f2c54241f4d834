// SPDX-License-Identifier: Apache-2.0
// How an instruction is cut, according to its accuracy rule.
#ifndef HLOCTS_SPEC_CUT_PLACES_H_
#define HLOCTS_SPEC_CUT_PLACES_H_

#include "spec/cut/cut.h"

namespace hlocts {

// The effect of an instruction on the cutting.
enum class Place : uint8_t {
  kFree,      // moves and integers: sets are unchanged
  kCounts,    // rounds once
  kCutAfter,  // its rule is wide: readers of the result start afresh
  kAlone,     // judged best, or only, on known operands, its result by a joint predicate
};
Place PlaceOf(const Instruction& instruction, const CutOptions& options);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_PLACES_H_
