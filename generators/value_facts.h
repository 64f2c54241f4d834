// SPDX-License-Identifier: Apache-2.0
// Facts about all elements of a value in a module under construction. Facts permit operations with
// restricted domains: a logarithm needs the fact that its operand is positive, an index the fact
// that it is in bounds.
#pragma once

#include <algorithm>
#include <limits>

#include "spec/ir/primitive_type.h"

namespace hlocts::generators {

struct ValueFacts {
  // Bounds of each element, or of each component of a complex element; infinite if unknown.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool integral = false;    // for floats: every element is an integer
  bool unique = false;      // no two elements are equal
  bool bits_known = false;  // not computed: zeros have a known sign, and NaNs known bits
  bool opaque = false;      // only a distribution or a residual is known

  // Infinite if nothing is known.
  double magnitude() const { return std::max(-low, high); }
  bool Within(double lowest, double highest) const { return low >= lowest && high <= highest; }
};

inline ValueFacts RangeFacts(double low, double high, bool integral = false) {
  ValueFacts facts;
  facts.low = low;
  facts.high = high;
  facts.integral = integral;
  return facts;
}

// Returns the facts about elements of either value, as for concatenate, select and pad.
ValueFacts Join(const ValueFacts& a, const ValueFacts& b);

// The requirement of an operation on an operand.
struct Requirement {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool unique = false;
};

// NearestOf returns the value of the type nearest to `value`, AtLeast the least one that is not
// below it, AtMost the greatest one that is not above it. The last two never return a subnormal.
// For integer types the result is a whole number that may be out of range.
double NearestOf(PrimitiveType type, double value);
double AtLeast(PrimitiveType type, double value);
double AtMost(PrimitiveType type, double value);
// Returns the facts of values after rounding to the type and flushing of subnormals to zero.
ValueFacts Rounded(PrimitiveType type, ValueFacts facts);

// Returns the range of a type: integers, pred 0 to 1, floats up to the largest finite number.
ValueFacts WholeRange(PrimitiveType type);
// Returns the largest magnitude of values in checked streams: squares remain finite.
double MagnitudeLimit(PrimitiveType type);
// Returns n such that all integers from 0 to n are values of the type. Exact sums stay below n.
double ExactLimit(PrimitiveType type);

}  // namespace hlocts::generators
