// SPDX-License-Identifier: Apache-2.0
// Real functions (elementwise_unary.*, Pow and Atan2 of elementwise_binary.*). Special values are
// those of C99 Annex F (ruling 0083). f32 and narrower types are computed in f64 and rounded once,
// which is the correctly rounded value but for about one argument in 2^28. f64 takes the C
// library's function where that is good to an ulp, and goes through the wider long double where it
// is not.
#include <cmath>

#include "reference/kernels/loop.h"
#include "reference/ops/families.h"

namespace hlocts::reference {
namespace {

struct Acos {
  template <typename T>
  static T Apply(T x) {
    return std::acos(x);
  }
};
struct Acosh {
  template <typename T>
  static T Apply(T x) {
    return std::acosh(x);
  }
};
struct Asin {
  template <typename T>
  static T Apply(T x) {
    return std::asin(x);
  }
};
struct Asinh {
  template <typename T>
  static T Apply(T x) {
    return std::asinh(x);
  }
};
struct Atanh {
  template <typename T>
  static T Apply(T x) {
    return std::atanh(x);
  }
};
struct Cbrt {
  template <typename T>
  static T Apply(T x) {
    return std::cbrt(x);
  }
};
struct Cosine {
  template <typename T>
  static T Apply(T x) {
    return std::cos(x);
  }
};
struct Cosh {
  template <typename T>
  static T Apply(T x) {
    return std::cosh(x);
  }
};
struct Erf {
  template <typename T>
  static T Apply(T x) {
    return std::erf(x);
  }
};
struct Exponential {
  template <typename T>
  static T Apply(T x) {
    return std::exp(x);
  }
};
struct ExponentialMinusOne {
  template <typename T>
  static T Apply(T x) {
    return std::expm1(x);
  }
};
struct Log {
  template <typename T>
  static T Apply(T x) {
    return std::log(x);
  }
};
struct LogPlusOne {
  template <typename T>
  static T Apply(T x) {
    return std::log1p(x);
  }
};
struct Sine {
  template <typename T>
  static T Apply(T x) {
    return std::sin(x);
  }
};
struct Sinh {
  template <typename T>
  static T Apply(T x) {
    return std::sinh(x);
  }
};
struct Tan {
  template <typename T>
  static T Apply(T x) {
    return std::tan(x);
  }
};
struct Tanh {
  template <typename T>
  static T Apply(T x) {
    return std::tanh(x);
  }
};
struct Atan2 {
  template <typename T>
  static T Apply(T x, T y) {
    return std::atan2(x, y);
  }
};
struct Power {
  template <typename T>
  static T Apply(T x, T y) {
    return std::pow(x, y);
  }
};
// 1/(1 + e^-x), from the side where e^... does not overflow: small results keep their accuracy.
struct Logistic {
  template <typename T>
  static T Apply(T x) {
    T e = std::exp(x >= 0 ? -x : x);
    return (x >= 0 ? T(1) : e) / (1 + e);
  }
};
struct Rsqrt {
  template <typename T>
  static T Apply(T x) {
    return 1 / std::sqrt(x);
  }
};

// The same in long double, rounded to double.
template <class F>
struct Wide {
  static double Apply(double x) { return static_cast<double>(F::template Apply<long double>(x)); }
  static double Apply(double x, double y) {
    return static_cast<double>(F::template Apply<long double>(x, y));
  }
};

// In double: the exponential of the C library is good to 0.51 ulp, and what the sum and the
// quotient lose is added back (TwoSum, and the quotient's residual by FMA), so that the result is
// good to an ulp at a fifth of the cost of the long double exponential.
struct CompensatedLogistic {
  static double Apply(double x) {
    const double e = std::exp(x >= 0 ? -x : x), numerator = x >= 0 ? 1.0 : e;
    const double sum = 1 + e, lost = (1 - sum) + e, quotient = numerator / sum;
    return quotient + (std::fma(-quotient, sum, numerator) - quotient * lost) / sum;
  }
};

Kernel Fast(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos:
      return UnaryLoop<Acos, double>;
    case Opcode::kAcosh:
      return UnaryLoop<Acosh, double>;
    case Opcode::kAsin:
      return UnaryLoop<Asin, double>;
    case Opcode::kAsinh:
      return UnaryLoop<Asinh, double>;
    case Opcode::kAtanh:
      return UnaryLoop<Atanh, double>;
    case Opcode::kCbrt:
      return UnaryLoop<Cbrt, double>;
    case Opcode::kCosine:
      return UnaryLoop<Cosine, double>;
    case Opcode::kCosh:
      return UnaryLoop<Cosh, double>;
    case Opcode::kErf:
      return UnaryLoop<Erf, double>;
    case Opcode::kExponential:
      return UnaryLoop<Exponential, double>;
    case Opcode::kExponentialMinusOne:
      return UnaryLoop<ExponentialMinusOne, double>;
    case Opcode::kLog:
      return UnaryLoop<Log, double>;
    case Opcode::kLogPlusOne:
      return UnaryLoop<LogPlusOne, double>;
    case Opcode::kSine:
      return UnaryLoop<Sine, double>;
    case Opcode::kSinh:
      return UnaryLoop<Sinh, double>;
    case Opcode::kTan:
      return UnaryLoop<Tan, double>;
    case Opcode::kTanh:
      return UnaryLoop<Tanh, double>;
    case Opcode::kLogistic:
      return UnaryLoop<Logistic, double>;
    case Opcode::kRsqrt:
      return UnaryLoop<Rsqrt, double>;
    case Opcode::kAtan2:
      return BinaryLoop<Atan2, double>;
    case Opcode::kPower:
      return BinaryLoop<Power, double>;
    default:
      return nullptr;
  }
}

// Functions whose f64 version in the C library may be off by more than an ulp.
Kernel Accurate(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcosh:
      return UnaryLoop<Wide<Acosh>, double>;
    case Opcode::kAsinh:
      return UnaryLoop<Wide<Asinh>, double>;
    case Opcode::kAtanh:
      return UnaryLoop<Wide<Atanh>, double>;
    case Opcode::kCbrt:
      return UnaryLoop<Wide<Cbrt>, double>;
    case Opcode::kCosh:
      return UnaryLoop<Wide<Cosh>, double>;
    case Opcode::kSinh:
      return UnaryLoop<Wide<Sinh>, double>;
    case Opcode::kTanh:
      return UnaryLoop<Wide<Tanh>, double>;
    case Opcode::kLogistic:
      return UnaryLoop<CompensatedLogistic, double>;
    case Opcode::kRsqrt:
      return UnaryLoop<Wide<Rsqrt>, double>;
    default:
      return Fast(opcode);
  }
}

}  // namespace

Kernel FloatFunctionKernel(Opcode opcode, PrimitiveType type) {
  return type == PrimitiveType::kF64 ? Accurate(opcode) : Fast(opcode);
}

}  // namespace hlocts::reference
