// SPDX-License-Identifier: Apache-2.0
// Integer operations at points: what each computes, and where the documents leave it open. A row
// per operation; an opcode without a row is none that the judge knows.
#ifndef HLOCTS_SPEC_JUDGE_INTEGER_POINTS_H_
#define HLOCTS_SPEC_JUDGE_INTEGER_POINTS_H_

#include "spec/ir/opcode_fwd.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// The points whose result the documents leave open where no target fact closes it.
enum class OpenPoints : uint8_t { kNone, kDivision, kShift, kPower };

// How the results of two intervals are enclosed.
enum class EnclosureKind : uint8_t {
  kCorners,    // monotone in each operand as long as the other stays: the extremes are at corners
  kQuotient,   // the same where the divisor keeps its sign
  kRemainder,  // smaller than the divisor, with the dividend's sign
  kBits,   // bit by bit: those above the first in which the ends of an interval differ are known
  kShift,  // as kCorners where no bit of an operand means a sign to the shift
  kFullRange,  // any value of the type
};

struct IntegerBinary {
  Opcode opcode;
  // As an integer before it wraps: |result| < 2^127, or it is given modulo 2^128 and lies outside
  // every type either way.
  Int128 (*exact)(Int128 a, Int128 b, PrimitiveType type);
  OpenPoints open;
  EnclosureKind enclosure;
};
const IntegerBinary* FindIntegerBinary(Opcode opcode);  // nullptr if there is no such row

// Number of bits that count: 1 for pred.
int IntegerWidth(PrimitiveType type);
// Modulo 2^width, into the range of the type.
Int128 WrapInteger(Int128 value, PrimitiveType type);
// Bits that are set.
int PopulationCount(Int128 value, PrimitiveType type);
// Zeros above the first bit that is set, at the type's width.
int LeadingZeros(Int128 value, PrimitiveType type);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_INTEGER_POINTS_H_
