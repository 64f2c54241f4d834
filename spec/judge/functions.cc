// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/functions.h"

#include <mpfr.h>

#include <cmath>

#include "spec/judge/real.h"

namespace hlocts {
namespace {

double Logistic(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  double e = std::exp(x);
  return e / (1 + e);
}
double ReciprocalSquareRoot(double x) { return 1 / std::sqrt(x); }

// Bounds: the GNU C library manual, "Known Maximum Errors in Math Functions" (x86-64), one ulp
// added; logistic and rsqrt from the formulas above.
constexpr RealFunction kFunctions[] = {
    {Opcode::kExponential, std::exp, Monotone::kIncreasing, -kInfinity, kInfinity, false, 2},
    {Opcode::kExponentialMinusOne, std::expm1, Monotone::kIncreasing, -kInfinity, kInfinity, false,
     2},
    {Opcode::kLog, std::log, Monotone::kIncreasing, 0, kInfinity, true, 2},
    {Opcode::kLogPlusOne, std::log1p, Monotone::kIncreasing, -1, kInfinity, false, 2},
    {Opcode::kLogistic, Logistic, Monotone::kIncreasing, -kInfinity, kInfinity, false, 5},
    {Opcode::kTanh, std::tanh, Monotone::kIncreasing, -kInfinity, kInfinity, false, 3},
    {Opcode::kErf, std::erf, Monotone::kIncreasing, -kInfinity, kInfinity, false, 2},
    {Opcode::kSine, std::sin, Monotone::kSine, -kInfinity, kInfinity, false, 2},
    {Opcode::kCosine, std::cos, Monotone::kCosine, -kInfinity, kInfinity, false, 2},
    {Opcode::kTan, std::tan, Monotone::kTangent, -kInfinity, kInfinity, false, 2},
    {Opcode::kCbrt, std::cbrt, Monotone::kIncreasing, -kInfinity, kInfinity, false, 5},
    {Opcode::kSqrt, std::sqrt, Monotone::kIncreasing, 0, kInfinity, false, 1},
    {Opcode::kRsqrt, ReciprocalSquareRoot, Monotone::kDecreasing, 0, kInfinity, true, 2},
    {Opcode::kAcos, std::acos, Monotone::kDecreasing, -1, 1, false, 2},
    {Opcode::kAcosh, std::acosh, Monotone::kIncreasing, 1, kInfinity, false, 4},
    {Opcode::kAsin, std::asin, Monotone::kIncreasing, -1, 1, false, 2},
    {Opcode::kAsinh, std::asinh, Monotone::kIncreasing, -kInfinity, kInfinity, false, 4},
    {Opcode::kAtanh, std::atanh, Monotone::kIncreasing, -1, 1, false, 4},
    {Opcode::kCosh, std::cosh, Monotone::kEven, -kInfinity, kInfinity, false, 3},
    {Opcode::kSinh, std::sinh, Monotone::kIncreasing, -kInfinity, kInfinity, false, 4},
};
constexpr int kBinaryBound = 2;  // pow and atan2 of the C library: 1 ulp

using MpfrUnary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

int MpfrLogistic(mpfr_t result, const mpfr_t x, mpfr_rnd_t round) {
  // 1 / (1 + exp(-x)); 200 bits leave the directed rounding to 53 the last word but for an error
  // of 2^-190, which EncloseByMpfr adds.
  mpfr_t t;
  mpfr_init2(t, 400);
  mpfr_neg(t, x, MPFR_RNDN);
  mpfr_exp(t, t, MPFR_RNDN);
  mpfr_add_ui(t, t, 1, MPFR_RNDN);
  int inexact = mpfr_ui_div(result, 1, t, round);
  mpfr_clear(t);
  return inexact;
}

MpfrUnary MpfrOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExponential:
      return mpfr_exp;
    case Opcode::kExponentialMinusOne:
      return mpfr_expm1;
    case Opcode::kLog:
      return mpfr_log;
    case Opcode::kLogPlusOne:
      return mpfr_log1p;
    case Opcode::kLogistic:
      return MpfrLogistic;
    case Opcode::kTanh:
      return mpfr_tanh;
    case Opcode::kErf:
      return mpfr_erf;
    case Opcode::kSine:
      return mpfr_sin;
    case Opcode::kCosine:
      return mpfr_cos;
    case Opcode::kTan:
      return mpfr_tan;
    case Opcode::kCbrt:
      return mpfr_cbrt;
    case Opcode::kSqrt:
      return mpfr_sqrt;
    case Opcode::kRsqrt:
      return mpfr_rec_sqrt;
    case Opcode::kAcos:
      return mpfr_acos;
    case Opcode::kAcosh:
      return mpfr_acosh;
    case Opcode::kAsin:
      return mpfr_asin;
    case Opcode::kAsinh:
      return mpfr_asinh;
    case Opcode::kAtanh:
      return mpfr_atanh;
    case Opcode::kCosh:
      return mpfr_cosh;
    case Opcode::kSinh:
      return mpfr_sinh;
    default:
      return nullptr;
  }
}

