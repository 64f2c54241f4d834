// SPDX-License-Identifier: Apache-2.0
// Bounds sums and products in any order. The plain evaluator runs the linear operations (dot,
// convolution, reduce add, ...) in f64 on midpoints, magnitudes and radii of the operands' sets, to
// which the classical error bound applies (lemmas 1, 2, 10, 11, 15).
//
// The order of a sum is free, so a set covers all orders; it is wide only if the data require that.
// A new kind of computation extends reducers.h. Each bound is derived in spec/judge/rules.
#pragma once

#include <optional>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/linear.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The evaluator's values for all sums of an operation: f64 literals with one value per result.
struct SumParts {
  Literal centre;
  Literal magnitude;  // sum of the magnitudes of finite terms
  Literal radius;     // only if has_radius
  bool has_radius = false;
  Literal uncertain;  // only if has_uncertain: > 0 if an uncertain infinity or NaN occurs
  bool has_uncertain = false;
  // Only if has_possible: > 0 if +inf, -inf or NaN is a possible value of a term of this result.
  Literal possible[3];
  bool has_possible = false;
  Literal flushed;  // only if has_flushed: > 0 if an infinity multiplies a possible zero
  bool has_flushed = false;
  // Only if has_fast: the error that a fast algorithm adds; infinite if any result is permitted.
  Literal fast;
  bool has_fast = false;
  Literal counts;  // terms per result; not allocated if it is `count` for all
  double count = 0;
  int quantum = Linear::kNoQuantum;  // the quantum of single terms
  int bits = 0;                      // significant bits of the operands
  Literal special;                   // only if has_special: NaN or infinite if a term makes it so
  bool has_special = false;
  // If not 0, centre or magnitude leaves f64's range; scaled literals have the factor 2^-scale.
  int scale = 0;
  Literal scaled_centre, scaled_magnitude, scaled_radius;
  bool products = false;  // true if the terms are products
  WideningCause cause = WideningCause::kPoint;
  uint32_t origin = 0;
};

// The rule by which a sum is accumulated.
struct SumRule {
  int precision = 24;                          // precision of the accumulator
  const FloatFacts* accumulator = nullptr;     // the format whose range the accumulator has
  double factor = 1;                           // 2 if additions may truncate
  double operand_error = 0;                    // the relative error of rounding each operand first
  const FloatFacts* operand_format = nullptr;  // has the range of rounded operands
  int passes = 1;                              // terms per product if operands are split
  WideningCause operand_cause = WideningCause::kReading;  // the cause of operand_error
  bool additions_only = false;                            // n - 1 roundings instead of n
  // True if each addition may be rounded to f32 and then to a narrower type, by u(1 + 0x1.01p-13).
  bool rounds_twice = false;
  // The number of partial sums kept in `partial` and added last (dot.partials, devices); 0 if none.
  double partials = 0;
  const FloatFacts* partial = nullptr;
  std::optional<int64_t> height;
  double likely = 0;  // as in JudgeOptions; these sums round to nearest
};

// Returns the sets of all results. Stores in `errors` the distance of each result, before it is
// stored, from the exact sum of its terms, or infinity if the distance is unknown.
std::vector<AcceptanceSet> BoundSums(const SumParts& parts, const SumRule& rule,
                                     const SetContext& context,
                                     std::vector<double>* errors = nullptr);

// Returns the sets of complex elements, given the sets of their parts.
std::vector<AcceptanceSet> Interleaved(const std::vector<AcceptanceSet>& re,
                                       const std::vector<AcceptanceSet>& im);

// Lets each device, if there are several, round its part of a sum to the type of the result.
void AddDeviceParts(int64_t devices, const FloatFacts& result, SumRule& sum);

// Returns the rule for reductions of `type` under the profile (contractions: dot_precision.h).
SumRule ReductionSumRule(SetInterpreter& interpreter, Opcode opcode, const Rule& rule,
                         PrimitiveType type);

}  // namespace hlocts::reference
