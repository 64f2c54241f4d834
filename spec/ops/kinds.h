// SPDX-License-Identifier: Apache-2.0
// Kinds: enums of opcodes. A switch over a kind without `default:` does not compile if a member is
// missing. XOf(opcode) returns the member of enum X, or nullopt for other opcodes.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>

#include "spec/ir/opcode.h"

// Marks the code after a switch that names every member.
#define HLOCTS_UNREACHABLE() std::abort()

namespace hlocts::ops {

// Returns true if `opcode` is one of `few`. A test in a single place uses this instead of a kind.
constexpr bool IsOneOf(Opcode opcode, std::initializer_list<Opcode> few) {
  for (Opcode other : few) {
    if (other == opcode) return true;
  }
  return false;
}

// Returns the position of each opcode in `members`, or -1 for opcodes that are not members.
template <size_t n>
constexpr std::array<int8_t, kOpcodeCount> PlacesOf(const Opcode (&members)[n]) {
  std::array<int8_t, kOpcodeCount> places{};
  for (int8_t& place : places) place = -1;
  for (size_t i = 0; i < n; ++i) places[static_cast<size_t>(members[i])] = static_cast<int8_t>(i);
  return places;
}

#define HLOCTS_MEMBER(Name) k##Name,
#define HLOCTS_OPCODE_OF(Name) ::hlocts::Opcode::k##Name,
// Defines the queries EnumOf and IsEnum from the list of opcodes. EnumOf is a template, so that
// std::optional of an enum is compiled only where it is used; otherwise each file that includes
// this one would take half a second longer.
#define HLOCTS_KIND_OF(Enum)                                                         \
  inline constexpr auto k##Enum##Places = ::hlocts::ops::PlacesOf(k##Enum##Opcodes); \
  template <typename Kind = Enum>                                                    \
  constexpr std::optional<Kind> Enum##Of(Opcode opcode) {                            \
    const int8_t place = k##Enum##Places[static_cast<size_t>(opcode)];               \
    return place < 0 ? std::nullopt : std::optional<Kind>(static_cast<Kind>(place)); \
  }                                                                                  \
  constexpr bool Is##Enum(Opcode opcode) {                                           \
    return k##Enum##Places[static_cast<size_t>(opcode)] >= 0;                        \
  }
#define HLOCTS_KIND(Enum, MEMBERS)                                          \
  enum class Enum : uint8_t { MEMBERS(HLOCTS_MEMBER) };                     \
  inline constexpr Opcode k##Enum##Opcodes[] = {MEMBERS(HLOCTS_OPCODE_OF)}; \
  HLOCTS_KIND_OF(Enum)

// clang-format off
// The operations that a recognised reduction computation applies to its two scalars: associative,
// commutative, with an identity.
#define HLOCTS_REDUCERS(X) X(Add) X(Multiply) X(Minimum) X(Maximum) X(And) X(Or) X(Xor)
HLOCTS_KIND(Reducer, HLOCTS_REDUCERS)

// Real arithmetic whose results IEEE 754 defines exactly.
#define HLOCTS_FLOAT_ARITHMETIC(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Remainder) X(Maximum) X(Minimum) X(Negate) X(Abs) \
  X(Sign) X(Floor) X(Ceil) X(RoundNearestAfz) X(RoundNearestEven) X(Sqrt) X(IsFinite) X(Real) \
  X(Imag)
HLOCTS_KIND(FloatArithmetic, HLOCTS_FLOAT_ARITHMETIC)

#define HLOCTS_COMPLEX_ARITHMETIC(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Maximum) X(Minimum) X(Negate) X(Abs) X(Sign) \
  X(Real) X(Imag)
HLOCTS_KIND(ComplexArithmetic, HLOCTS_COMPLEX_ARITHMETIC)

// Binary operations on real numbers and on complex numbers.
#define HLOCTS_FLOAT_BINARIES(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Remainder) X(Maximum) X(Minimum) X(Atan2) X(Power)
HLOCTS_KIND(FloatBinary, HLOCTS_FLOAT_BINARIES)
#define HLOCTS_COMPLEX_BINARIES(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Power) X(Atan2) X(Maximum) X(Minimum)
HLOCTS_KIND(ComplexBinary, HLOCTS_COMPLEX_BINARIES)
// Operations whose results are integral.
#define HLOCTS_ROUNDINGS(X) X(Floor) X(Ceil) X(RoundNearestAfz) X(RoundNearestEven) X(Sign)
HLOCTS_KIND(Rounding, HLOCTS_ROUNDINGS)

// Integer arithmetic that depends on the signedness of the type.
#define HLOCTS_SIGNED_ARITHMETIC(X) \
  X(Maximum) X(Minimum) X(Divide) X(Remainder) X(Power) X(ShiftRightArithmetic) X(Abs) X(Sign) \
  X(Mulhi)
HLOCTS_KIND(SignedArithmetic, HLOCTS_SIGNED_ARITHMETIC)
// Integer arithmetic that is the same for two's complement and unsigned numbers.
#define HLOCTS_BIT_ARITHMETIC(X) \
  X(Add) X(Subtract) X(Multiply) X(And) X(Or) X(Xor) X(ShiftLeft) X(ShiftRightLogical) X(Negate) \
  X(Not) X(CountLeadingZeros) X(Popcnt)
HLOCTS_KIND(BitArithmetic, HLOCTS_BIT_ARITHMETIC)

