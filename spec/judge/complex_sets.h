// SPDX-License-Identifier: Apache-2.0
// Set arithmetic of complex numbers: each component is a set; functions have a bound on the modulus
// of the error (RULES 24), applied as a box.
#ifndef HLOCTS_SPEC_JUDGE_COMPLEX_SETS_H_
#define HLOCTS_SPEC_JUDGE_COMPLEX_SETS_H_

#include "spec/judge/float_sets.h"

namespace hlocts {

struct ComplexSet {
  AcceptanceSet re, im;
};

// negate, sign and the complex functions.
ComplexSet ComplexUnary(Opcode opcode, const ComplexSet& a, const SetContext& context);
// |a| as a real set.
AcceptanceSet ComplexAbs(const ComplexSet& a, const SetContext& context);
// add, subtract, multiply, divide, power, maximum, minimum.
ComplexSet ComplexBinary(Opcode opcode, const ComplexSet& a, const ComplexSet& b,
                         const SetContext& context);
// Ordered by real part, then imaginary part (the documents order no complex numbers).
ComplexSet ComplexMaximum(bool minimum, const ComplexSet& a, const ComplexSet& b,
                          const SetContext& context);
ComplexSet ComplexClamp(const ComplexSet& min, const ComplexSet& operand, const ComplexSet& max,
                        const SetContext& context);
// EQ and NE (other directions are undefined for complex numbers).
AcceptanceSet ComplexCompare(absl::string_view direction, const ComplexSet& a, const ComplexSet& b,
                             const SetContext& context);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_COMPLEX_SETS_H_
