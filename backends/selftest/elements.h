// SPDX-License-Identifier: Apache-2.0
// Reads and writes single elements of literals of any type, for faults that change a few elements.
#pragma once

#include <cstdint>

#include "spec/ir/literal.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {

// Returns the number of numbers in an array. A complex element has two, of its component type.
int64_t NumberCount(const Literal& literal);
PrimitiveType NumberType(const Literal& literal);
double ReadNumber(const Literal& literal, int64_t i);
// Writes a number, rounded to nearest; integers wrap.
void WriteNumber(Literal& literal, int64_t i, double value);

// Read and write an element of an integer or pred array; the bits of a u64 are read as an int64_t.
int64_t ReadInteger(const Literal& literal, int64_t i);
void WriteInteger(Literal& literal, int64_t i, int64_t value);
// Returns `value` wrapped to an integer type with the given number of bits.
int64_t WrapInteger(int64_t value, int bits, bool is_signed);

uint64_t ReadBits(const Literal& literal, int64_t i);
void WriteBits(Literal& literal, int64_t i, uint64_t bits);

// Operations on complete elements. If there are two literals, they must have the same type.
void CopyElement(const Literal& from, int64_t at, Literal& to, int64_t i);
void ZeroElement(Literal& literal, int64_t i);
void ZeroElements(Literal& literal);
void ReverseElements(Literal& literal);
bool SameElement(const Literal& a, int64_t i, const Literal& b, int64_t j);

// Returns `value` plus `ulps` units in the last place of `type`, not rounded.
double AwayByUlps(double value, PrimitiveType type, double ulps);
// Returns `value` rounded to the format of `type`, as a double.
double RoundTo(PrimitiveType type, double value);
// Returns `value` truncated toward zero to `bits` significant bits.
double TruncateTo(int bits, double value);

bool IsRealFloat(const Literal& literal);    // an array of real floats
bool IsStoredArray(const Literal& literal);  // an array whose elements are stored

}  // namespace hlocts::backends
