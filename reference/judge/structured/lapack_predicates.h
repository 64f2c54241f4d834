// SPDX-License-Identifier: Apache-2.0
// What the results of a routine of LAPACK must fulfil together (ruling 0093, RULES 42): residuals
// in the 1-norm, orthogonality, order. LAPACK's users' guide promises errors of a modest multiple
// of eps |A|; its test programs accept ratios |residual| / (n eps |A|) below 30 (LAPACK Working
// Note 41), which is the multiple taken here.
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_LAPACK_PREDICATES_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_LAPACK_PREDICATES_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/lapack/lapack_call.h"
#include "reference/lapack/wide_matrix.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

inline constexpr double kLapackRatio = 30;

// One batch as it is judged.
struct LapackBatch {
  std::vector<WideMatrix> operands;  // middles of the operands' sets
  long double off = 0;               // 1-norm of what the first operand may be off its middle
  bool free = false;                 // no requirement: not finite, too close to singular, ...
};

// ratio n eps of a matrix with n the larger of its sizes: the relative residual that is allowed.
double LapackTolerance(int64_t rows, int64_t columns, double eps);

// Slots of geqrf: the product of its reflectors, which orgqr makes, and the triangle R alone, as it
// remains if the reflectors below it are masked.
inline constexpr int kQrProductSlot = 2, kQrTriangleSlot = 3;
// The array is the packed result of a geqrf, in place or with columns appended, and `tau` the
// factors of the same.
bool IsQrOf(const SetArray& packed, const SetArray& tau);

// Slots are the leaves of the call's result, in order. A leaf without residual (info, values that
// LAPACK leaves undefined) may be missing.
std::shared_ptr<const JointPredicate> LapackPredicate(const LapackCall& call, int slots, double eps,
                                                      double flush,
                                                      std::vector<LapackBatch> batches);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_LAPACK_PREDICATES_H_
