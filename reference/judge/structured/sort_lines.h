// SPDX-License-Identifier: Apache-2.0
// Lines of a sort in sets (RULES 25): the comparator's results on their rows, and the places that
// these leave to each.
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_SORT_LINES_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_SORT_LINES_H_

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
  bool nan;                     // some element may be one
  bool skips_rounding;          // keys may be compared before they are rounded
  std::vector<bool> may_flush;  // per operand: its subnormals may come out as zeros
};

// comparator(rows a, rows b) in sets; lanes are pairs of linear element indices.
absl::StatusOr<std::vector<Truth>> ComparePairs(
    const SortJob& job, absl::Span<const SetArray* const> rows,
    const std::vector<std::pair<int64_t, int64_t>>& pairs);

// From the comparator on all pairs of the line. precedes: which rows it puts before which.
absl::StatusOr<LineOrder> OrderOfLine(const SortJob& job, absl::Span<const SetArray* const> rows,
                                      int64_t start, RowRelation& precedes);

// The outputs' sets if row i may take places first[i] to last[i]. Rows with the same places are
// joined before they are placed: a long line may be one tie.
void PlaceRows(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start,
               const LineOrder& order, std::vector<std::vector<AcceptanceSet>>& out);

// Blocks of places that exchange rows only among themselves.
std::vector<int> ClustersOf(const LineOrder& order);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_SORT_LINES_H_
