// SPDX-License-Identifier: Apache-2.0
// Implements real functions (elementwise_unary.*, Pow and Atan2 of elementwise_binary.*). Special
// values are those of C99 Annex F (ruling 0083). f32 and narrower types are computed in f64 and
// rounded once, which is the correctly rounded value except for about one argument in 2^28. f64
// uses the C library's function if it is accurate to an ulp, and is correctly rounded otherwise.
#include <cmath>
#include <limits>
#include <optional>

#include "reference/kernels/loop.h"
#include "reference/made.h"
#include "reference/ops/families.h"
#include "spec/judge/functions.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

#define HLOCTS_REAL_FUNCTION(Name, c_function, ...) \
  struct Name {                                     \
    template <typename T>                           \
    static T Apply(T x) {                           \
      return Made(std::c_function(x));              \
    }                                               \
  };
#define HLOCTS_BINARY_FUNCTION(Name, c_function, ...) \
  struct Name {                                       \
    template <typename T>                             \
    static T Apply(T x, T y) {                        \
      return Made(std::c_function(x, y));             \
    }                                                 \
  };
#include "spec/ops/scalar_functions.def"

// Computes 1/(1 + e^-x) in the form that cannot overflow; small results stay accurate.
struct Logistic {
  template <typename T>
  static T Apply(T x) {
    T e = std::exp(x >= 0 ? -x : x);
    return Made((x >= 0 ? T(1) : e) / (1 + e));
  }
};
struct Rsqrt {
  template <typename T>
  static T Apply(T x) {
    return Made(1 / std::sqrt(x));
  }
};

// Computes F in long double and rounds to the nearest double. A long double has a significand of 64
// or 113 bits, depending on the processor. If its last bits decide between two doubles, the nearer
// one is found in higher precision, so that results are the same everywhere. The long double
// functions of the GNU C library are accurate to 4 ulps of long double.
template <class F, Opcode kOpcode>
struct Wide {
  static double Apply(double x) {
    const long double y = F::template Apply<long double>(x);
    const long double slack = std::fabs(y) * (4 * std::numeric_limits<long double>::epsilon());
    const double lo = static_cast<double>(y - slack), hi = static_cast<double>(y + slack);
    if (lo == hi || !std::isfinite(y)) return static_cast<double>(y);
    return DistanceFromExact(kOpcode, x, 0, lo) < DistanceFromExact(kOpcode, x, 0, hi) ? lo : hi;
  }
};

// Computes logistic in double. The exponential of the C library is accurate to 0.51 ulp, and the
// errors of the sum and the quotient are added back (TwoSum, and the quotient's residual by FMA).
// The result is accurate to an ulp at a fifth of the cost of the long double exponential.
struct CompensatedLogistic {
  static double Apply(double x) {
    const double e = std::exp(x >= 0 ? -x : x), numerator = x >= 0 ? 1.0 : e;
    const double sum = 1 + e, lost = (1 - sum) + e, quotient = numerator / sum;
    return Made(quotient + (std::fma(-quotient, sum, numerator) - quotient * lost) / sum);
  }
};

Kernel Fast(ops::RealFunction function) {
  switch (function) {
#define HLOCTS_REAL_FUNCTION(Name, ...) \
  case ops::RealFunction::k##Name:      \
    return UnaryLoop<Name, double>;
#define HLOCTS_REAL_FORMULA HLOCTS_REAL_FUNCTION
#define HLOCTS_BINARY_FUNCTION(Name, ...) \
  case ops::RealFunction::k##Name:        \
    return BinaryLoop<Name, double>;
#include "spec/ops/scalar_functions.def"
  }
  HLOCTS_UNREACHABLE();
}

// The largest c_ulps at which the C library's f64 function is accurate to an ulp.
// scalar_functions.def adds one ulp to the function's bound.
constexpr int kGoodToAnUlp = 2;

// The C library's erf is accurate to an ulp, but its results depend on the processor.
Kernel Accurate(ops::RealFunction function) {
  if (function == ops::RealFunction::kErf) return UnaryLoop<Wide<Erf, Opcode::kErf>, double>;
  switch (function) {
#define HLOCTS_REAL_FUNCTION(Name, c_function, mpfr_function, monotone, domain, pole, c_ulps, ...) \
  case ops::RealFunction::k##Name:                                                                 \
    if constexpr (c_ulps > kGoodToAnUlp) return UnaryLoop<Wide<Name, Opcode::k##Name>, double>;    \
    break;
#include "spec/ops/scalar_functions.def"
    case ops::RealFunction::kLogistic:
      return UnaryLoop<CompensatedLogistic, double>;
    case ops::RealFunction::kRsqrt:
      return UnaryLoop<Wide<Rsqrt, Opcode::kRsqrt>, double>;
    case ops::RealFunction::kAtan2:
    case ops::RealFunction::kPower:
      break;
  }
  return Fast(function);
}

}  // namespace

Kernel AccurateFunctionKernel(Opcode opcode) {
  const std::optional<ops::RealFunction> function = ops::RealFunctionOf(opcode);
  return function.has_value() ? Accurate(*function) : nullptr;
}

Kernel FastFunctionKernel(Opcode opcode) {
  const std::optional<ops::RealFunction> function = ops::RealFunctionOf(opcode);
  return function.has_value() ? Fast(*function) : nullptr;
}

}  // namespace hlocts::reference
