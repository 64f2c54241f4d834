// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "reference/judge/centred/open_element.h"
#include "reference/judge/sums/dot_precision.h"
#include "spec/ir/instruction.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

using Flag = AcceptanceSet::Flag;
using Nodes = absl::Span<const std::unique_ptr<Node>>;

// Sets the box to all values that readers of an element may see. Returns false if one of them may
// be a NaN or infinite.
bool TakeEnds(const AcceptanceSet& s, Box& box) {
  if (!IsNumber(s)) return false;
  std::tie(box.lo, box.hi) = EndsRead(s);
  return std::isfinite(box.lo) && std::isfinite(box.hi);
}

bool IsOneNumber(const AcceptanceSet& s) { return s.lo == s.hi && !s.Has(Flag::kPreRounding); }

}  // namespace

void AddFlush(const Preparing& p, int64_t i) {
  Box& box = p.node.boxes[i];
  const double least = p.facts.min_normal, below = p.points ? kNearLeast * least : least;
  if (p.interpreter.profile() == Profile::kStrict || box.lo >= below || box.hi <= -below) return;
  if (box.lo == 0 && box.hi == 0) return;
  p.node.noise_use[i] += least;
  if (p.points) return;
  box.lo = std::min(box.lo, 0.0);
  box.hi = std::max(box.hi, 0.0);
}

void SetSpread(const Preparing& p, int64_t i, double of_operands) {
  const double computed_twice = p.node.IsOnce(i) ? 0 : of_operands;
  p.node.boxes[i].spread = (computed_twice + 2 * p.node.noise_use[i]) * (1 + 0x1p-40);
}

void SetDeviation(const Preparing& p, int64_t i, Square squares) {
  if (!p.points) return;
  const double noise = std::hypot(p.node.noise_once[i], p.node.noise_use[i]);
  // The deviation is bounded so that the box stays finite if it is widened.
  p.node.boxes[i].deviation =
      std::min(static_cast<double>(std::sqrt(squares + SquareOf(noise))), p.facts.max / 32);
}

void SetNoise(const Preparing& p, int64_t i, double shared, double own) {
  p.node.noise_once[i] = p.node.rounded_once ? shared + own : shared;
  p.node.noise_use[i] = p.node.rounded_once ? 0 : own;
  AddFlush(p, i);
}

bool Open(const Preparing& p, int64_t i, double at) {
  Box& box = p.node.boxes[i];
  if (!std::isfinite(at)) return false;
  // Near the end of the range an execution may overflow although the f64 execution does not.
  if (p.points && std::fabs(at) > p.facts.max / 2) return false;
  if (p.points) box.lo = box.hi = at;
  box.lo = std::min(box.lo, at);
  box.hi = std::max(box.hi, at);
  box.at = at;
  p.node.states[i] = Node::kOpen;
  p.node.noise_once[i] = p.node.noise_use[i] = 0;
  return true;
}

bool IsUsable(const Node& operand, int64_t j, const Slope& slope) {
  if (operand.states[j] != Node::kBroken) return true;
  return slope.IsZero() && std::isinf(operand.boxes[j].at);
}

bool AddsNoError(const Node& node, int64_t i) {
  return node.states[i] == Node::kClosed && node.noise_once[i] == 0 && node.noise_use[i] == 0;
}

