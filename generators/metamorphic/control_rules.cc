// SPDX-License-Identifier: Apache-2.0
// Rules that use branches, calls, barriers or tuples, or add or rewrite loops.
#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

bool CanMoveInside(const Site& s) {
  if (IsCarrier(*s.at) || HasSideEffects(*s.at) || !s.shape().IsArray()) return false;
  for (const Instruction* one : s.at->operands()) {
    if (!one->shape().IsArray()) return false;
  }
  return s.at->operand_count() > 0;
}

Operands ElementsOf(Site& s, Instruction* tuple, int64_t first, int64_t count) {
  Operands elements;
  for (int64_t i = first; i < first + count; ++i) elements.push_back(s.Element(tuple, i));
  return elements;
}

Computation* OnTuple(Site& s, const Shape& tuple) {
  return s.Define("right", {tuple}, [&](const Operands& p) {
    return s.Again(ElementsOf(s, p[0], 0, s.at->operand_count()), s.shape());
  });
}

Instruction* Called(Site& s, Computation* computation, Instruction* operand) {
  return s.Make(Opcode::kCall, {operand}, {{Attr::kToApply, computation}});
}

Instruction* Either(Site& s, Instruction* pred, Instruction* state, Computation* on_true,
                    Computation* on_false) {
  return s.Make(Opcode::kConditional, {pred, state, state},
                {{Attr::kTrueComputation, on_true}, {Attr::kFalseComputation, on_false}});
}

Instruction* Loop(Site& s, Instruction* state, Computation* condition, Computation* body) {
  return s.Make(Opcode::kWhile, {state}, {{Attr::kCondition, condition}, {Attr::kBody, body}});
}

bool CanBeOutlined(const Site& s) {
  return !IsCarrier(*s.at) && !HasSideEffects(*s.at) && s.shape().IsArray() &&
         s.at->operand_count() > 0;
}

}  // namespace

bool ComputeInBranch(Site& s) {
  if (!CanMoveInside(s)) return false;
  Instruction* operands = s.Make(Opcode::kTuple, s.at->operands());
  Computation* right = OnTuple(s, operands->shape());
  Computation* wrong = s.Garbage(operands->shape(), s.shape());
  bool first = s.choose.Below(2) == 0;
  Instruction* pred = s.Opaque(PrimitiveType::kPred, first ? 1 : 0);
  return s.Use(Either(s, pred, operands, first ? right : wrong, first ? wrong : right));
}

// Passes an out-of-range index, for which conditional executes the last branch.
bool ComputeInLastBranch(Site& s) {
  if (!CanMoveInside(s)) return false;
  Instruction* operands = s.Make(Opcode::kTuple, s.at->operands());
  std::vector<Computation*> branches = {s.Garbage(operands->shape(), s.shape()),
                                        OnTuple(s, operands->shape())};
  Instruction* index = s.Opaque(PrimitiveType::kS32, s.choose.Below(2) ? -1 : 7);
  return s.Use(s.Make(Opcode::kConditional, {index, operands, operands},
                      {{Attr::kBranchComputations, branches}}));
}

bool SelectFromGarbage(Site& s) {
  if (!s.shape().IsArray()) return false;
  Instruction* pred = s.Broadcast(s.Opaque(PrimitiveType::kPred, 1), s.dims(), {});
  return s.Use(s.Make(Opcode::kSelect, {pred, s.at, s.Splat(s.shape(), 1)}));
}

bool SelectAsConditional(Site& s) {
  if (s.opcode() != Opcode::kSelect || !s.operand(0)->shape().IsScalar()) return false;
  return s.Use(s.Make(Opcode::kConditional, s.at->operands(),
                      {{Attr::kTrueComputation, s.Identity(s.operand(1)->shape())},
                       {Attr::kFalseComputation, s.Identity(s.operand(2)->shape())}}));
}

bool ComputeInLoop(Site& s) {
  if (!CanMoveInside(s)) return false;
  constexpr PrimitiveType kCounter = PrimitiveType::kS32;
  int64_t count = s.at->operand_count();
  Operands init = {s.Number(kCounter, 0)};
  init.insert(init.end(), s.at->operands().begin(), s.at->operands().end());
  init.push_back(s.Splat(s.shape(), 1));
  Instruction* state = s.Make(Opcode::kTuple, init);
  Computation* condition = s.Define("condition", {state->shape()}, [&](const Operands& p) {
    Instruction* one = s.Number(kCounter, 1);
    return s.Compare(s.Element(p[0], 0), "LT", one);
  });
  Computation* body = s.Define("body", {state->shape()}, [&](const Operands& p) {
    Operands operands = ElementsOf(s, p[0], 1, count);
    Operands next = {s.Make(Opcode::kAdd, {s.Element(p[0], 0), s.Number(kCounter, 1)})};
    next.insert(next.end(), operands.begin(), operands.end());
    next.push_back(s.Again(operands, s.shape()));
    return s.Make(Opcode::kTuple, next);
  });
  return s.Use(s.Element(Loop(s, state, condition, body), count + 1));
}

