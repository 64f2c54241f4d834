// SPDX-License-Identifier: Apache-2.0
// Converts elements and element types of PJRT buffers, for both sides of the C API.
#pragma once

#include "spec/ir/literal.h"
#include "spec/pjrt/hlocts_extension.h"

namespace hlocts::pjrt {

// Return the counterpart of a type. Types without a counterpart (tuple, opaque) yield
// PJRT_Buffer_Type_INVALID and kInvalid.
PJRT_Buffer_Type BufferTypeOf(PrimitiveType type);
PrimitiveType ElementTypeOf(PJRT_Buffer_Type type);
// Returns true if PJRT itself has a number for the type; s1 and u1 have none.
bool IsPjrtType(PJRT_Buffer_Type type);

// Extends sub-byte elements over their bytes, as a Literal stores them. In host memory only the low
// bits of the byte are defined.
void ExtendSubBytes(Literal& literal);

// WithinSizes returns the elements within the run-time sizes as an array of these sizes. PaddedTo
// is its inverse: it pads to the bounds of a dynamic shape and stores the sizes separately.
Literal WithinSizes(const Literal& literal);
Literal PaddedTo(const Shape& bounded, const Literal& exact);

}  // namespace hlocts::pjrt
