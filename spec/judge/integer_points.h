// SPDX-License-Identifier: Apache-2.0
// Integer operations on single values: their results, and the operands for which the documents
// leave the result open. The table has one row per operation that the judge supports.
#pragma once

#include "spec/ir/opcode_fwd.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

// The operands for which the documents leave the result open unless a target fact determines it.
enum class OpenPoints : uint8_t { kNone, kDivision, kShift, kPower };

// The method that encloses the results for two intervals.
enum class EnclosureKind : uint8_t {
  kCorners,    // monotone in each operand while the other is fixed: the extremes are at corners
  kQuotient,   // as kCorners if the divisor keeps its sign
  kRemainder,  // smaller than the divisor, with the dividend's sign
  kBits,       // per bit: the bits above the first one in which an interval's ends differ are known
  kShift,      // as kCorners unless the shift reads a sign bit of an operand
  kFullRange,  // any value of the type
};

struct IntegerBinary {
  Opcode opcode;
  // Returns the value before wrapping. It is exact if |result| < 2^127; otherwise it is a value
  // modulo 2^128 that is outside every type.
  Int128 (*exact)(Int128 a, Int128 b, PrimitiveType type);
  OpenPoints open;
  EnclosureKind enclosure;
};
const IntegerBinary* FindIntegerBinary(Opcode opcode);  // nullptr if there is no row

// Returns the number of significant bits, which is 1 for pred.
int IntegerWidth(PrimitiveType type);
// Reduces a value modulo 2^width into the range of the type.
Int128 WrapInteger(Int128 value, PrimitiveType type);
// Returns the number of set bits.
int PopulationCount(Int128 value, PrimitiveType type);
// Returns the number of zeros above the highest set bit, at the type's width.
int LeadingZeros(Int128 value, PrimitiveType type);

}  // namespace hlocts
