// SPDX-License-Identifier: Apache-2.0
// Integer operations at points: their values, and where the documents leave them open. One row per
// operation; the judge does not support an opcode without a row.
#ifndef HLOCTS_SPEC_JUDGE_INTEGER_POINTS_H_
#define HLOCTS_SPEC_JUDGE_INTEGER_POINTS_H_

#include "spec/ir/opcode_fwd.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// Points whose result the documents leave open unless a target fact closes it.
enum class OpenPoints : uint8_t { kNone, kDivision, kShift, kPower };

// How the results for two intervals are enclosed.
enum class EnclosureKind : uint8_t {
  kCorners,    // monotone in each operand while the other is fixed: the extremes are at corners
  kQuotient,   // the same if the divisor keeps its sign
  kRemainder,  // smaller than the divisor, with the dividend's sign
  kBits,   // per bit: bits above the first one in which the ends of an interval differ are known
  kShift,  // as kCorners unless the shift reads a sign bit of an operand
  kFullRange,  // any value of the type
};

struct IntegerBinary {
  Opcode opcode;
  // The value before wrapping: |result| < 2^127, or a value modulo 2^128 that is outside of every
  // type.
  Int128 (*exact)(Int128 a, Int128 b, PrimitiveType type);
  OpenPoints open;
  EnclosureKind enclosure;
};
const IntegerBinary* FindIntegerBinary(Opcode opcode);  // nullptr if there is no such row

// The number of significant bits: 1 for pred.
int IntegerWidth(PrimitiveType type);
// Reduces modulo 2^width into the range of the type.
Int128 WrapInteger(Int128 value, PrimitiveType type);
// The number of set bits.
int PopulationCount(Int128 value, PrimitiveType type);
// The number of zeros above the highest set bit, at the type's width.
int LeadingZeros(Int128 value, PrimitiveType type);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_INTEGER_POINTS_H_
