// SPDX-License-Identifier: Apache-2.0
// Numbers as XLA's text has them: a float with few digits where those read back to the same value
// and with all of them elsewhere. (The shortest decimal, for literals files, is spec/ir/decimal.h.)
#ifndef HLOCTS_SPEC_TEXT_FORMAT_NUMBER_H_
#define HLOCTS_SPEC_TEXT_FORMAT_NUMBER_H_

#include <cstdint>
#include <string>

#include "spec/ir/primitive_type.h"

namespace hlocts {

// Appends one element of an array, stored as in a Literal: f32 with 6 digits, else 9; f64 with 15,
// else 17; narrower floats with as many as distinguish all their values.
void AppendElementAsXla(PrimitiveType type, const uint8_t* element, std::string* out);

// "0.5", "1e+30": the shortest decimal of a double.
std::string FormatShortest(double value);
// The same for a value that is meant as f32, as epsilon is.
std::string FormatShortestF32(double value);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TEXT_FORMAT_NUMBER_H_