// Arithmetic of preds. A difference of preds is undefined (elementwise_binary.40).
#define HLOCTS_PRED_ARITHMETIC(X) \
  X(Add) X(Maximum) X(Or) X(Multiply) X(Minimum) X(And) X(Xor) X(Not)
HLOCTS_KIND(PredArithmetic, HLOCTS_PRED_ARITHMETIC)

// The opcodes of Family::kElementwiseOther.
#define HLOCTS_TYPED_OPERATIONS(X) \
  X(Compare) X(Clamp) X(Select) X(Convert) X(BitcastConvert) X(ReducePrecision) \
  X(StochasticConvert)
HLOCTS_KIND(TypedOperation, HLOCTS_TYPED_OPERATIONS)

// The opcodes of Family::kMovement.
#define HLOCTS_MOVEMENTS(X) \
  X(Broadcast) X(Reshape) X(DynamicReshape) X(Transpose) X(Reverse) X(Slice) X(Pad) \
  X(Concatenate) X(Bitcast) X(Copy)
HLOCTS_KIND(Movement, HLOCTS_MOVEMENTS)
// Movements whose result at each index is the operand's element at an affine function of the index.
#define HLOCTS_VIEWS(X) X(Broadcast) X(Transpose) X(Slice) X(Reverse)
HLOCTS_KIND(View, HLOCTS_VIEWS)

// Operations that call computations on whole values, not on elements.
#define HLOCTS_CALLERS(X) X(Call) X(Fusion) X(While) X(Conditional)
HLOCTS_KIND(Caller, HLOCTS_CALLERS)

// Operations that forward or bundle values, or run computations; they compute no array themselves.
#define HLOCTS_WIRINGS(X) \
  X(Parameter) X(Constant) X(Tuple) X(GetTupleElement) X(Copy) X(OptBarrier) X(AddDependency) \
  X(Domain) X(AfterAll) X(Call) X(Fusion) X(While) X(Conditional) X(AsyncStart) X(AsyncUpdate) \
  X(AsyncDone) X(CopyStart) X(CopyDone) X(AllGatherStart) X(AllGatherDone) X(AllReduceStart) \
  X(AllReduceDone) X(CollectivePermuteStart) X(CollectivePermuteDone)
HLOCTS_KIND(Wiring, HLOCTS_WIRINGS)

// Transfers between devices and the host, by name or channel.
#define HLOCTS_TRANSFERS(X) X(Infeed) X(Outfeed) X(Send) X(SendDone) X(Recv) X(RecvDone)
HLOCTS_KIND(Transfer, HLOCTS_TRANSFERS)

// Synchronous exchanges between the members of a group. CollectiveOf returns the same member for an
// operation and for its asynchronous start.
#define HLOCTS_COLLECTIVES(X) \
  X(AllGather) X(AllReduce) X(ReduceScatter) X(AllToAll) X(RaggedAllToAll) X(CollectivePermute) \
  X(CollectiveBroadcast)
HLOCTS_KIND(SynchronousCollective, HLOCTS_COLLECTIVES)
// clang-format on
using Collective = SynchronousCollective;
#define HLOCTS_STARTED(X) X(AllGather) X(AllReduce) X(CollectivePermute)
#define HLOCTS_START_OF(Name) \
  if (opcode == Opcode::k##Name##Start) return Opcode::k##Name;
constexpr Opcode SynchronousOpcode(Opcode opcode) {
  HLOCTS_STARTED(HLOCTS_START_OF)
  return opcode;
}
constexpr std::optional<Collective> CollectiveOf(Opcode opcode) {
  return SynchronousCollectiveOf(SynchronousOpcode(opcode));
}

enum class RealFunction : uint8_t {
#define HLOCTS_REAL_FUNCTION(Name, ...) HLOCTS_MEMBER(Name)
#define HLOCTS_REAL_FORMULA(Name, ...) HLOCTS_MEMBER(Name)
#define HLOCTS_BINARY_FUNCTION(Name, ...) HLOCTS_MEMBER(Name)
#include "spec/ops/scalar_functions.def"
};
inline constexpr Opcode kRealFunctionOpcodes[] = {
#define HLOCTS_REAL_FUNCTION(Name, ...) HLOCTS_OPCODE_OF(Name)
#define HLOCTS_REAL_FORMULA(Name, ...) HLOCTS_OPCODE_OF(Name)
#define HLOCTS_BINARY_FUNCTION(Name, ...) HLOCTS_OPCODE_OF(Name)
#include "spec/ops/scalar_functions.def"
};
HLOCTS_KIND_OF(RealFunction)

// Complex functions, square root included: no rule defines complex square roots exactly.
enum class ComplexFunction : uint8_t {
#define HLOCTS_COMPLEX_FUNCTION(Name, ...) HLOCTS_MEMBER(Name)
#define HLOCTS_COMPLEX_FORMULA(Name, ...) HLOCTS_MEMBER(Name)
#define HLOCTS_COMPLEX_BINARY(Name) HLOCTS_MEMBER(Name)
#include "spec/ops/scalar_functions.def"
};
inline constexpr Opcode kComplexFunctionOpcodes[] = {
#define HLOCTS_COMPLEX_FUNCTION(Name, ...) HLOCTS_OPCODE_OF(Name)
#define HLOCTS_COMPLEX_FORMULA(Name, ...) HLOCTS_OPCODE_OF(Name)
#define HLOCTS_COMPLEX_BINARY(Name) HLOCTS_OPCODE_OF(Name)
#include "spec/ops/scalar_functions.def"
};
HLOCTS_KIND_OF(ComplexFunction)

}  // namespace hlocts::ops
