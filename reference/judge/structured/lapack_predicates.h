// SPDX-License-Identifier: Apache-2.0
// Defines the conditions on the results of a LAPACK routine (ruling 0093, lemma 42): residuals in
// the 1-norm, orthogonality, order. LAPACK's users' guide promises errors of a modest multiple of
// eps |A|. Its test programs accept ratios |residual| / (n eps |A|) below 30 (LAPACK Working Note
// 41), which is the multiple used here.
#pragma once

#include <memory>
#include <vector>

#include "reference/lapack/wide_matrix.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/joint.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {

inline constexpr double kLapackRatio = 30;

// The data for judging one batch.
struct LapackBatch {
  std::vector<WideMatrix> operands;  // midpoints of the operands' sets
  long double off = 0;               // 1-norm of the first operand's distance from its midpoint
  std::vector<long double> scales;   // geev: the factors that balance the first operand
  bool free = false;                 // no requirement: not finite, too close to singular, ...
};

// Returns the permitted relative residual, a multiple of n * eps, where n is the larger dimension.
double LapackTolerance(int64_t rows, int64_t columns, double eps);

// Slots for parts of the result of geqrf. The product of its reflectors is the result of orgqr. The
// triangle R alone remains if the reflectors below it are masked.
inline constexpr int kQrProductSlot = 2, kQrTriangleSlot = 3;
// Returns true if `packed` is the packed result of a geqrf, with every element in its original
// position and possibly with columns appended, and `tau` has the factors of the same geqrf.
bool IsQrOf(const SetArray& packed, const SetArray& tau);

// Returns the predicate of a call. Its slots are the leaves of the result, in order. A leaf to
// which no residual applies (info, values that LAPACK leaves undefined) may be missing.
std::shared_ptr<const JointPredicate> LapackPredicate(const LapackCall& call, int slots, double eps,
                                                      double flush,
                                                      std::vector<LapackBatch> batches);

}  // namespace hlocts::reference
