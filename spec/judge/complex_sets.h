// SPDX-License-Identifier: Apache-2.0
// Set arithmetic of complex numbers. Each component is a set. The error of a function is bounded in
// modulus (lemma 24) and applied to each component.
#pragma once

#include "spec/judge/float_sets.h"

namespace hlocts {

struct ComplexSet {
  AcceptanceSet re, im;
};

// Applies negate, sign or a complex function.
ComplexSet ComplexUnary(Opcode opcode, const ComplexSet& a, const SetContext& context);
AcceptanceSet ComplexAbs(const ComplexSet& a, const SetContext& context);
// Applies add, subtract, multiply, divide, power, maximum or minimum.
ComplexSet ComplexBinary(Opcode opcode, const ComplexSet& a, const ComplexSet& b,
                         const SetContext& context);
// Returns the maximum, or the minimum, by real part (ruling 0060).
ComplexSet ComplexMaximum(bool minimum, const ComplexSet& a, const ComplexSet& b,
                          const SetContext& context);
ComplexSet ComplexClamp(const ComplexSet& min, const ComplexSet& operand, const ComplexSet& max,
                        const SetContext& context);
// Compares for EQ or NE; other directions are undefined for complex numbers.
AcceptanceSet ComplexCompare(absl::string_view direction, const ComplexSet& a, const ComplexSet& b,
                             const SetContext& context);

}  // namespace hlocts
