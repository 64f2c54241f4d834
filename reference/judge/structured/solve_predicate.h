// SPDX-License-Identifier: Apache-2.0
// The joint predicate of triangular-solve: what |b - T x| may be (RULES 9).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_SOLVE_PREDICATE_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_SOLVE_PREDICATE_H_

#include <memory>
#include <vector>

#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/solve_within.h"
#include "reference/judge/structured/triangular_inverse.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

// T(i, j) of the effective triangular matrix of batch b.
Complex KnownCoefficient(const Literal& a, const SolveGeometry& g, int64_t b, int64_t i, int64_t j);
std::vector<Complex> TriangleOf(const Literal& a, const SolveGeometry& g, int64_t b);

// One for each batch; null if blocks are not inverted.
using Inverses = std::vector<std::shared_ptr<const TriangularInverse>>;

// The most that |b - T x| may be in each row with v = |b| + |T||x|, for engines that substitute and
// for those that invert blocks (triangular_inverse.h).
std::vector<double> AllowedResiduals(const TriangularInverse& inverse, double bound, double flush,
                                     double sum_x, std::vector<double> v);

// The bound of a residual: relative and absolute. right_side: the former is of |b| + |T||x|, else
// |T||x|.
struct ResidualBound {
  double relative = 0, flush = 0;
  bool right_side = true;
};
// For each batch: whether any result is permitted, and whether one that is no number is.
struct OpenSystems {
  std::vector<bool> free, overflow;
};
std::shared_ptr<const JointPredicate> MakeSolvePredicate(Literal a, Literal b, SolveGeometry g,
                                                         ResidualBound bound, OpenSystems open,
                                                         Inverses inverses);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_SOLVE_PREDICATE_H_
