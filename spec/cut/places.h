// SPDX-License-Identifier: Apache-2.0
// How an instruction is cut, by its accuracy rule.
#ifndef HLOCTS_SPEC_CUT_PLACES_H_
#define HLOCTS_SPEC_CUT_PLACES_H_

#include "spec/cut/cut.h"

namespace hlocts {

// What an instruction does to the cutting.
enum class Place : uint8_t {
  kFree,      // moves and whole numbers: sets stay as they are
  kCounts,    // rounds once
  kCutAfter,  // its rule is wide: whoever reads the result starts afresh
  kAlone,     // judged best, or only, on known operands, and its result by a joint predicate
};
Place PlaceOf(const Instruction& instruction, const CutOptions& options);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_PLACES_H_
