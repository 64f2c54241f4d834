// SPDX-License-Identifier: Apache-2.0
// Slopes of element-wise operations: by how much a result moves when its operands do (RULES 43).
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_SLOPES_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_SLOPES_H_

#include <cmath>

#include "absl/types/span.h"
#include "spec/ir/opcode_fwd.h"

namespace hlocts::reference {

// The range of an operand: `at` is its value in the reference execution, in [lo, hi].
struct Box {
  double lo = 0, hi = 0, at = 0;
  double spread = 0;  // two readers of it in one execution see numbers no farther apart
};

// Every number of [middle - radius, middle + radius]; those of two readers in one execution are no
// farther apart than `apart`.
struct Slope {
  double middle = 0, radius = 0, apart = HUGE_VAL;
  bool IsZero() const { return middle == 0 && radius == 0; }
};

// An operation with known slopes. For all x in the boxes of the operands
// f(x) - f(at) = sum g_k (x_k - at_k) with some g_k of slopes[k].
struct SlopeRow {
  Opcode opcode;
  int operands;
  // f, off by at most 2^-48 of the result.
  double (*value)(const double* x);
  // False: no slopes are known there (a pole, a jump, the end of the domain).
  bool (*slopes)(const Box* boxes, Slope* slopes);
};
// nullptr: none. Selections, conversions and moves are not here.
const SlopeRow* SlopeRowOf(Opcode opcode);

// The largest or the smallest of several: value of the reference execution and slopes; those that
// cannot be it anywhere in their boxes have none.
void SelectionSlopes(bool largest, absl::Span<const Box> boxes, absl::Span<Slope> slopes);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_SLOPES_H_
