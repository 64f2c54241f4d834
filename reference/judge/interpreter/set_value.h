// SPDX-License-Identifier: Apache-2.0
// The value of an instruction in the number system of sets: a SetArray, a token, or a tuple of
// those.
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_SET_VALUE_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_SET_VALUE_H_

#include <utility>
#include <vector>

#include "spec/base/status.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

struct SetValue {
  SetArray array;  // arrays only
  bool token = false;
  bool tuple = false;
  std::vector<SetValue> elements;  // tuples only
  // The largest distance of each accumulated sum from the exact sum of its terms, which the handler
  // of a sum gives to the recorder of the walk.
  std::vector<double> sum_errors;

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

// A literal as points: tuples leaf by leaf, run-time sizes kept.
SetValue ExactValue(const Literal& literal);
// Any value of that shape.
SetValue UnspecifiedValue(const Shape& shape, WideningCause cause, uint32_t origin);
// Returns true if every leaf is exact (tokens are): ToLiteral then returns its literal.
bool IsExact(const SetValue& value);
Literal ToLiteral(const SetValue& value);
// Every leaf an exact array whose NaN bits and zero signs are known: ToLiteral loses nothing.
bool IsFullyKnown(const SetValue& value);
// Both, element by element; shapes are equal.
SetValue JoinValues(const SetValue& a, const SetValue& b);
SetArray JoinArrays(const SetArray& a, const SetArray& b);
// The array as a literal if every element is a point without a pre-rounding interval; otherwise
// unchanged.
SetArray Compress(SetArray array);
// Returns true if some element may be a NaN.
bool HasNan(const SetArray& array);
// Returns true if some element of an exact array of floats is subnormal.
bool HasSubnormals(const SetArray& array);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_SET_VALUE_H_
