// SPDX-License-Identifier: Apache-2.0
// Computes the results of LAPACK's routines for one batch and for whole arrays, with 64-bit
// significands and by textbook algorithms. reference/judge/structured/lapack_* defines the
// permitted results.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reference/lapack/wide_matrix.h"
#include "spec/base/status.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {

// Returns the operands of batch element `b` as matrices; a vector becomes one row.
std::vector<WideMatrix> OperandsOf(absl::Span<const Literal> operands, int64_t b, int64_t batches);

// Returns the results of one batch in the order of the call's tuple: numbers as 1x1 matrices,
// vectors as one row. Results that LAPACK leaves undefined are zero. Operands must be finite.
std::vector<WideMatrix> ResultsOf(const LapackCall& call, const std::vector<WideMatrix>& operands,
                                  const Shape& shape);

// Returns the results as literals of the call's shape. If a batch contains a NaN or an infinity,
// all floats of its results are NaN. Returns CheckLapackShapes' errors.
absl::StatusOr<Literal> EvaluateLapack(const LapackCall& call, const Instruction& custom_call,
                                       absl::Span<const Literal> operands);

}  // namespace hlocts::reference