namespace {

// Ends sweeps at the element: only its set is used.
void Close(const Preparing& p, int64_t i, const AcceptanceSet& s) {
  Node& node = p.node;
  Box& box = node.boxes[i];
  node.states[i] = Node::kClosed;
  node.noise_once[i] = node.noise_use[i] = 0;
  if (!TakeEnds(s, box)) {
    // Definite infinities are kept, since a selection may read them.
    const bool infinite = s.IsPoint() && !s.integer() && !s.Has(Flag::kPreRounding) &&
                          s.Has(Flag::kPosInf | Flag::kNegInf);
    const double value = !infinite ? 0 : s.Has(Flag::kPosInf) ? HUGE_VAL : -HUGE_VAL;
    box = {value, value, value, 0};
    node.states[i] = Node::kBroken;
    return;
  }
  box.at = s.lo == s.hi ? s.lo : s.lo / 2 + s.hi / 2;
  const double stored = std::max(s.hi - box.at, box.at - s.lo) * (1 + 0x1p-50);
  const double read = std::max(box.hi - box.at, box.at - box.lo) * (1 + 0x1p-50);
  node.noise_once[i] = node.once ? stored : 0;
  node.noise_use[i] = node.once ? (read > stored ? read : 0) : read;
  AddFlush(p, i);
  box.spread = 2 * node.noise_use[i];
  SetDeviation(p, i, 0);
}

// ---------------------------------------------------------------- moves and selections

bool OpenForward(const Preparing& p, const Node& from, int64_t j, int64_t i) {
  if (from.states[j] == Node::kBroken || (p.points && IsDiscontinuity(from.boxes[j]))) return false;
  if (!Open(p, i, from.boxes[j].at)) return false;
  AddFlush(p, i);
  SetSpread(p, i, from.boxes[j].spread);
  SetDeviation(p, i, from.boxes[j].deviation * from.boxes[j].deviation);
  if (AddsNoError(from, j)) p.node.states[i] = Node::kClosed;
  return true;
}

bool OpenSelect(const Preparing& p, int64_t i) {
  const SetArray& chooser = p.Operand(0).set;
  const AcceptanceSet s = chooser.At(ElementOf(chooser, i));
  if (!s.integer() || s.ilo != s.ihi) return false;
  const Node& arm = p.Operand(s.ilo != 0 ? 1 : 2);
  return OpenForward(p, arm, ElementOf(arm.set, i), i);
}

bool OpenMove(const Preparing& p, int64_t i) {
  int64_t from = p.node.terms.lhs[i];
  size_t k = 0;
  while (from >= p.Operand(k).set.element_count()) from -= p.Operand(k++).set.element_count();
  return OpenForward(p, p.Operand(k), from, i);
}

// ---------------------------------------------------------------- all elements of a node

template <typename OpenOne>
void OpenEach(const Preparing& p, const OpenOne& open) {
  for (int64_t i = 0; i < p.node.set.element_count(); ++i) {
    const AcceptanceSet s = p.node.set.At(i);
    Close(p, i, s);
    const auto* choices = p.node.set.choices == nullptr ? nullptr : p.node.set.choices->Find(i);
    const bool broken = p.node.states[i] == Node::kBroken;
    if (choices != nullptr || (broken ? !p.points : IsOneNumber(s))) continue;
    if (!open(i)) Close(p, i, s);
  }
}

void OpenElementwiseNode(const Preparing& p) {
  Elementwise op;
  op.row = SlopeRowOf(p.node.instruction->opcode());
  op.context = p.interpreter.ContextOf(*p.node.instruction, p.Operand(0).set.element_type(),
                                       p.node.set.element_type());
  p.node.slopes.resize(p.node.set.element_count() * op.row->operands);
  OpenEach(p, [&](int64_t i) { return PrepareElementwise(p, op, i); });
}

void OpenSumNode(const Preparing& p) {
  const PrimitiveType type = p.Operand(0).set.element_type();
  SetContext context =
      p.interpreter.ContextOf(*p.node.instruction, IsFloat(type) ? type : p.node.set.element_type(),
                              p.node.set.element_type());
  context.rule.rule_class = RuleClass::kCorrectlyRounded;
  const Instruction& instruction = *p.node.instruction;
  const Rule row = p.interpreter.RuleOf(instruction.opcode(), type);
  const SumRule rule = p.node.kind == NodeKind::kProducts
                           ? ContractionSumRule(p.interpreter, instruction, row, type)
                           : ReductionSumRule(p.interpreter, instruction.opcode(), row, type);
  const double alike = p.points ? EqualTermsFactor(p, rule.precision) : 1;
  OpenEach(p, [&](int64_t i) { return PrepareSum(p, context, rule, alike, i); });
}

void OpenNode(const Preparing& p) {
  switch (p.node.kind) {
    case NodeKind::kLeaf:
      return OpenEach(p, [](int64_t) { return false; });
    case NodeKind::kElementwise:
      return OpenElementwiseNode(p);
    case NodeKind::kSelect:
      return OpenEach(p, [&](int64_t i) { return OpenSelect(p, i); });
    case NodeKind::kMove:
      return OpenEach(p, [&](int64_t i) { return OpenMove(p, i); });
    case NodeKind::kSum:
    case NodeKind::kProducts:
      return OpenSumNode(p);
    case NodeKind::kPick:
      p.node.slopes.resize(p.node.terms.lhs.size());
      return OpenEach(p, [&](int64_t i) { return PrepareSelection(p, i); });
  }
}

bool HasTerms(NodeKind kind) {
  return kind == NodeKind::kMove || kind == NodeKind::kSum || kind == NodeKind::kProducts ||
         kind == NodeKind::kPick;
}

}  // namespace

// Returns the slope of a product with respect to one factor: half the sum of the other factor's
// values in an execution and in the reference execution (slopes.cc). `box` is the other factor's.
Slope FactorOf(const Box& box) {
  if (box.lo == box.hi) return {box.at, 0};
  const double lo = box.lo / 2 + box.at / 2, hi = box.hi / 2 + box.at / 2;
  const double most = std::max(std::fabs(lo), std::fabs(hi));
  return {lo / 2 + hi / 2, (hi - lo) / 2 + most * 0x1p-40 + kLeast, box.spread / 2};
}

void PrepareNode(SetInterpreter& interpreter, Nodes nodes, Node& node, bool points) {
  node.prepared = true;
  const size_t count = static_cast<size_t>(node.set.element_count());
  const bool real = IsFloat(node.set.element_type());
  if (!real) node.kind = NodeKind::kLeaf;
  node.states.assign(count, Node::kBroken);
  node.boxes.resize(count);
  node.noise_once.assign(count, 0);
  node.noise_use.assign(count, 0);
  if (!real) return;
  const bool known = !HasTerms(node.kind) || !node.terms.lhs.empty();  // true for a loop's result
  if (!known && !TermsOfNode(interpreter, nodes, node)) node.kind = NodeKind::kLeaf;
  OpenNode({interpreter, nodes, node, FactsOf(node.set.element_type()), points});
  for (size_t i = 0; !points && i < count; ++i) node.factors.push_back(FactorOf(node.boxes[i]));
  node.silent = true;
  for (size_t i = 0; i < count; ++i) node.silent = node.silent && AddsNoError(node, i);
}

void NarrowBox(Node& node, int64_t i, const AcceptanceSet& set) {
  Box box;
  if (!TakeEnds(set, box)) return;
  const double at = node.boxes[i].at;
  node.boxes[i].lo = std::max(node.boxes[i].lo, std::min(box.lo, at));
  node.boxes[i].hi = std::min(node.boxes[i].hi, std::max(box.hi, at));
  node.factors[i] = FactorOf(node.boxes[i]);
}

}  // namespace hlocts::reference
