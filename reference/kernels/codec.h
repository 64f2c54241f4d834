// SPDX-License-Identifier: Apache-2.0
// Arrays of any element type as arrays of double, int64_t or bits, and back.
#ifndef HLOCTS_REFERENCE_KERNELS_CODEC_H_
#define HLOCTS_REFERENCE_KERNELS_CODEC_H_

#include <cstdint>

#include "spec/ir/primitive_type.h"

namespace hlocts::reference {

// Float types; exact.
void DecodeFloats(PrimitiveType type, const void* elements, double* out, int64_t count);
// Float types: nearest, ties to even, once; overflow and NaN by the type (ruling 0035).
void EncodeFloats(PrimitiveType type, const double* values, void* out, int64_t count);
// Integer types and pred: sign- or zero-extended to 64 bits.
void DecodeIntegers(PrimitiveType type, const void* elements, int64_t* out, int64_t count);
// Integer types: the low bits.
void EncodeIntegers(PrimitiveType type, const int64_t* values, void* out, int64_t count);
// Float types: keys whose order as integers is the total order of the floats (ruling 0059).
void TotalOrderKeys(PrimitiveType type, const void* elements, int64_t* out, int64_t count);

// `value` when it is a double, else of the two doubles around it the one with an odd last bit.
// Rounding that once more, to a format at least two bits narrower, is the same as rounding `value`
// once.
double RoundToOdd(int64_t value);
double RoundToOdd(uint64_t value);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_KERNELS_CODEC_H_
