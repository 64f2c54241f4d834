// SPDX-License-Identifier: Apache-2.0
// Declares the joint predicate of triangular-solve, which bounds |b - T x| (lemma 9).
#pragma once

#include <memory>
#include <vector>

#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/solve_within.h"
#include "reference/judge/structured/triangular_inverse.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

// Returns T(i, j) of the effective triangular matrix of batch b.
Complex KnownCoefficient(const Literal& a, const SolveGeometry& g, int64_t b, int64_t i, int64_t j);
std::vector<Complex> TriangleOf(const Literal& a, const SolveGeometry& g, int64_t b);

// One inverse per batch; null if blocks are not inverted.
using Inverses = std::vector<std::shared_ptr<const TriangularInverse>>;

// Returns the largest permitted |b - T x| of each row for v = |b| + |T||x|, for engines that
// substitute and for engines that invert blocks (triangular_inverse.h).
std::vector<double> AllowedResiduals(const TriangularInverse& inverse, double bound, double flush,
                                     double sum_x, std::vector<double> v);

// The relative and absolute bound of a residual. The relative bound applies to |b| + |T||x| if
// right_side is true, else to |T||x|.
struct ResidualBound {
  double relative = 0, flush = 0;
  bool right_side = true;
};
// By batch: any result is permitted; a result may contain infinities or NaNs.
struct OpenSystems {
  std::vector<bool> free, overflow;
};
std::shared_ptr<const JointPredicate> MakeSolvePredicate(Literal a, Literal b, SolveGeometry g,
                                                         ResidualBound bound, OpenSystems open,
                                                         Inverses inverses);

}  // namespace hlocts::reference
