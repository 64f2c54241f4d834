// SPDX-License-Identifier: Apache-2.0
// How verdicts print one element of an output: its value as in literals (spec/ir/decimal.h), and
// its bits.
#ifndef HLOCTS_SPEC_JUDGE_ELEMENT_TEXT_H_
#define HLOCTS_SPEC_JUDGE_ELEMENT_TEXT_H_

#include <string>

#include "spec/base/int128.h"
#include "spec/ir/literal.h"

namespace hlocts {

// A finite end of a set of the float type; it may be between two numbers of the type.
std::string NumberText(double value, PrimitiveType type);
// An end of a set of an integer type, in decimal.
std::string IntegerText(Int128 value);
std::string ElementText(const Literal& literal, int64_t index);
std::string ElementBits(const Literal& literal,
                        int64_t index);  // "0x3f800000", most significant first

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_ELEMENT_TEXT_H_
