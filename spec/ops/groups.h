// SPDX-License-Identifier: Apache-2.0
// Groups of a few opcodes that several rooms ask for, and sums of families. What a group is called
// says what its members share; the kinds of kinds.h are those that a whole switch goes over.
#ifndef HLOCTS_SPEC_OPS_GROUPS_H_
#define HLOCTS_SPEC_OPS_GROUPS_H_

#include "spec/ir/opcode.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::ops {

// The result's element is computed from those of the operands at the same place.
inline bool IsElementwiseFamily(Opcode opcode) {
  const Family family = RowOf(opcode).family;
  return family == Family::kElementwiseUnary || family == Family::kElementwiseBinary ||
         family == Family::kElementwiseOther;
}

// Every element of the result is one of an operand's; a scatter combines.
inline bool MovesElements(Opcode opcode) {
  const Family family = RowOf(opcode).family;
  return family == Family::kMovement || (family == Family::kIndexing && opcode != Opcode::kScatter);
}

// The operand whose type the result has, of those that are one: select's first is a choice.
constexpr int TypedOperand(Opcode opcode) { return opcode == Opcode::kSelect ? 1 : 0; }

// clang-format off
// What a computation has before it runs, and with iota what needs no operand to state its shape.
#define HLOCTS_GIVEN(X) X(Parameter) X(Constant)
HLOCTS_KIND(Given, HLOCTS_GIVEN)
#define HLOCTS_SOURCES(X) X(Parameter) X(Constant) X(Iota)
HLOCTS_KIND(Source, HLOCTS_SOURCES)
// Tuples made and opened.
#define HLOCTS_PACKINGS(X) X(Tuple) X(GetTupleElement)
HLOCTS_KIND(Packing, HLOCTS_PACKINGS)

// Arithmetic by what it may become: a sum may take a product in unrounded, and a quotient may be a
// product with a reciprocal.
#define HLOCTS_SUMS(X) X(Add) X(Subtract)
HLOCTS_KIND(Sum, HLOCTS_SUMS)
#define HLOCTS_SCALINGS(X) X(Multiply) X(Divide)
HLOCTS_KIND(Scaling, HLOCTS_SCALINGS)
#define HLOCTS_FIELD_OPERATIONS(X) X(Add) X(Subtract) X(Multiply) X(Divide)
HLOCTS_KIND(FieldOperation, HLOCTS_FIELD_OPERATIONS)
// What has a whole quotient in it: undefined of integers where that does not exist.
#define HLOCTS_DIVISIONS(X) X(Divide) X(Remainder)
HLOCTS_KIND(Division, HLOCTS_DIVISIONS)
// Commutative, and a rounding of its own at each step of a reduction.
#define HLOCTS_RING_OPERATIONS(X) X(Add) X(Multiply)
HLOCTS_KIND(RingOperation, HLOCTS_RING_OPERATIONS)
// One of the two operands.
#define HLOCTS_EXTREMA(X) X(Maximum) X(Minimum)
HLOCTS_KIND(Extremum, HLOCTS_EXTREMA)
// What is the same twice as once.
#define HLOCTS_IDEMPOTENT(X) X(Maximum) X(Minimum) X(And) X(Or)
HLOCTS_KIND(Idempotent, HLOCTS_IDEMPOTENT)
// Whose range follows from the ends of the operands' ranges.
#define HLOCTS_RANGED(X) X(Add) X(Subtract) X(Multiply) X(Maximum) X(Minimum)
HLOCTS_KIND(Ranged, HLOCTS_RANGED)

#define HLOCTS_SHIFTS(X) X(ShiftLeft) X(ShiftRightArithmetic) X(ShiftRightLogical)
HLOCTS_KIND(Shift, HLOCTS_SHIFTS)
#define HLOCTS_BIT_COUNTS(X) X(Popcnt) X(CountLeadingZeros)
HLOCTS_KIND(BitCount, HLOCTS_BIT_COUNTS)
// Integers of one operand.
#define HLOCTS_INTEGER_UNARIES(X) \
  X(Negate) X(Not) X(Abs) X(Sign) X(Popcnt) X(CountLeadingZeros)
HLOCTS_KIND(IntegerUnary, HLOCTS_INTEGER_UNARIES)
// Bits above an integer's own decide the result: which bits those of a wider register must be.
#define HLOCTS_HIGH_BITS(X) X(ShiftRightLogical) X(Popcnt) X(CountLeadingZeros)
HLOCTS_KIND(HighBitsRead, HLOCTS_HIGH_BITS)
// Nothing but the sign changes.
#define HLOCTS_SIGN_CHANGES(X) X(Abs) X(Negate)
HLOCTS_KIND(SignChange, HLOCTS_SIGN_CHANGES)
// One of the two numbers of a complex one.
#define HLOCTS_COMPONENTS(X) X(Real) X(Imag)
HLOCTS_KIND(Component, HLOCTS_COMPONENTS)
// A real number of a complex one.
#define HLOCTS_PROJECTIONS(X) X(Abs) X(Real) X(Imag)
HLOCTS_KIND(Projection, HLOCTS_PROJECTIONS)
// Soon beyond every type.
#define HLOCTS_GROWTH(X) X(Exponential) X(ExponentialMinusOne) X(Sinh) X(Cosh)
HLOCTS_KIND(Growth, HLOCTS_GROWTH)

#define HLOCTS_CONTRACTIONS(X) X(Dot) X(Convolution)
HLOCTS_KIND(Contraction, HLOCTS_CONTRACTIONS)
// A called computation over many elements, from an init value.
#define HLOCTS_FOLDS(X) X(Reduce) X(ReduceWindow)
HLOCTS_KIND(Fold, HLOCTS_FOLDS)
#define HLOCTS_REDUCING_COLLECTIVES(X) X(AllReduce) X(AllReduceStart) X(ReduceScatter)
HLOCTS_KIND(ReducingCollective, HLOCTS_REDUCING_COLLECTIVES)

#define HLOCTS_ASYNC_STEPS(X) X(AsyncStart) X(AsyncUpdate) X(AsyncDone)
HLOCTS_KIND(AsyncStep, HLOCTS_ASYNC_STEPS)
#define HLOCTS_CHANNEL_STEPS(X) X(Send) X(SendDone) X(Recv) X(RecvDone)
HLOCTS_KIND(ChannelStep, HLOCTS_CHANNEL_STEPS)
// clang-format on

}  // namespace hlocts::ops

#endif  // HLOCTS_SPEC_OPS_GROUPS_H_
