// SPDX-License-Identifier: Apache-2.0
// Recognises the called computation of a reduction, as far as the acceptance rules need it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/recognized.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// Returns one recognised reducer per result, if each result i of N combines only parameters i and
// i+N. Returns an empty vector for other computations.
std::vector<RecognizedReducer> RecognizeEach(const Computation& computation, int64_t results);

// A computation that returns the better of two pairs (value, index), as in argmin and argmax.
struct ArgReducer {
  bool largest = false;
  // Which index is returned for tied values: -1 the smaller, +1 the larger, 0 the first.
  int ties = 0;
  // True if a NaN wins over every number and so becomes the result.
  bool nan_wins = false;
};
std::optional<ArgReducer> RecognizeArgReducer(const Computation& computation);

// Describes when select(a, b) keeps a: GE and GT mean max pooling, LE and LT min pooling.
struct SelectRule {
  bool recognized = false;
  bool largest = false;
};
SelectRule RecognizeSelect(const Computation& computation);

// The linear indices of the operand's elements that contribute to each result of a reduce or
// reduce-window, with results in row-major order.
struct ReductionTerms {
  std::vector<std::vector<int64_t>> terms;
  // For each result, the number of window positions in padding or holes (0 for reduce).
  std::vector<int64_t> padded;
};
// Returns ResourceExhausted if the lists need more than bytes_max: for overlapping windows they may
// grow with the square of the operand's size.
absl::StatusOr<ReductionTerms> TermsOf(const Instruction& reduction,
                                       absl::Span<const int64_t> operand_sizes,
                                       absl::Span<const int64_t> operand_bounds, int64_t bytes_max);

}  // namespace hlocts::reference
