// SPDX-License-Identifier: Apache-2.0
// Numbers of literals as the joint predicates read them, and as they write them for judges without
// this program.
//
// Whole-array properties judge results that are right only as a whole: a factorization, a
// transform, a sort with ties. New property: spec/judge/joint.h, with a test array that nearly
// satisfies it. Thresholds are rows of the rule table.
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_JOINT_NUMBERS_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_JOINT_NUMBERS_H_

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

// Half the distance from one to the next number of that format.
double UnitOf(PrimitiveType type);
// c128 for complex types, f64 for the others; the literal in it.
PrimitiveType WideType(PrimitiveType type);
Literal ToWide(const Literal& literal);

// The numbers within `off` of `middle`, rounded once when they are stored: what a consumer may
// assume of one element of which a predicate judges the whole.
AcceptanceSet SetAround(double middle, double off, const SetContext& context);

// Middle and half width of what a consumer may read of one part of an element; false where that may
// not be finite.
bool EnclosePart(const AcceptanceSet& s, double& middle, double& radius);

constexpr int64_t kNumbersInFileMax = 1024;
// Parameters of a predicate in JSON. Only small literals are written out.
bool FitsInFile(const Literal& literal);
// `,"name":[numbers in row-major order, a complex one as two, null for what is not finite]`.
std::string NumbersMember(absl::string_view name, const Literal& literal);
// `,"free":[1 for each matrix without requirements]`.
std::string FreeMember(const std::vector<bool>& free);
absl::string_view TrueOrFalse(bool value);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_JOINT_NUMBERS_H_
