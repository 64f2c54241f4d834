// SPDX-License-Identifier: Apache-2.0
// The sums of products of dot, ragged-dot and convolution, made by the evaluator itself: it is run
// on centres, magnitudes and marks in place of the operands.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_CONTRACTION_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_CONTRACTION_H_

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

// Operands that may be rounded to a narrower format first: the largest may become infinite, and
// subnormal ones move by half a unit of theirs, which no relative error bounds. Of operands that
// are split the lesser parts may underflow, and an infinity leaves the difference of two.
void RoundFirst(const SumRule& rule, Linear& linear);
// Integers of type `from` whose sum is a float of this type: unchanged, or rounded to it (0102).
void ConvertFirst(PrimitiveType from, const FloatFacts& type, Linear& linear);

// Adds the sums of products lhs x rhs to the parts (with sign -1: subtracts the centre). `first`:
// they are the first ones.
absl::Status AddProducts(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                         double sign, bool first, SumParts& parts);

// Returns true if sums of products of these may leave the range of f64.
bool MayLeaveRange(const Linear& lhs, const Linear& rhs);

// Terms per result: ask the evaluator with ones.
absl::Status CountTerms(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                        SumParts& parts);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_CONTRACTION_H_
