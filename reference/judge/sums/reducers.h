// SPDX-License-Identifier: Apache-2.0
// What the called computation of a reduction is, as far as the acceptance rules distinguish it.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_REDUCERS_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_REDUCERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/recognized.h"
#include "reference/scalar_function.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// One recognised reducer per result: result i combines only parameters i and i+N. Empty: the
// computation is of another kind.
std::vector<RecognizedReducer> RecognizeEach(const Computation& computation, int64_t results);

// The idiom of argmin and argmax: two pairs (value, index), the better one is returned whole.
struct ArgReducer {
  bool largest = false;
  // The index chosen among tied values: -1 the smaller, +1 the larger, 0 the first.
  int ties = 0;
  // True if a NaN wins over every number, and so reaches the result.
  bool nan_wins = false;
};
std::optional<ArgReducer> RecognizeArgReducer(const Computation& computation);

// select(a, b) keeps a when it compares so with b: GE and GT (or LE and LT) are max (min) pooling.
struct SelectRule {
  bool recognized = false;
  bool largest = false;
};
SelectRule RecognizeSelect(const Computation& computation);

// Linear indices of the operand's elements that enter each result of a reduce or reduce-window, in
// row-major order.
struct ReductionTerms {
  std::vector<std::vector<int64_t>> terms;
  // Positions of each window that are padding or holes (0 for reduce).
  std::vector<int64_t> padded;
};
// ResourceExhausted where the lists take more than bytes_max: those of overlapping windows grow
// with the square of the operand.
absl::StatusOr<ReductionTerms> TermsOf(const Instruction& reduction,
                                       absl::Span<const int64_t> operand_sizes,
                                       absl::Span<const int64_t> operand_bounds, int64_t bytes_max);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_REDUCERS_H_
