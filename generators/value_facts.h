// SPDX-License-Identifier: Apache-2.0
// Facts about every element of a value while a module is built. Facts license fragile operations: a
// logarithm gets a positive operand, an index one inside its array.
#ifndef HLOCTS_GENERATORS_VALUE_FACTS_H_
#define HLOCTS_GENERATORS_VALUE_FACTS_H_

#include <algorithm>
#include <limits>

#include "spec/ir/primitive_type.h"

namespace hlocts::generators {

struct ValueFacts {
  // Bounds of each element (of each component where it is complex); infinite: nothing is known.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool integral = false;    // floats: every element is an integer
  bool unique = false;      // no two elements are equal
  bool bits_known = false;  // not computed: zeros and NaNs have the bits they were given
  bool opaque = false;      // only its distribution or a residual is known

  // Infinite where nothing is known.
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

// Facts that hold of elements of either value: concatenate, select, pad.
ValueFacts Join(const ValueFacts& a, const ValueFacts& b);

// The condition of an operation on an operand.
struct Requirement {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool unique = false;
};

// The value of a type nearest to `value`, the least that is not below it, the greatest that is not
// above it; what may be flushed to zero is none of the last two. Of integers the whole numbers.
double NearestOf(PrimitiveType type, double value);
double AtLeast(PrimitiveType type, double value);
double AtMost(PrimitiveType type, double value);
// Facts of values that are rounded to the type, and flushed to zero where they are subnormal.
ValueFacts Rounded(PrimitiveType type, ValueFacts facts);

// The values of a type: integers -2^(w-1).., pred 0..1, floats up to the largest finite value.
ValueFacts WholeRange(PrimitiveType type);
// The magnitude up to which checked streams let values of a type grow: squares stay finite.
double MagnitudeLimit(PrimitiveType type);
// Integers up to here are values of the type (2^precision for floats); exact sums stay below it.
double ExactLimit(PrimitiveType type);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_VALUE_FACTS_H_
