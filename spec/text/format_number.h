// SPDX-License-Identifier: Apache-2.0
// Prints numbers as in XLA's text: a float has few digits if they suffice to read the same value,
// otherwise all digits. spec/ir/decimal.h makes the shortest decimals, for literals files.
#pragma once

#include <cstdint>
#include <string>

#include "spec/ir/primitive_type.h"

namespace hlocts {

// Appends one element of an array, which is stored as in a Literal. f32 has 6 or 9 digits, f64 has
// 15 or 17, and narrower floats have enough digits to distinguish all their values.
void AppendElementAsXla(PrimitiveType type, const uint8_t* element, std::string* out);

// Returns the shortest decimal of a double: "0.5", "1e+30".
std::string FormatShortest(double value);
// Returns the shortest decimal of the value as f32, for attributes such as epsilon.
std::string FormatShortestF32(double value);

}  // namespace hlocts
