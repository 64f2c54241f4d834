// SPDX-License-Identifier: Apache-2.0
// Bounds slopes of element-wise operations: how a result changes with its operands (lemma 43).
#pragma once

#include <cmath>

#include "absl/types/span.h"
#include "spec/ir/opcode_fwd.h"

namespace hlocts::reference {

// The type of squares of f64 numbers, which may underflow in f64 although the numbers do not.
using Square = long double;
inline Square SquareOf(double x) { return Square{x} * x; }

// The range [lo, hi] of an operand; `at` is its value in the reference execution.
struct Box {
  double lo = 0, hi = 0, at = 0;
  double spread = 0;  // the largest difference between two reads in one execution
  // Tapes of points: the standard deviation, if errors of different instructions are independent.
  double deviation = 0;
};

// The interval of slopes [middle - radius, middle + radius]. The slopes that two readers in one
// execution use differ by at most `apart`.
struct Slope {
  double middle = 0, radius = 0, apart = HUGE_VAL;
  bool IsZero() const { return middle == 0 && radius == 0; }
};

// An operation f with known slopes. For all x in the boxes of the operands, f(x) - f(at) = sum of
// g_k (x_k - at_k), with g_k in slopes[k].
struct SlopeRow {
  Opcode opcode;
  int operands;
  // Computes f with a relative error of at most 2^-50.
  double (*value)(const double* x);
  // Computes the slopes. Returns false if there are none (a pole, a jump, the end of the domain).
  bool (*slopes)(const Box* boxes, Slope* slopes);
};
// Returns an opcode's slopes or nullptr. Selections, conversions and moves are not in this table.
const SlopeRow* SlopeRowOf(Opcode opcode);

// Computes the slopes of the largest or the smallest of several operands. If an operand is selected
// for no values in the boxes, its slope is 0.
void SelectionSlopes(bool largest, absl::Span<const Box> boxes, absl::Span<Slope> slopes);

}  // namespace hlocts::reference
