// SPDX-License-Identifier: Apache-2.0
// Exact rules of integer arithmetic modulo 2^n and of the Boolean algebra of bits.

#include "generators/metamorphic/rules.h"
#include "spec/ops/kinds.h"

namespace hlocts::generators {
namespace {

bool IsIntegerArray(const Site& s) { return s.shape().IsArray() && IsInteger(s.type()); }
// Returns true for integers of at least 8 bits, which can represent the rules' constants.
bool IsWholeByte(const Site& s) { return IsIntegerArray(s) && BitWidth(s.type()) >= 8; }

Instruction* Two(Site& s, Opcode opcode, Instruction* a, Instruction* b) {
  return s.Make(opcode, {a, b});
}
Instruction* Not(Site& s, Instruction* a) { return s.Make(Opcode::kNot, {a}); }

}  // namespace

bool AddThenSubtract(Site& s) {
  if (!IsWholeByte(s)) return false;
  Instruction* number = s.Splat(s.shape(), static_cast<double>(s.choose.Range(1, 100)));
  return s.Use(Two(s, Opcode::kSubtract, Two(s, Opcode::kAdd, s.at, number), number));
}

// Uses a + b = (a ^ b) + 2 (a & b).
bool AddAsXorAndCarry(Site& s) {
  if (s.opcode() != Opcode::kAdd || !IsIntegerArray(s)) return false;
  Instruction* without = Two(s, Opcode::kXor, s.operand(0), s.operand(1));
  Instruction* carry = Two(s, Opcode::kAnd, s.operand(0), s.operand(1));
  return s.Use(Two(s, Opcode::kAdd, without, Two(s, Opcode::kAdd, carry, carry)));
}

bool XorAsOrMinusAnd(Site& s) {
  if (s.opcode() != Opcode::kXor || !IsIntegerArray(s)) return false;
  Instruction* either = Two(s, Opcode::kOr, s.operand(0), s.operand(1));
  Instruction* both = Two(s, Opcode::kAnd, s.operand(0), s.operand(1));
  return s.Use(Two(s, Opcode::kSubtract, either, both));
}

bool DeMorgan(Site& s) {
  if (s.opcode() != Opcode::kAnd && s.opcode() != Opcode::kOr) return false;
  Opcode other = s.opcode() == Opcode::kAnd ? Opcode::kOr : Opcode::kAnd;
  Instruction* right = Not(s, s.operand(1));
  Instruction* left = Not(s, s.operand(0));
  return s.Use(Not(s, Two(s, other, left, right)));
}

bool NegateAsNotPlusOne(Site& s) {
  if (s.opcode() != Opcode::kNegate || !IsWholeByte(s)) return false;
  Instruction* one = s.Splat(s.shape(), 1);
  return s.Use(Two(s, Opcode::kAdd, Not(s, s.operand(0)), one));
}

// Uses (x << 1) - x = x.
bool ShiftMinusItself(Site& s) {
  if (!IsWholeByte(s)) return false;
  Instruction* shifted = Two(s, Opcode::kShiftLeft, s.at, s.Splat(s.shape(), 1));
  return s.Use(Two(s, Opcode::kSubtract, shifted, s.at));
}

// Adds popcnt(x) + popcnt(not x) - width, which is 0.
bool CountedBits(Site& s) {
  if (!IsWholeByte(s)) return false;
  Instruction* ones = s.Make(Opcode::kPopcnt, {s.at});
  Instruction* zeros = s.Make(Opcode::kPopcnt, {Not(s, s.at)});
  Instruction* width = s.Splat(s.shape(), BitWidth(s.type()));
  Instruction* nothing = Two(s, Opcode::kSubtract, Two(s, Opcode::kAdd, ones, zeros), width);
  return s.Use(Two(s, Opcode::kAdd, s.at, nothing));
}

// Uses x = (x / c) c + rem(x, c) with c = 3, which avoids division by 0 and by -1.
bool QuotientAndRemainder(Site& s) {
  if (!IsWholeByte(s)) return false;
  Instruction* three = s.Splat(s.shape(), 3);
  Instruction* quotient = Two(s, Opcode::kDivide, s.at, three);
  Instruction* rest = Two(s, Opcode::kRemainder, s.at, three);
  return s.Use(Two(s, Opcode::kAdd, Two(s, Opcode::kMultiply, quotient, three), rest));
}

bool Reassociate(Site& s) {
  const bool can =
      IsIntegerArray(s) && ops::IsReducer(s.opcode()) && s.operand(0)->opcode() == s.opcode();
  if (!can) return false;
  Instruction* inner = s.operand(0);
  Instruction* right = Two(s, s.opcode(), inner->operands()[1], s.operand(1));
  return s.Use(Two(s, s.opcode(), inner->operands()[0], right));
}

namespace {

// Returns an initial value for the first step that does not change the result of both, or nullptr
// if there is none.
Instruction* Neutral(Site& s, Opcode opcode) {
  const std::optional<ops::Reducer> reducer = ops::ReducerOf(opcode);
  if (!reducer.has_value()) return nullptr;
  switch (*reducer) {
    case ops::Reducer::kAdd:
    case ops::Reducer::kXor:
      return s.Number(s.type(), 0);
    case ops::Reducer::kMultiply:
      return s.Number(s.type(), 1);
    case ops::Reducer::kAnd:
    case ops::Reducer::kOr:
    case ops::Reducer::kMinimum:
    case ops::Reducer::kMaximum:
      return s.operand(1);  // the operation is idempotent: a value may be combined twice
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

bool ReduceInTwoSteps(Site& s) {
  if (s.opcode() != Opcode::kReduce || s.at->operand_count() != 2) return false;
  const Dims& dimensions = s.at->IntList(Attr::kDimensions);
  if (dimensions.size() < 2 || !(IsInteger(s.type()) || s.type() == PrimitiveType::kPred))
    return false;
  Computation* computation = s.at->CalledComputation(Attr::kToApply);
  Instruction* neutral = Neutral(s, BinaryOf(*computation));
  if (!neutral) return false;
  int64_t first = dimensions[0];
  Dims rest;
  for (size_t i = 1; i < dimensions.size(); ++i)
    rest.push_back(dimensions[i] - (dimensions[i] > first));
  Instruction* step = s.Make(Opcode::kReduce, {s.operand(0), neutral},
                             {{Attr::kDimensions, Dims{first}}, {Attr::kToApply, computation}});
  return s.Use(s.Make(Opcode::kReduce, {step, s.operand(1)},
                      {{Attr::kDimensions, rest}, {Attr::kToApply, computation}}));
}

}  // namespace hlocts::generators
