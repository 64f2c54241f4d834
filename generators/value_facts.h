// SPDX-License-Identifier: Apache-2.0
// Facts about all elements of a value in a module under construction. Facts permit operations with
// restricted domains: a logarithm requires the fact that its operand is positive, an index the fact
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
  bool bits_known = false;  // signs of zeros and bits of NaNs are known, as for a constant
  bool opaque = false;      // only the distribution or a residual is known

  // Returns the largest possible magnitude, infinite if nothing is known.
  double magnitude() const { return std::max(-low, high); }
  bool Within(double lowest, double highest) const { return low >= lowest && high <= highest; }
};

inline ValueFacts RangeFacts(double low, double high, bool integral = false) {
  return {.low = low, .high = high, .integral = integral};
}

// Returns the facts that are true for elements of both values, as for concatenate, select and pad.
ValueFacts Join(const ValueFacts& a, const ValueFacts& b);

// The properties that an operation requires of an operand.
struct Requirement {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool unique = false;
};

// NearestOf returns the value of the type that is nearest to `value`; AtLeast the smallest one not
// below it; AtMost the largest one not above it. AtLeast and AtMost never return a subnormal. For
// integer types, NearestOf truncates, and the results may be out of range.
double NearestOf(PrimitiveType type, double value);
double AtLeast(PrimitiveType type, double value);
double AtMost(PrimitiveType type, double value);
// Returns the facts after the values are rounded to the type and subnormals are flushed to zero.
ValueFacts Rounded(PrimitiveType type, ValueFacts facts);

// Returns the range of a type: all integers; 0 to 1 for pred; floats up to the largest finite one.
ValueFacts WholeRange(PrimitiveType type);
// Returns the largest magnitude in checked streams. It keeps squares finite.
double MagnitudeLimit(PrimitiveType type);
// Returns n such that the type has all integers from 0 to n. Exact sums must stay below n.
double ExactLimit(PrimitiveType type);

}  // namespace hlocts::generators
