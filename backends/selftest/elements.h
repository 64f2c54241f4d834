// SPDX-License-Identifier: Apache-2.0
// Single elements of literals of any type, for faults that change a few of them.
#ifndef HLOCTS_BACKENDS_SELFTEST_ELEMENTS_H_
#define HLOCTS_BACKENDS_SELFTEST_ELEMENTS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {

// Numbers of an array: a complex element counts as two of its component type.
int64_t NumberCount(const Literal& literal);
PrimitiveType NumberType(const Literal& literal);
double ReadNumber(const Literal& literal, int64_t i);
// Rounds to nearest; wraps integers.
void WriteNumber(Literal& literal, int64_t i, double value);

// Integers and pred; u64 by its bits.
int64_t ReadInteger(const Literal& literal, int64_t i);
void WriteInteger(Literal& literal, int64_t i, int64_t value);
// `value` wrapped to an integer type of this many bits.
int64_t WrapInteger(int64_t value, int bits, bool is_signed);

// Stored bits of a number.
uint64_t ReadBits(const Literal& literal, int64_t i);
void WriteBits(Literal& literal, int64_t i, uint64_t bits);

// Whole elements, of two literals of one type.
void CopyElement(const Literal& from, int64_t at, Literal& to, int64_t i);
void ZeroElement(Literal& literal, int64_t i);
// All elements; the second function from the last to the first.
void ZeroElements(Literal& literal);
void ReverseElements(Literal& literal);
bool SameElement(const Literal& a, int64_t i, const Literal& b, int64_t j);

// The number `ulps` units in the last place of `type` away from value; not rounded.
double AwayByUlps(double value, PrimitiveType type, double ulps);
// Rounded to the format of `type`, as a double.
double RoundTo(PrimitiveType type, double value);
// Truncates to `bits` significant bits, toward zero.
double TruncateTo(int bits, double value);

bool IsRealFloat(const Literal& literal);    // an array of real floats
bool IsStoredArray(const Literal& literal);  // an array with its elements

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_SELFTEST_ELEMENTS_H_
