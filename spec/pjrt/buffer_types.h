// SPDX-License-Identifier: Apache-2.0
// Element types of PJRT buffers, for both sides of the C API.
#ifndef HLOCTS_SPEC_PJRT_BUFFER_TYPES_H_
#define HLOCTS_SPEC_PJRT_BUFFER_TYPES_H_

#include "spec/ir/literal.h"
#include "spec/pjrt/hlocts_extension.h"

namespace hlocts::pjrt {

// PJRT_Buffer_Type_INVALID and kInvalid for types without a counterpart: tuple and opaque.
PJRT_Buffer_Type BufferTypeOf(PrimitiveType type);
PrimitiveType ElementTypeOf(PJRT_Buffer_Type type);
// Returns true if PJRT itself has a number for the type: not for s1 and u1.
bool IsPjrtType(PJRT_Buffer_Type type);

// In host memory a sub-byte element takes one byte, whose low bits count; a Literal extends them
// over the byte.
void ExtendSubBytes(Literal& literal);

// The elements within the run-time sizes as an array of these sizes; and the inverse: padded to the
// bounds of a dynamic shape, with the sizes stored separately.
Literal WithinSizes(const Literal& literal);
Literal PaddedTo(const Shape& bounded, const Literal& exact);

}  // namespace hlocts::pjrt

#endif  // HLOCTS_SPEC_PJRT_BUFFER_TYPES_H_
