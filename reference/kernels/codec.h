// SPDX-License-Identifier: Apache-2.0
// Converts arrays of any element type to arrays of double, int64_t or ordered keys, and back.
#pragma once

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

void DecodeFloats(PrimitiveType type, const void* elements, double* out, int64_t count);
// Encodes in a float type, to nearest even. The type defines overflow and NaN (ruling 0035).
void EncodeFloats(PrimitiveType type, const double* values, void* out, int64_t count);
// Decodes an integer type or pred with sign or zero extension to 64 bits.
void DecodeIntegers(PrimitiveType type, const void* elements, int64_t* out, int64_t count);
// Encodes an integer type by its low bits.
void EncodeIntegers(PrimitiveType type, const int64_t* values, void* out, int64_t count);
// Returns keys of a float type whose order as integers is the total order (ruling 0059).
void TotalOrderKeys(PrimitiveType type, const void* elements, int64_t* out, int64_t count);

// Returns `value` if a double represents it. Otherwise returns the neighbouring double whose last
// bit is odd. Rounding this to a format at least two bits narrower is the same as rounding `value`.
double RoundToOdd(int64_t value);
double RoundToOdd(uint64_t value);

}  // namespace hlocts::reference
