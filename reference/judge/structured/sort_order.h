// SPDX-License-Identifier: Apache-2.0
// The order that a comparator requires of one line: which rows must precede which, and the places
// that this leaves to each (sort.8, sort.21; ruling 0024).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_SORT_ORDER_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_SORT_ORDER_H_

#include <cstdint>
#include <vector>

#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// A relation of n rows: at i * n + j whether row i must precede row j.
using RowRelation = std::vector<uint8_t>;

struct LineOrder {
  bool satisfiable = true;           // false: every arrangement breaks it, so each row is free
  std::vector<int64_t> first, last;  // places each row may take
  // The places allow arrangements that the relation forbids: the relation has to be checked too.
  bool partial = false;
};

// Lemma. In an arrangement that satisfies `before`, every row follows all rows that reach it and
// precedes all that it reaches; so its place is between the number of the former and n - 1 minus
// that of the latter. A relation with a cycle has no such arrangement.
LineOrder OrderOfRows(int64_t n, const RowRelation& before);

// The possible results of a comparison.
enum Truth : uint8_t { kSurelyTrue = 1, kSurelyFalse = 2, kOpenTruth = 3 };
inline bool MayBeTrue(Truth t) { return (t & kSurelyTrue) != 0; }
inline bool MayBeFalse(Truth t) { return (t & kSurelyFalse) != 0; }
// The truth of each element of an array of preds.
std::vector<Truth> TruthsOf(const SetArray& preds);

// Which rows surely precede which by the comparator, and, of a stable sort, which tied rows.
struct Demands {
  RowRelation precedes, kept;
  bool certain = true;  // no comparison is in doubt
};
// less: comparator(row i, row j) at i * n + j.
Demands DemandsOf(int64_t n, const std::vector<Truth>& less);

// Returns true if rows of which neither precedes the other stand alike to all others (ties are
// transitive).
bool IsWeakOrder(int64_t n, const RowRelation& precedes);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_SORT_ORDER_H_
