// SPDX-License-Identifier: Apache-2.0
// Real arithmetic that records on which side of a double the exact result is.
//
// A Bound is the double nearest to a real number, with the sign of the difference. This is enough
// to round the number down, up, or to any narrower format exactly once. The workers assert that the
// processor rounds to nearest; the build disables contraction and fast-math.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "spec/ir/float_format.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kLargestDouble = std::numeric_limits<double>::max();

// Return the neighbouring doubles. NextUp(inf) is inf, and NextDown(-inf) is -inf.
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
// Returns NextUp(x) if `moves`, otherwise x. Branch-free, because `moves` is unpredictable in
// practice and mispredicted branches would dominate the cost.
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

// Returns floor(log2|x|) for a normal double, and -1023 for smaller numbers.
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
  double value = 0;     // nearest double; ±inf beyond the largest double
  int8_t residual = 0;  // sign of (exact - value); kUnknown if it may have either sign
  static constexpr int8_t kUnknown = 2;

  double Down() const {
    if (value == kInfinity) return kLargestDouble;
    return DownIf((residual != 0) & (residual != 1), value);
  }
  double Up() const {
    if (value == -kInfinity) return -kLargestDouble;
    return UpIf((residual != 0) & (residual != -1), value);
  }
  // Returns the exact value rounded to odd. Rounding that to at most 51 bits has the same result as
  // rounding the exact value once.
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

// Returns a + b, or an infinity or NaN if an operand is infinite (the end of an unbounded
// interval).
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
  // The error of such a small product may itself underflow.
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

  // Returns the exponent of one unit in the last place at x.
  int UlpExponent(double x) const {
    int exponent = ExponentOf(x);
    return (exponent > emin ? exponent : emin) - p + 1;
  }
  double Ulp(double x) const { return PowerOfTwo(UlpExponent(x)); }
  // Returns the index of a value in the ordered values of the format; both zeros have index 0.
  int64_t Place(double x) const;
  // Returns the nearest value of the format, ties to even; ±inf beyond the largest value.
  double Round(double x) const;
  double RoundDown(double x) const;  // largest value <= x, or -inf if none
  double RoundUp(double x) const;    // smallest value >= x, or inf if none
  double Next(double x) const;       // the next larger value of the format (inf after max)
  double Previous(double x) const;
  // Rounds the number that `bound` represents; correct unless the residual is kUnknown.
  double Round(const Bound& bound) const { return is_f64 ? bound.value : Round(bound.Odd()); }
};

// Returns the FloatFacts of a type. A complex type has those of its component.
const FloatFacts& FactsOf(PrimitiveType type);

}  // namespace hlocts
