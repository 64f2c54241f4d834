// SPDX-License-Identifier: Apache-2.0
// Converts arrays of a float or complex type to a type with extra precision and back with one
// rounding. Linear algebra, transforms and batch normalization compute in that type:
//
//   f64 -> long double, narrower floats -> double; the same for the parts of c128 and c64
#pragma once

#include <complex>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"

namespace hlocts::reference {

// Widens to W: double, long double, std::complex<double> or std::complex<long double>. A real array
// may be widened to a complex W.
template <typename W>
std::vector<W> Widened(const Literal& array);
// Rounds elements to the shape's type, which must be complex if W is.
template <typename W>
Literal Narrowed(absl::Span<const W> elements, const Shape& shape);

// Calls visitor(W{}) for the W of `type`. For types other than float and complex it returns an
// error that names the instruction's operation.
template <typename Visitor>
absl::StatusOr<Literal> VisitWide(PrimitiveType type, absl::string_view instruction,
                                  Visitor&& visitor) {
  if (type == PrimitiveType::kF64) return visitor(static_cast<long double>(0));
  if (IsFloat(type)) return visitor(0.0);
  if (type == PrimitiveType::kC64) return visitor(std::complex<double>());
  if (type == PrimitiveType::kC128) return visitor(std::complex<long double>());
  return Unsupported(instruction, ": element type ", PrimitiveTypeName(type));
}

}  // namespace hlocts::reference
