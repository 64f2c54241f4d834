// SPDX-License-Identifier: Apache-2.0
// Rules that are exact in floating point, bit for bit. They apply to integers too.
#include <algorithm>
#include <cmath>

#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

bool IsOneOf(Opcode opcode, std::initializer_list<Opcode> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

// Returns true if doubling and then halving changes no element.
template <typename T>
bool AllModerate(const Literal& literal) {
  for (T x : literal.data<T>()) {
    bool moderate = x == 0 || (std::fabs(x) > T(1e-30) && std::fabs(x) < T(1e30));
    if (!moderate) return false;
  }
  return true;
}

bool IsModerate(const Literal& literal) {
  switch (literal.element_type()) {
    case PrimitiveType::kF32:
      return AllModerate<float>(literal);
    case PrimitiveType::kF64:
      return AllModerate<double>(literal);
    default:
      return false;
  }
}

}  // namespace

bool NegateTwice(Site& s) {
  bool can = s.shape().IsArray() && Contains(RowOf(Opcode::kNegate).types, s.type());
  return can && s.Use(s.Make(Opcode::kNegate, {s.Make(Opcode::kNegate, {s.at})}));
}

// Does not apply to formats of at most 8 bits, which may lack -0 or all negative numbers.
bool SubtractAsAdd(Site& s) {
  if (IsFloat(s.type()) && BitWidth(s.type()) <= 8) return false;
  if (s.opcode() != Opcode::kSubtract || !Contains(RowOf(Opcode::kNegate).types, s.type()))
    return false;
  return s.Use(s.Make(Opcode::kAdd, {s.operand(0), s.Make(Opcode::kNegate, {s.operand(1)})}));
}

bool Commute(Site& s) {
  bool commutes = IsOneOf(s.opcode(), {Opcode::kAdd, Opcode::kMultiply, Opcode::kMinimum,
                                       Opcode::kMaximum, Opcode::kAnd, Opcode::kOr, Opcode::kXor});
  return commutes && s.Use(s.Again({s.operand(1), s.operand(0)}, s.shape()));
}

bool ApplyTwice(Site& s) {
  bool idempotent = IsOneOf(s.opcode(), {Opcode::kAbs, Opcode::kFloor, Opcode::kCeil,
                                         Opcode::kRoundNearestAfz, Opcode::kRoundNearestEven});
  return idempotent && !IsComplex(s.operand(0)->shape().element_type()) &&
         s.Use(s.Again({s.at}, s.shape()));
}

bool WithItself(Site& s) {
  static constexpr Opcode kOpcodes[] = {Opcode::kMinimum, Opcode::kMaximum, Opcode::kAnd,
                                        Opcode::kOr};
  Opcode opcode = s.choose.Pick(kOpcodes);
  if (!s.shape().IsArray() || !Contains(RowOf(opcode).types, s.type()) || IsComplex(s.type()))
    return false;
  return s.Use(s.Make(opcode, {s.at, s.at}));
}

// Doubles and halves known numbers that are neither too large nor too small for this.
bool DoubleAndHalve(Site& s) {
  const Literal* known = s.shape().IsArray() ? s.Known(*s.at) : nullptr;
  if (!known || !IsModerate(*known)) return false;
  Instruction* doubled = s.Make(Opcode::kMultiply, {s.at, s.Splat(s.shape(), 2)});
  return s.Use(s.Make(Opcode::kMultiply, {doubled, s.Splat(s.shape(), 0.5)}));
}

}  // namespace hlocts::generators
