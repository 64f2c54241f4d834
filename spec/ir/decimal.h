// SPDX-License-Identifier: Apache-2.0
// Exact conversion of one array element to and from decimal text. Printing returns the shortest
// decimal that reads back to the same bits. Reading rounds once, to nearest with ties to even,
// directly to the format (never through double).
//
// NaN is "nan", "-nan" or "nan(0xPAYLOAD)", where the payload is all significand bits; "nan" is
// FloatFormat::nan_bits(). Complex numbers are "(re, im)", and pred is "true" or "false".
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// Appends the value of float type `type` whose code is in the low bits of `bits`.
void AppendFloat(PrimitiveType type, uint64_t bits, std::string* out);
// Parses all of `text` as one number, infinity or NaN of float type `type`. Errors name what the
// format cannot represent: a magnitude beyond its range, an infinity, a NaN, a sign.
absl::StatusOr<uint64_t> ParseFloat(PrimitiveType type, absl::string_view text);

// Appends the element at `element`, which is stored as in a Literal of array type `type`.
void AppendElement(PrimitiveType type, const uint8_t* element, std::string* out);
// Parses one element and stores its StorageBytes(type) bytes. Integers must be in the range of the
// type. Pred may also be 1 or 0. A complex number without parentheses has imaginary part zero.
absl::Status ParseElement(PrimitiveType type, absl::string_view text, uint8_t* element);

}  // namespace hlocts
