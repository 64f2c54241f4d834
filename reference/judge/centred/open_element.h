// SPDX-License-Identifier: Apache-2.0
// Prepares single elements of a node for sweeps. Each kind of node has its own function.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/judge/centred/prepare.h"
#include "reference/judge/sums/sums.h"
#include "spec/judge/real.h"

namespace hlocts::reference {

// kRounded is the relative error of a value computed in f64. kLeast exceeds the loss by underflow.
inline constexpr double kRounded = 0x1p-53, kLeast = 0x1p-1000;
// A number in the f64 run that is below this multiple of min_normal may be subnormal in other runs.
inline constexpr double kNearLeast = 2;
// A set wider than this share of its largest magnitude is a jump: slopes may change much over it.
inline constexpr double kJump = 0.125;
inline bool IsDiscontinuity(const Box& box) {
  return box.hi - box.lo > kJump * std::max(std::fabs(box.lo), std::fabs(box.hi));
}
// A limit in standard deviations: one element exceeds it with probability 2 exp(-t^2 / 2) = 2.6e-9.
// It also limits the sum of one instruction's roundings if all of them err to one side.
inline constexpr double kDeviations = 6.4;
// For tapes of points, returns a range that contains the element in all but improbable executions.
inline Box Widened(Box box) {
  box.lo -= kDeviations * box.deviation;
  box.hi += kDeviations * box.deviation;
  return box;
}
// Returns the slope of largest magnitude in an interval of slopes.
inline double Steepest(const Slope& slope) {
  return std::copysign(std::fabs(slope.middle) + slope.radius, slope.middle);
}
// Returns the steepest slope of a product by one factor. `box` is the box of the other factor.
inline double SteepestFactor(const Box& box) {
  const Box all = Widened(box);
  return std::copysign(std::max(std::fabs(all.lo), std::fabs(all.hi)), box.at);
}

struct Preparing {
  SetInterpreter& interpreter;
  absl::Span<const std::unique_ptr<Node>> nodes;
  Node& node;
  const FloatFacts& facts;
  bool points = false;

  const Node& Operand(size_t k) const { return *nodes[node.operands[k]]; }
};

// Adds the error of reading a subnormal number as zero, which all but the strict profile permit.
void AddFlush(const Preparing& p, int64_t i);
// Sets the error of an element: the part that all readers share, and each reader's own part.
void SetNoise(const Preparing& p, int64_t i, double shared, double own);
// Sets the largest difference between the numbers that two readers of an element see. It consists
// of the difference of the readers' own roundings and, if the element may be computed twice, of the
// difference `of_operands`.
void SetSpread(const Preparing& p, int64_t i, double of_operands);
// For tapes of points: sets the deviation of an element from its noise and from `squares`, the sum
// of the squares of the deviations that its operands contribute.
void SetDeviation(const Preparing& p, int64_t i, Square squares);
// Lets sweeps pass through element `i`, whose reference value is `at`. Returns false if its box is
// infinite.
bool Open(const Preparing& p, int64_t i, double at);
// Returns true if sweeps can pass to element `j`. Returns false if the element may be a NaN or an
// infinity, unless it is a definite infinity that no selection returns.
bool IsUsable(const Node& operand, int64_t j, const Slope& slope);
// Returns true if neither the element nor its operands add to the distance of a sweep.
bool AddsNoError(const Node& node, int64_t i);

struct Elementwise {
  const SlopeRow* row;
  SetContext context;
};
// Opens element `i` of an element-wise result. Returns false if a sweep cannot pass through it.
bool PrepareElementwise(const Preparing& p, const Elementwise& op, int64_t i);
// Returns a factor for the roundings of a sum, as nearly equal terms have equal errors (lemma 44).
// If a result's terms form groups of n nearly equal terms, its factor is the sum of n^2 divided by
// the number of terms, at least 1. Returns the largest factor of a sample. For tapes of points.
double EqualTermsFactor(const Preparing& p, int precision);
// Opens element `i` of a sum that accumulates as `rule` describes.
bool PrepareSum(const Preparing& p, const SetContext& context, const SumRule& rule, double alike,
                int64_t i);
bool PrepareSelection(const Preparing& p, int64_t i);

}  // namespace hlocts::reference
