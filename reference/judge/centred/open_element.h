// SPDX-License-Identifier: Apache-2.0
// Opens single elements of a node to sweeps, by the kind of the node.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_OPEN_ELEMENT_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_OPEN_ELEMENT_H_

#include <memory>

#include "reference/judge/centred/prepare.h"
#include "reference/judge/sums/sums.h"
#include "spec/judge/real.h"

namespace hlocts::reference {

// The relative error of a value computed in f64, and more than any underflow loses there.
inline constexpr double kRounded = 0x1p-53, kLeast = 0x1p-1000;

struct Preparing {
  SetInterpreter& interpreter;
  absl::Span<const std::unique_ptr<Node>> nodes;
  Node& node;
  const FloatFacts& facts;
  bool points = false;

  const Node& Operand(size_t k) const { return *nodes[node.operands[k]]; }
};

// A subnormal number may be read as zero outside strict.
void AddFlush(const Preparing& p, int64_t i);
// Sets the error of an element: the part that all readers share, and that of each reader.
void SetNoise(const Preparing& p, int64_t i, double shared, double own);
// Sets the difference between two readers of an element: by their own roundings and, if it may be
// computed twice, by the difference between two readers of its operands.
void SetSpread(const Preparing& p, int64_t i, double of_operands);
// Sets the element to `at` in the reference execution; false if that leaves no finite box.
bool Open(const Preparing& p, int64_t i, double at);
// Returns true if a result may be computed from it. Elements that may be no number are unusable,
// except certain infinities that are not selected.
bool IsUsable(const Node& operand, int64_t j, const Slope& slope);
// The index of the element in an operand; one number may serve all elements.
int64_t ElementOf(const Node& operand, int64_t i);
// Nothing behind it adds to a sweep.
bool IsSilent(const Node& node, int64_t i);

struct Elementwise {
  const SlopeRow* row;
  SetContext context;
};
// False: a sweep cannot go on from there.
bool OpenElementwise(const Preparing& p, const Elementwise& op, int64_t i);
// For a tape of points: roundings of equal terms err alike, so that n of them count as n^2. Returns
// the largest ratio of this count to the number of terms in a result of the node.
double AlikeTerms(const Preparing& p);
// `rule`: how the sum accumulates.
bool OpenSum(const Preparing& p, const SetContext& context, const SumRule& rule, double alike,
             int64_t i);
bool OpenPick(const Preparing& p, int64_t i);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_OPEN_ELEMENT_H_
