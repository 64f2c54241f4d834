// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/real.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "spec/base/status.h"

namespace hlocts {
namespace {

// Rounds to a value of f8e8m0fnu, which has only powers of two, no zero and no sign.
double RoundToPowerOfTwo(const FloatFacts& facts, double x) {
  if (!(x > 0)) return facts.tiny;
  if (std::isinf(x)) return x;
  int exponent;
  double fraction = std::frexp(x, &exponent) * 2;
  int low = exponent - 1;
  bool up = fraction > 1.5 || (fraction == 1.5 && ((low + 127) & 1));
  double rounded = std::ldexp(1.0, low + (up ? 1 : 0));
  if (rounded < facts.tiny) return facts.tiny;
  return rounded > facts.max ? kInfinity : rounded;
}

FloatFacts MakeFacts(PrimitiveType type) {
  const FloatFormat& format = FormatOf(type);
  return {.type = type,
          .p = format.precision(),
          .emin = format.exponent_min(),
          .max = format.max_finite(),
          .min_normal = format.min_normal(),
          .tiny = format.min_positive(),
          .infinity = format.has_infinity(),
          .nan = format.has_nan(),
          .negative_zero = format.has_negative_zero(),
          .has_zero = format.has_zero,
          .is_f64 = type == PrimitiveType::kF64};
}

}  // namespace

const FloatFacts& FactsOf(PrimitiveType type) {
  static const std::array<FloatFacts, 64>* table = [] {
    auto* facts = new std::array<FloatFacts, 64>();
    for (PrimitiveType t : AllPrimitiveTypes()) {
      if (IsFloat(t)) (*facts)[static_cast<size_t>(t)] = MakeFacts(t);
    }
    return facts;
  }();
  const FloatFacts& facts = (*table)[static_cast<size_t>(ComponentType(type))];
  HLOCTS_CHECK(facts.p > 0);
  return facts;
}

double FloatFacts::Round(double x) const {
  if (is_f64 || std::isinf(x)) return x;
  if (type == PrimitiveType::kF32) return static_cast<float>(x);
  if (!has_zero) return RoundToPowerOfTwo(*this, x);
  if (std::fabs(x) > 2 * max) return std::copysign(kInfinity, x);
  const int unit = UlpExponent(x);
  if (x != 0 && (p > 51 || unit > 960)) {  // not enough spare bits or range for the addition
    double rounded = std::copysign(std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit), x);
    return std::fabs(rounded) > max ? std::copysign(kInfinity, x) : rounded;
  }
  // Adding and subtracting 1.5 * 2^(52+e) rounds once, to a multiple of 2^e.
  double magic = 1.5 * PowerOfTwo(unit + 52);
  double rounded = std::copysign((x + magic) - magic, x);
  return std::fabs(rounded) > max ? std::copysign(kInfinity, x) : rounded;
}

double FloatFacts::Next(double x) const {
  if (is_f64) return NextUp(x);
  if (!has_zero) return x >= max ? kInfinity : x * 2;
  if (x == -kInfinity) return -max;
  if (x >= max) return kInfinity;
  if (x == 0) return tiny;
  double ulp = Ulp(x);
  // From a power of two towards zero, the step is the ulp of the binade below.
  if (x < 0 && x == -PowerOfTwo(ExponentOf(x)) && ExponentOf(x) > emin) ulp /= 2;
  return x + ulp;
}

double FloatFacts::Previous(double x) const {
  if (!has_zero) return x <= tiny ? -kInfinity : x / 2;
  return -Next(-x);
}

int64_t FloatFacts::Place(double x) const {
  const double magnitude = std::fabs(x);
  int64_t place;
  if (magnitude < min_normal) {
    place = static_cast<int64_t>(magnitude / PowerOfTwo(emin - p + 1));
  } else {
    int64_t bits;
    std::memcpy(&bits, &magnitude, sizeof(bits));
    const int64_t mantissa = (bits & ((int64_t{1} << 52) - 1)) >> (53 - p);
    place = ((int64_t{ExponentOf(magnitude)} - emin + 1) << (p - 1)) + mantissa;
  }
  return x < 0 ? -place : place;
}

double FloatFacts::RoundDown(double x) const {
  if (is_f64) return x == kInfinity ? kLargestDouble : x;
  if (x >= max) return max;
  double rounded = Round(x);
  return rounded > x ? Previous(rounded) : rounded;
}

double FloatFacts::RoundUp(double x) const {
  if (!has_zero) {
    double rounded = Round(x);
    return rounded < x ? Next(rounded) : rounded;
  }
  return -RoundDown(-x);
}

}  // namespace hlocts
