// SPDX-License-Identifier: Apache-2.0
// Set arithmetic of real floating-point operations: applies rules to acceptance sets.
//
// Every function returns a superset of what the rule allows for all operand values in the operands'
// sets, and exactly what it allows if the operands are points (lemmas 5-8, 13-17, 27, 28).
#pragma once

#include "absl/strings/string_view.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/bounds.h"
#include "spec/judge/functions.h"
#include "spec/judge/real.h"

namespace hlocts {

// The inputs of an operation in addition to its operands' sets.
struct SetContext {
  const FloatFacts* operand = nullptr;  // format of the operands
  const FloatFacts* result = nullptr;   // format of the result
  Rule rule;
  RangeGuard guard = {-kInfinity, kInfinity};  // range of a function, ignored with kNoRangeGuard
  uint32_t origin = 0;
  bool rigorous = false;  // use MPFR for functions
  const Bounds* bounds = &kBounds;
};

// A set as an operation reads it: a finite interval (zeros included) and flags for other values.
struct View {
  bool nan = false, pos_inf = false, neg_inf = false, pos_zero = false, neg_zero = false;
  bool finite = false;
  double lo = 0, hi = 0;
  bool integral = false;

  bool Positive() const { return finite && hi > 0; }
  bool Negative() const { return finite && lo < 0; }
  bool Zero() const { return pos_zero || neg_zero; }
  bool Infinite() const { return pos_inf || neg_inf; }
};
// Returns the view of a set after the flushes of kFlushOperand. If `read_hull` (for consumers that
// may skip a rounding), the view contains the pre-rounding interval.
View ReadSet(const AcceptanceSet& set, const FloatFacts& facts, uint32_t permissions,
             bool read_hull);

// Adds the zeros to which subnormal values may be flushed.
AcceptanceSet WithFlushes(AcceptanceSet set, const FloatFacts& facts);

// The unrounded result of an operation.
struct Image {
  bool nan = false, pos_inf = false, neg_inf = false;
  bool pos_zero = false, neg_zero = false;  // exact zeros
  bool finite = false;
  Bound lo, hi;
};
// Rounds an image to the result format: by ulps if the rule has them, otherwise correctly (with
// flushes, overflow and second roundings). `argument` is the largest |x| of the operand.
AcceptanceSet StoreImage(const Image& image, const SetContext& context, double argument = 0);

// Adds the possible results if a partial result may be `above` the largest value or `below` its
// negative: an infinity or the format's substitute, a NaN if both occur, and any number if partial
// results may have saturated.
void AddPartialOverflow(bool above, bool below, const SetContext& context, AcceptanceSet& s);

// Applies negate, abs, sign, floor, ceil, round-*, sqrt or a real function.
AcceptanceSet UnaryFloat(Opcode opcode, const AcceptanceSet& a, const SetContext& context);
// Applies add, subtract, multiply, divide, remainder, power, atan2, maximum or minimum.
AcceptanceSet BinaryFloat(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                          const SetContext& context);
AcceptanceSet ClampFloat(const AcceptanceSet& min, const AcceptanceSet& operand,
                         const AcceptanceSet& max, const SetContext& context);
// Returns {0}, {1} or {0,1} as an integer set. `direction` is the text of the attribute.
AcceptanceSet CompareFloat(absl::string_view direction, bool total_order, const AcceptanceSet& a,
                           const AcceptanceSet& b, const SetContext& context);
AcceptanceSet IsFiniteFloat(const AcceptanceSet& a, const SetContext& context);
AcceptanceSet ReducePrecisionFloat(const AcceptanceSet& a, int exponent_bits, int mantissa_bits,
                                   const SetContext& context);
AcceptanceSet ConvertFloatToFloat(const AcceptanceSet& a, const SetContext& context);
// Converts to an integer or pred type; context.result is unused. A value out of range yields any
// value, or the end of the range if `saturate`.
AcceptanceSet ConvertFloatToInteger(const AcceptanceSet& a, PrimitiveType to, bool saturate,
                                    const SetContext& context);
AcceptanceSet ConvertIntegerToFloat(const AcceptanceSet& a, PrimitiveType from,
                                    const SetContext& context);

}  // namespace hlocts
