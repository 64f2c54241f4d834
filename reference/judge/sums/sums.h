// SPDX-License-Identifier: Apache-2.0
// Sums and products in any order, bounded: the linear operations (dot, convolution, reduce add,
// ...) are run by the plain evaluator in f64 on middles, magnitudes and radii of the operands'
// sets, and the classical bound does the rest (RULES 1, 2, 10, 11, 15).
//
// The order of a sum is free, so a set bounds all orders; it is wide only where the data make it
// so. New recognised computation: reducers.h. A bound has its derivation in spec/judge/rules.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_SUMS_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_SUMS_H_

#include <optional>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/linear.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The evaluator's values for all sums of an operation: f64 literals with a value per result.
struct SumParts {
  Literal centre;
  Literal magnitude;  // of the finite terms
  Literal radius;     // only if has_radius
  bool has_radius = false;
  Literal uncertain;  // only if has_uncertain: > 0 where an uncertain infinity or NaN takes part
  bool has_uncertain = false;
  Literal flushed;  // only if has_flushed: > 0 where an infinity meets what may be a zero
  bool has_flushed = false;
  // Only if has_fast: the error that a fast algorithm adds; infinite: any value.
  Literal fast;
  bool has_fast = false;
  Literal counts;  // terms per result; not allocated: `count` everywhere
  double count = 0;
  int quantum = Linear::kNoQuantum;  // of single terms
  int bits = 0;                      // of the operands
  Literal special;  // only if has_special: NaN or infinite where such a term certainly decides
  bool has_special = false;
  // Not 0: centre or magnitude are no finite f64; the scaled literals are they times 2^-scale.
  int scale = 0;
  Literal scaled_centre, scaled_magnitude, scaled_radius;
  bool products = false;  // terms are products
  WideningCause cause = WideningCause::kPoint;
  uint32_t origin = 0;
};

// The accumulation of a sum.
struct SumRule {
  int precision = 24;                       // of the accumulator
  const FloatFacts* accumulator = nullptr;  // its range
  double factor = 1;                        // 2 when additions may truncate
  double operand_error = 0;                 // relative, of rounding each operand first (TF32, bf16)
  const FloatFacts* operand_format = nullptr;  // what has their range, if operand_error is not 0
  int passes = 1;                              // terms for each product, where operands are split
  bool additions_only = false;                 // n - 1 roundings instead of n
  // A node that adds in f32 and rounds to a narrower type is off by u(1 + 0x1.01p-13).
  bool rounds_twice = false;
  // The number of partial sums kept in `partial`, and added last (dot.partials); 0: none.
  double partials = 0;
  const FloatFacts* partial = nullptr;
  std::optional<int64_t> height;
  double likely = 0;  // as in JudgeOptions; such sums round to nearest
};

// The sets of all results. `errors`: how far each may be from the exact sum of its terms before it
// is stored; infinite where that is not known.
std::vector<AcceptanceSet> BoundSums(const SumParts& parts, const SumRule& rule,
                                     const SetContext& context,
                                     std::vector<double>* errors = nullptr);

// The sets of complex elements from those of their parts.
std::vector<AcceptanceSet> Interleaved(const std::vector<AcceptanceSet>& re,
                                       const std::vector<AcceptanceSet>& im);

// Accumulation of reductions on `type` under the profile (of contractions: dot_precision.h).
SumRule ReductionSumRule(SetInterpreter& interpreter, Opcode opcode, const Rule& rule,
                         PrimitiveType type);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_SUMS_H_
