// SPDX-License-Identifier: Apache-2.0
// Sorts lines of sets (lemma 25): runs the comparator on the rows of a line and determines the
// positions that each row may take.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/joint/row_permutation.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// Computes the order that a comparator requires of one line: which rows must precede which, and the
// positions that each row may take (sort.8, sort.21; ruling 0024).

// A relation of n rows: element i * n + j is not 0 if row i must precede row j.
using RowRelation = std::vector<uint8_t>;

struct LineOrder {
  bool satisfiable = true;           // false: no order is possible, so any is permitted
  std::vector<int64_t> first, last;  // the positions that each row may take
  // True if arrangements within the positions may violate the relation, which is then checked, too.
  bool partial = false;
};

// Lemma. A row reaches another row if a chain of `before` leads from it to that row. In an
// arrangement that satisfies `before`, every row follows all rows that reach it and precedes all
// rows that it reaches. So if p rows reach a row and it reaches q rows, its position is at least p
// and at most n - 1 - q. A relation with a cycle has no such arrangement.
LineOrder OrderOfRows(int64_t n, const RowRelation& before);

// The possible results of a comparison.
enum Truth : uint8_t { kSurelyTrue = 1, kSurelyFalse = 2, kUncertain = 3 };
inline bool MayBeTrue(Truth t) { return (t & kSurelyTrue) != 0; }
inline bool MayBeFalse(Truth t) { return (t & kSurelyFalse) != 0; }
// Returns the possible values of each element of an array of preds.
std::vector<Truth> TruthsOf(const SetArray& preds);

// The rows that certainly precede others, and the tied rows that a stable sort keeps in order.
struct OrderConstraints {
  RowRelation precedes, kept;
  bool certain = true;  // every comparison has one result
};
// less[i * n + j] is the result of comparator(row i, row j).
OrderConstraints OrderConstraintsOf(int64_t n, const std::vector<Truth>& less);

// Returns true if ties are transitive: rows that tie compare equally to all other rows.
bool IsWeakOrder(int64_t n, const RowRelation& precedes);

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

// Runs the comparator on all pairs of the line. Stores in `precedes` which rows it puts first.
absl::StatusOr<LineOrder> OrderOfLine(const SortJob& job, absl::Span<const SetArray* const> rows,
                                      int64_t start, RowRelation& precedes);

// Sets the outputs, given that row i may take positions order.first[i] to order.last[i]. Rows with
// the same positions are joined first, since a long line may be a single tie.
void PlaceRows(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start,
               const LineOrder& order, std::vector<std::vector<AcceptanceSet>>& out);

// Returns for each position its cluster. Rows stay within the positions of their cluster.
std::vector<int> ClustersOf(const LineOrder& order);

}  // namespace hlocts::reference
