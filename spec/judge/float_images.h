// SPDX-License-Identifier: Apache-2.0
// Helpers of float set arithmetic: they compute the unrounded image of an operation, store it in
// the result's format and find the cause of the set's width. Internal to this directory.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "spec/judge/float_sets.h"

namespace hlocts {

inline Bound Point(double x) { return {x, 0}; }
// Returns true if [lo, hi] contains a number strictly between 0 and `limit`.
inline bool MeetsBelow(double lo, double hi, double limit) { return hi > 0 && lo < limit; }

// The stored values of a set under construction.
struct Stored {
  bool present = false;
  double lo = 0, hi = 0;
  uint16_t flags = 0;

  void AddZero(uint16_t sign) {
    lo = present ? std::min(lo, 0.0) : 0;
    hi = present ? std::max(hi, 0.0) : 0;
    present = true;
    flags |= sign;
  }
};

// Adds the result for a number that rounds beyond the largest value: infinity or its substitute.
void AddOverflow(const FloatFacts& facts, bool negative, Stored& stored);
// Adds the stored values for [slo, shi]; overflow replaces numbers beyond the largest value.
void StoreFinite(double slo, double shi, bool keep_max, const SetContext& context, Stored& stored);

// Removes values that the format does not have. A format may have only one zero; if it has no zero
// and no sign, the results for zeros and negative numbers are unspecified.
AcceptanceSet InFormat(const AcceptanceSet& s, const SetContext& context);
// Returns the cause of the width that this operation's rule adds to a set that is not a point.
WideningCause OwnTerm(const AcceptanceSet& s, bool may_flush, const SetContext& context);
// Returns true if a flush explains the width. A flush moves a result by less than the least normal,
// and by more only if an operand was flushed.
bool FlushExplains(const AcceptanceSet& s, const SetContext& context,
                   std::initializer_list<const AcceptanceSet*> operands);
// Sets the cause of the set's width: an operand that was already wide, a skipped rounding between
// that operand and this operation, or this operation. `hulls` is the flag of the operands whose
// unrounded values the operation reads, or 0 if it reads none.
AcceptanceSet WithCause(AcceptanceSet s, const SetContext& context,
                        std::initializer_list<const AcceptanceSet*> operands, uint16_t hulls = 0);

// Returns the signs in a class of values as bits: bit 0 positive, bit 1 negative.
inline int Signs(bool positive, bool negative) { return (positive ? 1 : 0) | (negative ? 2 : 0); }
inline int ProductSigns(int a, int b) {
  bool positive = ((a & 1) && (b & 1)) || ((a & 2) && (b & 2));
  bool negative = ((a & 1) && (b & 2)) || ((a & 2) && (b & 1));
  return Signs(positive, negative);
}
inline int FiniteSigns(const View& v) { return Signs(v.Positive(), v.Negative()); }
inline int ZeroSigns(const View& v) { return Signs(v.pos_zero, v.neg_zero); }
inline int InfinitySigns(const View& v) { return Signs(v.pos_inf, v.neg_inf); }
inline void SetInfinities(int signs, Image& r) {
  r.pos_inf = r.pos_inf || (signs & 1);
  r.neg_inf = r.neg_inf || (signs & 2);
}
inline void SetZeros(int signs, Image& r) {
  r.pos_zero = r.pos_zero || (signs & 1);
  r.neg_zero = r.neg_zero || (signs & 2);
}
// Extends the image to contain the bound.
void Include(const Bound& bound, Image& r);

// Adds unrounded values to the set of an exact or selecting operation. `stored` is the result for
// stored operands; `wide` is the result for unrounded operands, which some consumers read (lemma
// 7).
AcceptanceSet KeepUnrounded(AcceptanceSet stored, const AcceptanceSet& wide);

View Negated(View v);
AcceptanceSet NegatedSet(const AcceptanceSet& a);

// Return the images of add, multiply, divide and remainder. `least` is a divisor's least magnitude.
Image AddImage(const View& a, const View& b);
Image MultiplyImage(const View& a, const View& b);
Image DivideImage(const View& a, const View& b, double least);
Image RemainderImage(const View& a, const View& b);
// Returns the image of a real function. `least` is the least magnitude of an argument.
Image FunctionImage(const RealFunction& f, const View& a, double least, bool rigorous);
// Computes the image of power. Returns false if the operands are too uncertain for a bound.
bool PowerImage(const View& x, const View& y, double least, const SetContext& context, Image& r);
Image Atan2Image(const View& y, const View& x, const SetContext& context);

// Returns the set of the larger operand. No rounding occurs, so it has no pre-rounding interval.
AcceptanceSet MaximumSet(const View& a, const View& b, const SetContext& context);
AcceptanceSet Absolute(const View& v);
// Returns the C++ function for floor, ceil, round-* or sign, and nullptr for other opcodes.
using RealMap = double (*)(double);
RealMap IntegralMap(Opcode opcode);
AcceptanceSet ToIntegral(RealMap map, bool is_sign, const View& v, const SetContext& context);

}  // namespace hlocts
