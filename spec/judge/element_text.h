// SPDX-License-Identifier: Apache-2.0
// Prints the value and the bits of one element of an output, as verdicts show them.
#pragma once

#include <string>

#include "spec/base/int128.h"
#include "spec/ir/literal.h"

namespace hlocts {

// Prints a finite end of a set of float type `type`. It may be between two numbers of the type.
std::string NumberText(double value, PrimitiveType type);
// Prints an end of a set of integers in decimal.
std::string IntegerText(Int128 value);
std::string ElementText(const Literal& literal, int64_t index);
std::string ElementBits(const Literal& literal,
                        int64_t index);  // "0x3f800000", most significant first
// Returns the name of an instruction for people: of a name above 60 bytes, only both ends.
std::string ShortName(const std::string& name);

}  // namespace hlocts