Enclosure Widen(double value, int ulps) {
  if (std::fabs(value) > 0x1p-900 && std::fabs(value) < 0x1p900) {
    double margin = std::fabs(value) * (0x1.01p-52 * ulps);  // an ulp is at most |value| * 2^-52
    return {value - margin, value + margin};
  }
  double lo = value, hi = value;
  for (int i = 0; i < ulps; ++i) {
    lo = NextDown(lo);
    hi = NextUp(hi);
  }
  return {lo, hi};
}

// The value computed to 200 bits, rounded to doubles on both sides.
template <typename Compute>
Enclosure EncloseByMpfr(const Compute& compute) {
  mpfr_t y;
  mpfr_init2(y, 200);
  compute(y);
  Enclosure enclosure = {mpfr_get_d(y, MPFR_RNDD), mpfr_get_d(y, MPFR_RNDU)};
  // An exactly representable 200-bit result may still be off by its last bit.
  bool looks_exact = enclosure.lo == enclosure.hi;
  mpfr_clear(y);
  if (looks_exact && std::isfinite(enclosure.lo) && mpfr_inexflag_p()) {
    enclosure = {NextDown(enclosure.lo), NextUp(enclosure.hi)};
  }
  return enclosure;
}

}  // namespace

const RealFunction* RealFunctionOf(Opcode opcode) {
  for (const RealFunction& function : kFunctions) {
    if (function.opcode == opcode) return &function;
  }
  return nullptr;
}

Enclosure EncloseFunction(const RealFunction& function, double x, bool rigorous) {
  double value = function.value(x);
  // f(±0) = ±0 and the like are exact in C; so is what a special value gives.
  if (x == 0 || std::isinf(x)) {
    bool exact = value == 0 || value == 1 || std::isinf(value);
    return exact ? Enclosure{value, value} : Widen(value, function.bound);
  }
  if (!rigorous) return Widen(value, function.bound);
  return EncloseByMpfr([&](mpfr_t y) {
    mpfr_t argument;
    mpfr_init2(argument, 53);
    mpfr_set_d(argument, x, MPFR_RNDN);
    mpfr_clear_flags();
    MpfrOf(function.opcode)(y, argument, MPFR_RNDN);
    mpfr_clear(argument);
  });
}

namespace {

using MpfrBinary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

Enclosure EncloseBinary(MpfrBinary function, double value, double x, double y, bool rigorous) {
  if (x == 0 || y == 0 || std::isinf(x) || std::isinf(y)) {
    bool exact = value == 0 || value == 1 || std::isinf(value);
    return exact ? Enclosure{value, value} : Widen(value, kBinaryBound);
  }
  if (!rigorous) return Widen(value, kBinaryBound);
  return EncloseByMpfr([&](mpfr_t result) {
    mpfr_t a, b;
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    mpfr_clear_flags();
    function(result, a, b, MPFR_RNDN);
    mpfr_clear(a);
    mpfr_clear(b);
  });
}

}  // namespace

Enclosure EnclosePower(double x, double y, bool rigorous) {
  if (y == 1) return {x, x};
  return EncloseBinary(mpfr_pow, std::pow(x, y), x, y, rigorous);
}

Enclosure EncloseAtan2(double y, double x, bool rigorous) {
  return EncloseBinary(mpfr_atan2, std::atan2(y, x), y, x, rigorous);
}

}  // namespace hlocts
