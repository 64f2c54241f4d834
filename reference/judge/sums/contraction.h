// SPDX-License-Identifier: Apache-2.0
// Bounds the sums of products of dot, ragged-dot and convolution. The evaluator runs on centres,
// magnitudes and marks instead of the operands.
#pragma once

#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/sums.h"

namespace hlocts::reference {

struct Contraction {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  Shape result;               // f64
  std::vector<Literal> more;  // further operands (group sizes)

  absl::StatusOr<Literal> Run(const Literal& lhs, const Literal& rhs) const {
    std::vector<Literal> operands = {lhs, rhs};
    operands.insert(operands.end(), more.begin(), more.end());
    return interpreter.runner().Run(instruction, result, operands);
  }
};

// Rounding operands to a narrower format has effects that no relative error bounds; this function
// covers them. The largest operands may become infinite, and subnormal operands change by up to
// half an ulp (by more if the format has 11 bits). If operands are split, parts may underflow, and
// an infinity is subtracted from itself.
void RoundFirst(const SumRule& rule, Linear& linear);
// Covers the optional rounding of integers of type `from` to the sum's float type (ruling 0102).
void ConvertFirst(PrimitiveType from, const FloatFacts& type, Linear& linear);

// Adds the sums of products lhs x rhs to the parts; if `sign` is -1, subtracts them from the
// centre. `first` is true for the first call.
absl::Status AddProducts(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                         double sign, bool first, SumParts& parts);

// Returns true if sums of products of the two operands may leave the range of f64.
bool MayLeaveRange(const Linear& lhs, const Linear& rhs);

// Counts the terms of each result by running the evaluator on ones.
absl::Status CountTerms(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                        SumParts& parts);

}  // namespace hlocts::reference
