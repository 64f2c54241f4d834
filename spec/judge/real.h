// SPDX-License-Identifier: Apache-2.0
// Real arithmetic that tracks on which side of a double the exact result is.
//
// A Bound is the nearest double to a real number and the sign of the difference. This is enough for
// the sets: rounding down or up, or to any narrower format exactly once. Round to nearest is
// assumed and asserted by the workers; contraction and fast-math are off in the build.
#ifndef HLOCTS_SPEC_JUDGE_REAL_H_
#define HLOCTS_SPEC_JUDGE_REAL_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "spec/ir/float_format.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kLargestDouble = std::numeric_limits<double>::max();

// The neighbouring doubles; infinities are their own neighbours in their direction.
inline double NextUp(double x) {
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  if (x == kInfinity) return x;
  int64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits += x > 0 ? 1 : -1;
  std::memcpy(&x, &bits, sizeof(bits));
  return x;
}
inline double NextDown(double x) { return -NextUp(-x); }
// The neighbour of x if it `moves`, else x. Branch-free: the sides of residuals and roundings are
// unpredictable, and a mispredicted branch would dominate the cost.
inline double UpIf(bool moves, double x) {
  if (x == 0 || x == kInfinity) return moves ? NextUp(x) : x;
  int64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const int64_t step = static_cast<int64_t>(moves);
  bits += x > 0 ? step : -step;
  std::memcpy(&x, &bits, sizeof(bits));
  return x;
}
inline double DownIf(bool moves, double x) { return -UpIf(moves, -x); }

// floor(log2|x|) of a normal double; -1023 for smaller numbers.
inline int ExponentOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return static_cast<int>((bits >> 52) & 0x7ff) - 1023;
}
inline double PowerOfTwo(int exponent) {
  if (exponent < -1022 || exponent > 1023) return std::ldexp(1.0, exponent);
  uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct Bound {
  double value = 0;     // nearest double, ±inf beyond the largest one
  int8_t residual = 0;  // sign of (exact - value); kUnknown: either sign
  static constexpr int8_t kUnknown = 2;

  double Down() const {
    if (value == kInfinity) return kLargestDouble;
    return DownIf((residual != 0) & (residual != 1), value);
  }
  double Up() const {
    if (value == -kInfinity) return -kLargestDouble;
    return UpIf((residual != 0) & (residual != -1), value);
  }
  // Round to odd: rounding the result to at most 51 bits is rounding the exact value once.
  double Odd() const;
};

inline double Bound::Odd() const {
  if (residual == 0 || residual == kUnknown || std::isinf(value)) return value;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (bits & 1) return value;
  return residual > 0 ? NextUp(value) : NextDown(value);
}

inline int8_t SignOf(double x) { return static_cast<int8_t>((x > 0) - (x < 0)); }

// Infinite operands are unbounded ends; if they have no sum, the result is unbounded too.
inline Bound AddExact(double a, double b) {
  double s = a + b;
  if (std::isinf(a) || std::isinf(b) || std::isinf(s)) return {s, 0};
  double t = s - a;
  double error = (a - (s - t)) + (b - t);
  return {s, SignOf(error)};
}

inline Bound MultiplyExact(double a, double b) {
  if (a == 0 || b == 0) return {0, 0};
  double p = a * b;
  if (std::isinf(p)) return {p, 0};
  // Below this the error of the product may itself underflow.
  if (std::fabs(p) < 0x1p-960) return {p, Bound::kUnknown};
  return {p, SignOf(std::fma(a, b, -p))};
}

inline Bound DivideExact(double a, double b) {
  if (a == 0 || std::isinf(b)) return {0, 0};
  double q = a / b;
  if (std::isinf(q)) return {q, 0};
  if (std::fabs(q) < 0x1p-960 || std::fabs(a) < 0x1p-900) return {q, Bound::kUnknown};
  double r = std::fma(-q, b, a);
  return {q, static_cast<int8_t>(SignOf(r) * SignOf(b))};
}

inline Bound SquareRootExact(double a) {
  double s = std::sqrt(a);
  if (a == 0 || std::isinf(s)) return {s, 0};
  if (a < 0x1p-900) return {s, Bound::kUnknown};
  return {s, SignOf(std::fma(-s, s, a))};
}

// A float format, prepared for rounding doubles to it.
struct FloatFacts {
  PrimitiveType type = PrimitiveType::kInvalid;
  int p = 0;     // precision
  int emin = 0;  // exponent of the least normal
  double max = 0;
  double min_normal = 0;
  double tiny = 0;  // least positive value
  bool infinity = false, nan = false, negative_zero = false, has_zero = true, is_f64 = false;

  // Exponent of one unit in the last place at x.
  int UlpExponent(double x) const {
    int exponent = ExponentOf(x);
    return (exponent > emin ? exponent : emin) - p + 1;
  }
  double Ulp(double x) const { return PowerOfTwo(UlpExponent(x)); }
  // Index of a value of the format in the order of its values, 0 at both zeros.
  int64_t Place(double x) const;
  // The nearest value of the format, ties to even; ±inf beyond the largest value.
  double Round(double x) const;
  double RoundDown(double x) const;  // largest value <= x (-inf: none)
  double RoundUp(double x) const;    // smallest value >= x (inf: none)
  double Next(double x) const;       // the next value above a value of the format (inf after max)
  double Previous(double x) const;
  // The value nearest to the bounded number (exact except for a kUnknown residual).
  double Round(const Bound& bound) const { return is_f64 ? bound.value : Round(bound.Odd()); }
};

// The facts by type; for a complex type, those of its component.
const FloatFacts& FactsOf(PrimitiveType type);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_REAL_H_
