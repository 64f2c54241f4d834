// SPDX-License-Identifier: Apache-2.0
// Converts elements and element types of PJRT buffers, for both sides of the C API.
#pragma once

#include "spec/ir/literal.h"
#include "spec/pjrt/hlocts_extension.h"

namespace hlocts::pjrt {

// Convert between the type numbers of PJRT and element types. If a type has no counterpart (tuple,
// opaque), they return kInvalid and PJRT_Buffer_Type_INVALID.
PJRT_Buffer_Type BufferTypeOf(PrimitiveType type);
PrimitiveType ElementTypeOf(PJRT_Buffer_Type type);
// Returns true if PJRT itself has a number for the type; s1 and u1 have none.
bool IsPjrtType(PJRT_Buffer_Type type);

// Sign- or zero-extends sub-byte elements to their bytes, as a Literal stores them. Requires only
// the low bits of each byte to be defined.
void ExtendSubBytes(Literal& literal);

// WithinSizes returns an array that has the run-time sizes as static sizes. PaddedTo is its
// inverse: it pads an array to the bounds of a dynamic shape and stores the array's sizes as
// run-time sizes.
Literal WithinSizes(const Literal& literal);
Literal PaddedTo(const Shape& bounded, const Literal& exact);

}  // namespace hlocts::pjrt
