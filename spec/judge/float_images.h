// SPDX-License-Identifier: Apache-2.0
// How the set arithmetic of floats is put together: an operation's unrounded image, what becomes of
// it when it is stored, and who made the set wide. For the files beside it only.
#ifndef HLOCTS_SPEC_JUDGE_FLOAT_IMAGES_H_
#define HLOCTS_SPEC_JUDGE_FLOAT_IMAGES_H_

#include <algorithm>
#include <initializer_list>

#include "spec/judge/float_sets.h"

namespace hlocts {

inline Bound Point(double x) { return {x, 0}; }
// Holds a number strictly between 0 and `limit` (its mirror image: pass -hi, -lo).
inline bool MeetsBelow(double lo, double hi, double limit) { return hi > 0 && lo < limit; }

// The stored part of a set while it is being made.
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

// A magnitude that rounds beyond the largest value: infinity, or what the format has instead.
void AddOverflow(const FloatFacts& facts, bool negative, Stored& stored);
// [slo, shi], which may be infinite: overflow replaces what lies beyond the largest value.
void StoreFinite(double slo, double shi, bool keep_max, const SetContext& context, Stored& stored);

// What the format cannot hold: it may have one zero only, or none and no sign, and then what
// becomes of zeros and negative numbers is open.
AcceptanceSet InFormat(const AcceptanceSet& s, const SetContext& context);
// What this operation's own rule adds to a set that is wider than a point.
WideningCause OwnTerm(const AcceptanceSet& s, bool may_flush, const SetContext& context);
// Flushing moves a result by less than the least normal; more only where an operand was flushed.
bool FlushExplains(const AcceptanceSet& s, const SetContext& context,
                   std::initializer_list<const AcceptanceSet*> operands);
// Names who made the set wider than a point: an operand that already was, a rounding that was
// skipped between it and this operation, or this operation. `hulls` is the flag of the operands
// whose unrounded values it reads, 0 for none.
AcceptanceSet WithCause(AcceptanceSet s, const SetContext& context,
                        std::initializer_list<const AcceptanceSet*> operands, uint16_t hulls = 0);

// Signs a class of values can have: bit 0 positive, bit 1 negative.
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
// The image grows to hold the bound.
void Include(const Bound& bound, Image& r);

// Of operations that are exact or select: `stored` is the result of what the operands store, `wide`
// that of their unrounded values, which a consumer that skips roundings reads instead (RULES 7).
AcceptanceSet KeepUnrounded(AcceptanceSet stored, const AcceptanceSet& wide);

View Negated(View v);
AcceptanceSet NegatedSet(const AcceptanceSet& a);

// Images of add, multiply, divide and remainder. `least` is the least magnitude of a divisor.
Image AddImage(const View& a, const View& b);
Image MultiplyImage(const View& a, const View& b);
Image DivideImage(const View& a, const View& b, double least);
Image RemainderImage(const View& a, const View& b);
// Of a real function; `least` is the least magnitude of an argument.
Image FunctionImage(const RealFunction& f, const View& a, double least, bool rigorous);
// False where the operands are too uncertain to say anything.
bool PowerImage(const View& x, const View& y, double least, const SetContext& context, Image& r);
Image Atan2Image(const View& y, const View& x, const SetContext& context);

// The larger of two operands, by value: a selection, so no rounding and no hull.
AcceptanceSet MaximumSet(const View& a, const View& b, const SetContext& context);
AcceptanceSet Absolute(const View& v);
// floor, ceil, round-*, sign; nullptr for anything else.
using RealMap = double (*)(double);
RealMap IntegralMap(Opcode opcode);
AcceptanceSet ToIntegral(RealMap map, bool is_sign, const View& v, const SetContext& context);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_FLOAT_IMAGES_H_
