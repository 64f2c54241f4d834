// SPDX-License-Identifier: Apache-2.0
// How single elements of a node are opened to sweeps, by the kind of the node.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_OPEN_ELEMENT_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_OPEN_ELEMENT_H_

#include <memory>

#include "reference/judge/centred/prepare.h"
#include "reference/judge/sums/sums.h"
#include "spec/judge/real.h"

namespace hlocts::reference {

// Of a value computed in f64; more than anything loses there by underflow.
inline constexpr double kRounded = 0x1p-53, kLeast = 0x1p-1000;

struct Preparing {
  SetInterpreter& interpreter;
  absl::Span<const std::unique_ptr<Node>> nodes;
  Node& node;
  const FloatFacts& facts;
  bool points = false;

  const Node& Operand(size_t k) const { return *nodes[node.operands[k]]; }
};

// Outside strict a subnormal number may be read as zero.
void AddFlush(const Preparing& p, int64_t i);
// What an element is off by: what all readers share, and what each of them has for itself.
void SetNoise(const Preparing& p, int64_t i, double shared, double own);
// What two readers of an element see differs by what they round themselves and, if it may be
// computed twice, by what two readers of its operands see.
void SetSpread(const Preparing& p, int64_t i, double of_operands);
// The element is `at` in the reference execution; false where that leaves no finite box.
bool Open(const Preparing& p, int64_t i, double at);
// May a result be made of it? Of what may be no number only certain infinities, where they are
// not selected.
bool IsUsable(const Node& operand, int64_t j, const Slope& slope);
// Of an operand; one number may serve all elements.
int64_t ElementOf(const Node& operand, int64_t i);
// Nothing behind it adds to a sweep.
bool IsSilent(const Node& node, int64_t i);

struct Elementwise {
  const SlopeRow* row;
  SetContext context;
};
// False: a sweep cannot go on from there.
bool OpenElementwise(const Preparing& p, const Elementwise& op, int64_t i);
// Of a tape of points: roundings of equal terms err alike, so that n of them count as n^2; by how
// much that is more than their number, in those results of the node where it is most.
double AlikeTerms(const Preparing& p);
// `rule`: how the sum accumulates.
bool OpenSum(const Preparing& p, const SetContext& context, const SumRule& rule, double alike,
             int64_t i);
bool OpenPick(const Preparing& p, int64_t i);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_OPEN_ELEMENT_H_
