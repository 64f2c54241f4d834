// SPDX-License-Identifier: Apache-2.0
// Represents complex sets as boxes around a centre, which bound complex functions and products.
#pragma once

#include <complex>

#include "spec/judge/complex_sets.h"

namespace hlocts {

using Wide = std::complex<long double>;

ComplexSet OpenSet(WideningCause cause, const SetContext& context);

// A complex set, represented by a finite centre and a radius for each component.
struct Ball {
  Wide centre = 0;
  long double re_radius = 0, im_radius = 0;
  bool re_zeros = false, im_zeros = false;  // the component may be a zero of either sign
};
// Converts a set to a ball. Returns false if the set contains anything but finite numbers.
bool FiniteBall(const ComplexSet& z, const SetContext& context, Ball& ball);

// Returns the box around f with `tolerance` in each component, rounded to the result's format.
ComplexSet Box(const Wide& f, long double tolerance, const SetContext& context);
bool Finite(const Wide& z);
// Returns the distance between neighbouring numbers of the result's format at x.
long double Unit(const SetContext& context, long double x);
ComplexSet JoinBoxes(const ComplexSet& a, const ComplexSet& b);

// Returns true if z has one value, counting all NaNs as one. For the strict profile (lemma 24).
bool OneValue(const ComplexSet& z, Wide& value);
// Returns the set in which each part is NaN or, within the rule's ulps, the part of f, which has
// the special values of C's Annex G. Zeros and infinities have either sign if `signs_free`.
ComplexSet SpecialBox(const Wide& f, bool signs_free, const SetContext& context);
bool SignsFree(const Wide& z, const Wide& f);

}  // namespace hlocts
