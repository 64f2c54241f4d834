// SPDX-License-Identifier: Apache-2.0
// Groups of a few opcodes that several files query, and unions of families. The name of a group
// states what its members have in common. If a switch must cover all members, they form a kind
// instead (kinds.h).
#pragma once

#include "spec/ir/opcode.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::ops {

// Returns true if each element of the result depends only on the operands' elements at its index.
inline bool IsElementwiseFamily(Opcode opcode) {
  const Family family = RowOf(opcode).family;
  return family == Family::kElementwiseUnary || family == Family::kElementwiseBinary ||
         family == Family::kElementwiseOther;
}

// Returns true if every element of the result is an element of an operand (not so in a scatter).
inline bool MovesElements(Opcode opcode) {
  const Family family = RowOf(opcode).family;
  return family == Family::kMovement || (family == Family::kIndexing && opcode != Opcode::kScatter);
}

// Returns the index of the first operand whose element type is that of the result. It is 1 for
// select, whose operand 0 is the predicate.
constexpr int TypedOperand(Opcode opcode) { return opcode == Opcode::kSelect ? 1 : 0; }

// clang-format off
// Given: values that a computation has before it runs. Source: opcodes without operands.
#define HLOCTS_PARAMETERS_AND_CONSTANTS(X) X(Parameter) X(Constant)
HLOCTS_KIND(Given, HLOCTS_PARAMETERS_AND_CONSTANTS)
#define HLOCTS_SOURCES(X) X(Parameter) X(Constant) X(Iota)
HLOCTS_KIND(Source, HLOCTS_SOURCES)
// Operations that create or access tuples.
#define HLOCTS_PACKINGS(X) X(Tuple) X(GetTupleElement)
HLOCTS_KIND(Packing, HLOCTS_PACKINGS)

// Arithmetic that compilers may transform: a sum may read an unrounded product, and a quotient may
// become a product with a reciprocal.
#define HLOCTS_SUMS(X) X(Add) X(Subtract)
HLOCTS_KIND(Sum, HLOCTS_SUMS)
#define HLOCTS_SCALINGS(X) X(Multiply) X(Divide)
HLOCTS_KIND(Scaling, HLOCTS_SCALINGS)
#define HLOCTS_FIELD_OPERATIONS(X) X(Add) X(Subtract) X(Multiply) X(Divide)
HLOCTS_KIND(FieldOperation, HLOCTS_FIELD_OPERATIONS)
// Operations with an integer quotient, which is undefined for x / 0 and INT_MIN / -1.
#define HLOCTS_DIVISIONS(X) X(Divide) X(Remainder)
HLOCTS_KIND(Division, HLOCTS_DIVISIONS)
// Commutative operations that round at each step of a reduction.
#define HLOCTS_RING_OPERATIONS(X) X(Add) X(Multiply)
HLOCTS_KIND(RingOperation, HLOCTS_RING_OPERATIONS)
// Operations that return one of their two operands.
#define HLOCTS_EXTREMA(X) X(Maximum) X(Minimum)
HLOCTS_KIND(Extremum, HLOCTS_EXTREMA)
#define HLOCTS_IDEMPOTENT(X) X(Maximum) X(Minimum) X(And) X(Or)
HLOCTS_KIND(Idempotent, HLOCTS_IDEMPOTENT)
// Operations whose range follows from the ends of the operands' ranges.
#define HLOCTS_INTERVAL_OPERATIONS(X) X(Add) X(Subtract) X(Multiply) X(Maximum) X(Minimum)
HLOCTS_KIND(Ranged, HLOCTS_INTERVAL_OPERATIONS)

#define HLOCTS_SHIFTS(X) X(ShiftLeft) X(ShiftRightArithmetic) X(ShiftRightLogical)
HLOCTS_KIND(Shift, HLOCTS_SHIFTS)
#define HLOCTS_BIT_COUNTS(X) X(Popcnt) X(CountLeadingZeros)
HLOCTS_KIND(BitCount, HLOCTS_BIT_COUNTS)
#define HLOCTS_INTEGER_UNARIES(X) \
  X(Negate) X(Not) X(Abs) X(Sign) X(Popcnt) X(CountLeadingZeros)
HLOCTS_KIND(IntegerUnary, HLOCTS_INTEGER_UNARIES)
// Operations on integers whose result depends on the bits above the integer's own width. If the
// integer is in a wider register, these bits must be correct.
#define HLOCTS_HIGH_BITS(X) X(ShiftRightLogical) X(Popcnt) X(CountLeadingZeros)
HLOCTS_KIND(HighBitsRead, HLOCTS_HIGH_BITS)
#define HLOCTS_SIGN_CHANGES(X) X(Abs) X(Negate)
HLOCTS_KIND(SignChange, HLOCTS_SIGN_CHANGES)
#define HLOCTS_COMPONENTS(X) X(Real) X(Imag)
HLOCTS_KIND(Component, HLOCTS_COMPONENTS)
// Operations that return a real number for a complex operand.
#define HLOCTS_PROJECTIONS(X) X(Abs) X(Real) X(Imag)
HLOCTS_KIND(Projection, HLOCTS_PROJECTIONS)
// Functions that overflow every type for moderate arguments.
#define HLOCTS_OVERFLOWING_FUNCTIONS(X) X(Exponential) X(ExponentialMinusOne) X(Sinh) X(Cosh)
HLOCTS_KIND(Growth, HLOCTS_OVERFLOWING_FUNCTIONS)

#define HLOCTS_CONTRACTIONS(X) X(Dot) X(Convolution)
HLOCTS_KIND(Contraction, HLOCTS_CONTRACTIONS)
// Operations that fold a called computation over many elements, from an init value.
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