bool ThroughOneTripLoop(Site& s) {
  if (!s.shape().IsArray()) return false;
  Instruction* go_on = s.Opaque(PrimitiveType::kPred, 0);
  Instruction* state = s.Make(Opcode::kTuple, {s.at, go_on});
  Computation* condition = s.Define("condition", {state->shape()},
                                    [&](const Operands& p) { return s.Element(p[0], 1); });
  Computation* body = s.Define("body", {state->shape()}, [&](const Operands& p) {
    return s.Make(Opcode::kTuple, {s.Splat(s.shape(), 1), s.Element(p[0], 1)});
  });
  return s.Use(s.Element(Loop(s, state, condition, body), 0));
}

bool AddLoopState(Site& s) {
  if (s.opcode() != Opcode::kWhile) return false;
  constexpr PrimitiveType kCounter = PrimitiveType::kS32;
  Instruction* state = s.Make(Opcode::kTuple, {s.operand(0), s.Number(kCounter, 0)});
  Computation* condition = s.Define("condition", {state->shape()}, [&](const Operands& p) {
    return Called(s, s.at->CalledComputation(Attr::kCondition), s.Element(p[0], 0));
  });
  Computation* body = s.Define("body", {state->shape()}, [&](const Operands& p) {
    Instruction* next = Called(s, s.at->CalledComputation(Attr::kBody), s.Element(p[0], 0));
    Instruction* counted = s.Make(Opcode::kAdd, {s.Element(p[0], 1), s.Number(kCounter, 1)});
    return s.Make(Opcode::kTuple, {next, counted});
  });
  return s.Use(s.Element(Loop(s, state, condition, body), 0));
}

bool PeelFirstTrip(Site& s) {
  if (s.opcode() != Opcode::kWhile) return false;
  Computation* condition = s.at->CalledComputation(Attr::kCondition);
  Computation* body = s.at->CalledComputation(Attr::kBody);
  Instruction* state = s.operand(0);
  Computation* identity = s.Identity(state->shape());
  Instruction* first = Either(s, Called(s, condition, state), state, body, identity);
  return s.Use(Loop(s, first, condition, body));
}

bool UnrollByTwo(Site& s) {
  if (s.opcode() != Opcode::kWhile) return false;
  Computation* condition = s.at->CalledComputation(Attr::kCondition);
  Computation* body = s.at->CalledComputation(Attr::kBody);
  const Shape state = s.operand(0)->shape();
  Computation* identity = s.Identity(state);
  Computation* two = s.Define("two_trips", {state}, [&](const Operands& p) {
    Instruction* once = Called(s, body, p[0]);
    return Either(s, Called(s, condition, once), once, body, identity);
  });
  return s.Use(Loop(s, s.operand(0), condition, two));
}

// Adds a barrier, across which compilers do not fuse.
bool AddBarrier(Site& s) {
  if (!s.shape().IsArray()) return false;
  if (!s.choose.Below(2)) return s.Use(s.Make(Opcode::kOptBarrier, {s.at}));
  Instruction* pair = s.Make(Opcode::kTuple, {s.at, s.Number(PrimitiveType::kS32, 1)});
  return s.Use(s.Element(s.Make(Opcode::kOptBarrier, {pair}), 0));
}

bool OutlineCall(Site& s) {
  if (!CanBeOutlined(s)) return false;
  return s.Use(s.Make(Opcode::kCall, s.at->operands(), {{Attr::kToApply, s.Outlined()}}));
}

bool OutlineFusion(Site& s) {
  Family family = RowOf(s.opcode()).family;
  bool fusible = s.IsElementwise() || family == Family::kMovement || family == Family::kReduction;
  if (!fusible || !CanBeOutlined(s)) return false;
  return s.Use(s.Make(Opcode::kFusion, s.at->operands(),
                      {{Attr::kKind, Word{"kLoop"}}, {Attr::kCalls, s.Outlined()}}));
}

bool InlineCall(Site& s) {
  if (s.opcode() != Opcode::kCall) return false;
  return s.Use(s.Inlined(*s.at->CalledComputation(Attr::kToApply), s.at->operands()));
}

bool ElementwiseAsMap(Site& s) {
  if (!s.IsElementwise() || s.at->operand_count() == 0) return false;
  std::vector<Shape> scalars;
  for (const Instruction* one : s.at->operands()) {
    scalars.push_back(Shape::Scalar(one->shape().element_type()));
  }
  Computation* each = s.Define(
      "each", scalars, [&](const Operands& p) { return s.Again(p, Shape::Scalar(s.type())); });
  return s.Use(s.Make(Opcode::kMap, s.at->operands(),
                      {{Attr::kDimensions, Iotas(s.rank())}, {Attr::kToApply, each}}));
}

bool ThroughTuple(Site& s) {
  Operands values = {s.at, s.Number(PrimitiveType::kF32, 1)};
  int64_t place = s.choose.Range(0, 1);
  if (place == 1) std::swap(values[0], values[1]);
  return s.Use(s.Element(s.Make(Opcode::kTuple, values), place));
}

}  // namespace hlocts::generators
