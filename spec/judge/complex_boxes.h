// SPDX-License-Identifier: Apache-2.0
// Complex sets as boxes around a centre, which bound complex functions and products.
#ifndef HLOCTS_SPEC_JUDGE_COMPLEX_BOXES_H_
#define HLOCTS_SPEC_JUDGE_COMPLEX_BOXES_H_

#include <complex>

#include "spec/judge/complex_sets.h"

namespace hlocts {

using Wide = std::complex<long double>;

ComplexSet OpenSet(WideningCause cause, const SetContext& context);

// A complex set as a finite centre and radii.
struct Ball {
  Wide centre = 0;
  long double re_radius = 0, im_radius = 0;
  bool re_zeros = false, im_zeros = false;  // a zero of either sign
};
// False if the set contains anything else.
bool FiniteBall(const ComplexSet& z, const SetContext& context, Ball& ball);

// f within `tolerance` in each component, as the result's format stores it.
ComplexSet Box(const Wide& f, long double tolerance, const SetContext& context);
bool Finite(const Wide& z);
// The distance between neighbours of the result's format at x.
long double Unit(const SetContext& context, long double x);
ComplexSet JoinBoxes(const ComplexSet& a, const ComplexSet& b);

// Special values in strict (RULES 24): true if the operand is a single value, NaNs included.
bool OneValue(const ComplexSet& z, Wide& value);
// Each part of f, or Annex G's value, or a NaN; zeros and infinities of either sign if
// `signs_free`.
ComplexSet SpecialBox(const Wide& f, bool signs_free, const SetContext& context);
bool SignsFree(const Wide& z, const Wide& f);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_COMPLEX_BOXES_H_
