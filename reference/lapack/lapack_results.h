// SPDX-License-Identifier: Apache-2.0
// What a routine of LAPACK computes of one batch, and of whole arrays.
#ifndef HLOCTS_REFERENCE_LAPACK_LAPACK_RESULTS_H_
#define HLOCTS_REFERENCE_LAPACK_LAPACK_RESULTS_H_

#include <vector>

#include "absl/types/span.h"
#include "reference/lapack/lapack_call.h"
#include "reference/lapack/wide_matrix.h"
#include "spec/base/status.h"

namespace hlocts::reference {

// The shapes of operands and results are those of the routine; else InvalidArgument with what was
// expected and found.
absl::Status CheckLapackShapes(const LapackCall& call, const Instruction& custom_call);

// The operands of batch `b`: matrices, the factors of orgqr as one row.
std::vector<WideMatrix> OperandsOf(absl::Span<const Literal> operands, int64_t b);
int64_t BatchCount(const Literal& operand);

// The results in the order of the call's tuple, numbers as 1x1 matrices, lists as one row. What
// LAPACK leaves undefined is zero. Operands must be finite.
std::vector<WideMatrix> ResultsOf(const LapackCall& call, const std::vector<WideMatrix>& operands,
                                  const Shape& shape);

// The results as literals of the shape; for a batch with a NaN or an infinity, all floats are NaN.
// InvalidArgument as of CheckLapackShapes.
absl::StatusOr<Literal> EvaluateLapack(const LapackCall& call, const Instruction& custom_call,
                                       absl::Span<const Literal> operands);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_LAPACK_LAPACK_RESULTS_H_
