// SPDX-License-Identifier: Apache-2.0
// Defines the value of an instruction as sets: a SetArray, a token, or a tuple of values.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "spec/base/status.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// Sums of the midpoints of the terms in f64, and the largest distance of each accumulated sum from
// the exact sum of its terms.
struct AccumulatedSums {
  std::vector<double> values, errors;
};

struct SetValue {
  SetArray array;  // arrays only
  bool token = false;
  bool tuple = false;
  std::vector<SetValue> elements;  // tuples only
  AccumulatedSums sums;            // set by the handler of a sum for the observer of the walk

  SetValue() = default;
  SetValue(SetArray a) : array(std::move(a)) {}  // NOLINT: implicit, like the literal
  static SetValue Token() {
    SetValue value;
    value.token = true;
    return value;
  }
  static SetValue Tuple(std::vector<SetValue> elements) {
    SetValue value;
    value.tuple = true;
    value.elements = std::move(elements);
    return value;
  }
  bool IsArray() const { return !token && !tuple; }
};

// Converts a literal to sets of one value each, with its tuples and run-time sizes.
SetValue ExactValue(const Literal& literal);
// Returns a value of the shape whose elements are all unspecified.
SetValue UnspecifiedValue(const Shape& shape, WideningCause cause, uint32_t origin);
// Returns true if every leaf is an exact array or a token. ToLiteral then returns its literal.
bool IsExact(const SetValue& value);
Literal ToLiteral(const SetValue& value);
// Returns true if all leaves are exact with known NaN bits and zero signs: ToLiteral loses nothing.
bool IsFullyKnown(const SetValue& value);
// Joins two values of the same shape, element by element.
SetValue JoinValues(const SetValue& a, const SetValue& b);
SetArray JoinArrays(const SetArray& a, const SetArray& b);
// Converts the array to a literal if every element is a single value without a pre-rounding
// interval; otherwise returns it unchanged.
SetArray Compress(SetArray array);
// Returns true if all values that a reader may see are real numbers in the range of f64.
inline bool IsNumber(const AcceptanceSet& s) {
  constexpr uint16_t kOthers = AcceptanceSet::kNan | AcceptanceSet::kPosInf |
                               AcceptanceSet::kNegInf | AcceptanceSet::kUnspecified |
                               AcceptanceSet::kScaledPreRounding | AcceptanceSet::kInteger;
  return s.finite() && !s.Has(kOthers);
}
// Returns the ends of the interval that contains the values a reader may see.
inline std::pair<double, double> EndsRead(const AcceptanceSet& s) {
  if (!s.Has(AcceptanceSet::kPreRounding)) return {s.lo, s.hi};
  return {std::min(s.lo, s.rlo), std::max(s.hi, s.rhi)};
}
// Returns the element of an operand that element i of a result reads: 0 for a scalar, else i.
inline int64_t ElementOf(const SetArray& operand, int64_t i) {
  return operand.shape().rank() == 0 ? 0 : i;
}
// Returns true if some element may be a NaN.
bool HasNan(const SetArray& array);
// Returns true if some element of an exact array of floats is subnormal.
bool HasSubnormals(const SetArray& array);
// Returns the stored values, without their pre-rounding intervals (rounded_value.cc).
SetValue RoundedValue(const SetValue& value);

}  // namespace hlocts::reference
