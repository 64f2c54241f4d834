// SPDX-License-Identifier: Apache-2.0
// Exact conversion of one array element to and from decimal text. Printing gives the shortest
// decimal that reads back to the same bits. Reading rounds once, to nearest with ties to even,
// directly to the format (never through double).
//
// NaN is "nan", "-nan" or "nan(0xPAYLOAD)", the payload being all significand bits; "nan" alone is
// FloatFormat::nan_bits(). Complex numbers are "(re, im)", pred "true" or "false".
#ifndef HLOCTS_SPEC_IR_DECIMAL_H_
#define HLOCTS_SPEC_IR_DECIMAL_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// `bits`: the code of one value of float type `type`, in the low bits.
void AppendFloat(PrimitiveType type, uint64_t bits, std::string* out);
// Parses all of `text` as one number, infinity or NaN of float type `type`. Errors name what the
// format cannot hold: a magnitude beyond its range, an infinity, a NaN, a sign.
absl::StatusOr<uint64_t> ParseFloat(PrimitiveType type, absl::string_view text);

// One element at `element`, stored as in a Literal of array type `type`.
void AppendElement(PrimitiveType type, const uint8_t* element, std::string* out);
// Reads one element and stores it, StorageBytes(type) bytes. Integers are in range of the type;
// pred also takes 1 and 0; a complex number without parentheses has an imaginary part of zero.
absl::Status ParseElement(PrimitiveType type, absl::string_view text, uint8_t* element);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_DECIMAL_H_
