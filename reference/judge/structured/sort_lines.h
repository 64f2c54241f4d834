// SPDX-License-Identifier: Apache-2.0
// Sorts lines of sets (lemma 25): runs the comparator on their rows and finds the positions that
// each row may take.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/joint/row_permutation.h"
#include "reference/judge/structured/sort_order.h"

namespace hlocts::reference {

struct SortJob {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  absl::Span<const SetValue> operands;
  const Computation& comparator;
  Lines lines;
  bool stable;
  uint32_t origin;
  bool nan;                     // some element may be a NaN
  bool skips_rounding;          // keys may be compared before they are rounded
  std::vector<bool> may_flush;  // per operand: its subnormals may become zeros
};

// Returns the result of comparator(row a, row b) for each pair of linear element indices.
absl::StatusOr<std::vector<Truth>> ComparePairs(
    const SortJob& job, absl::Span<const SetArray* const> rows,
    const std::vector<std::pair<int64_t, int64_t>>& pairs);

// Runs the comparator on all pairs of the line. `precedes` gets the rows that it puts first.
absl::StatusOr<LineOrder> OrderOfLine(const SortJob& job, absl::Span<const SetArray* const> rows,
                                      int64_t start, RowRelation& precedes);

// Sets the outputs for rows i that may take positions first[i] to last[i]. Joins rows with the same
// positions first, since a long line may be a single tie.
void PlaceRows(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start,
               const LineOrder& order, std::vector<std::vector<AcceptanceSet>>& out);

// Returns for each position its cluster. Rows stay within the positions of their cluster.
std::vector<int> ClustersOf(const LineOrder& order);

}  // namespace hlocts::reference
