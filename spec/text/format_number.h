// SPDX-License-Identifier: Apache-2.0
// Numbers as in XLA's text: a float with few digits if those read back to the same value, else with
// all digits. (The shortest decimal, for literals files, is in spec/ir/decimal.h.)
#ifndef HLOCTS_SPEC_TEXT_FORMAT_NUMBER_H_
#define HLOCTS_SPEC_TEXT_FORMAT_NUMBER_H_

#include <cstdint>
#include <string>

#include "spec/ir/primitive_type.h"

namespace hlocts {

// Appends one element of an array, stored as in a Literal: f32 with 6 digits, else 9; f64 with 15,
// else 17; narrower floats with enough digits to distinguish all their values.
void AppendElementAsXla(PrimitiveType type, const uint8_t* element, std::string* out);

// "0.5", "1e+30": the shortest decimal of a double.
std::string FormatShortest(double value);
// The same for a value that is meant as f32, such as epsilon.
std::string FormatShortestF32(double value);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TEXT_FORMAT_NUMBER_H_
