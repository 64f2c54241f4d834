// SPDX-License-Identifier: Apache-2.0
// Converts numbers of literals for joint predicates, and writes them to certificates, for
// checkers that share no code with this program.
//
// A joint predicate judges a whole array whose elements cannot be judged one by one: a
// factorization, a transform, a sort with ties. A new predicate derives from JointPredicate and
// needs a test with an array that nearly satisfies it. Thresholds are in the rule table.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/ir/literal.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

using Complex = std::complex<double>;

Complex ElementAt(const Literal& literal, int64_t i);
bool AllFinite(const Literal& literal, int64_t first, int64_t count);

// Returns half the distance from 1 to the next number of the format.
double UnitOf(PrimitiveType type);
// Returns c128 for complex types and f64 for others; ToWide converts a literal to that type.
PrimitiveType WideType(PrimitiveType type);
Literal ToWide(const Literal& literal);

// Returns the numbers within `off` of `middle`, rounded once when they are stored. Instructions
// that read one element of an array which a predicate judges use this set.
AcceptanceSet SetAround(double middle, double off, const SetContext& context);

// Sets the midpoint and radius of the interval of values that an instruction may read from a
// component with the set `s`. Returns false if one of them may be an infinity or a NaN.
bool EnclosePart(const AcceptanceSet& s, double& middle, double& radius);

constexpr int64_t kNumbersInFileMax = 1024;
// Returns true if the literal is small enough for a predicate's JSON parameters.
bool FitsInFile(const Literal& literal);
// Returns `,"name":[numbers in row-major order, complex ones as two, null if not finite]`.
std::string NumbersMember(absl::string_view name, const Literal& literal);
// Returns `,"free":[1 for each matrix without requirements]`.
std::string FreeJsonMember(const std::vector<bool>& free);
absl::string_view TrueOrFalse(bool value);

}  // namespace hlocts::reference
