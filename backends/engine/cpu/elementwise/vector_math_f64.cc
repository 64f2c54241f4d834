// SPDX-License-Identifier: Apache-2.0
// Functions of f64 as vector code, within 1.5 units in the last place: sums whose rounding would
// show carry what it took off along. Vectors of moderate numbers take a shorter way to the same
// bits.
#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_math_f64.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_double-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace f64 {

// Up to this magnitude powers of two need no care.
constexpr double kExpSafe = 708;
// From here on e^x is infinite, and below the other zero.
constexpr double kExpMost = 710, kExpLeast = -746;

// e^(r + lower) - 1 - r.
HWY_INLINE Vd TailOf(const NaturalParts& x) {
  return hn::MulAdd(x.r * x.r, ExpTail(x.r), hn::MulAdd(x.lower, x.r, x.lower));
}
// e^r, from 0.7 to 1.42.
HWY_INLINE Pair ExpMantissa(const NaturalParts& x) {
  const Pair sum = FastSum(All(1), x.r);
  return FastSum(sum.upper, sum.lower + TailOf(x));
}
// x 2^n in two factors: neither leaves the range where the result does not.
HWY_INLINE Vd ScaleTwice(Vd x, Vd n) {
  const Vd half = hn::MulAdd(n, All(0.5), All(kToInteger)) - All(kToInteger);
  return x * PowerOfTwo(half) * PowerOfTwo(n - half);
}

struct Exponential {
  static HWY_INLINE Md IsSafe(Vd x) { return hn::Abs(x) <= All(kExpSafe); }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    const NaturalParts parts = SplitByLn2(kSafe ? x : AtLeast(AtMost(x, kExpMost), kExpLeast));
    const Vd y = ExpMantissa(parts).upper;
    return kSafe ? AddExponent(y, parts.t) : ScaleTwice(y, parts.n);
  }
};

// With x = n ln 2 + r: (2^n - 1) + 2^n r is added up first, of which the first product is exact.
HWY_INLINE Pair MinusOneParts(const NaturalParts& x, Vd scale) {
  const Pair sum = FastSum(scale - All(1), scale * x.r);
  return FastSum(sum.upper, hn::MulAdd(scale, TailOf(x), sum.lower));
}
struct ExponentialMinusOne {
  static HWY_INLINE Md IsSafe(Vd x) { return hn::Abs(x) <= All(kExpSafe); }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    NaturalParts parts = SplitByLn2(kSafe ? x : AtLeast(AtMost(x, kExpMost), -kExpSafe));
    Vd y;
    if constexpr (kSafe) {
      y = MinusOneParts(parts, PowerOfTwo(parts.n)).upper;
    } else {
      // 2^1024 is out of range: half of it, and the result doubled.
      const Md large = parts.n > All(1023);
      const Vd n = hn::IfThenElse(large, All(1023), parts.n);
      y = MinusOneParts(parts, PowerOfTwo(n)).upper;
      y = y * hn::IfThenElse(large, All(2), All(1));
    }
    return hn::IfThenElse(x == All(0), x, y);
  }
};

// From the side where the exponential is at most 1.
struct Logistic {
  static HWY_INLINE Md IsSafe(Vd x) { return hn::Abs(x) <= All(kExpSafe); }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    const Vd size = hn::Neg(hn::Abs(x));
    const NaturalParts parts = SplitByLn2(kSafe ? size : AtLeast(size, kExpLeast));
    Pair e = ExpMantissa(parts);
    if constexpr (kSafe) {
      const Vd scale = PowerOfTwo(parts.n);
      e = {e.upper * scale, e.lower * scale};
    } else {
      e = {ScaleTwice(e.upper, parts.n), ScaleTwice(e.lower, parts.n)};
    }
    Pair sum = FastSum(All(1), e.upper);
    sum.lower = sum.lower + e.lower;
    const Md positive = x >= All(0);
    return Quotient(
        {hn::IfThenElse(positive, All(1), e.upper), hn::IfThenZeroElse(positive, e.lower)}, sum);
  }
};

// E / (E + 2) with E = e^2|x| - 1; beyond the end it is 1.
struct Tanh {
  static HWY_INLINE Md IsSafe(Vd x) { return x == x; }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    constexpr double kEnd = 40;
    const Vd size = hn::Abs(x);
    const NaturalParts parts = SplitByLn2(AtMost(size + size, kEnd));
    const Pair e = MinusOneParts(parts, PowerOfTwo(parts.n));
    Pair sum = Sum(e.upper, All(2));
    sum.lower = sum.lower + e.lower;
    return hn::CopySign(Quotient(e, sum), x);
  }
};

struct Logarithm {
  static constexpr double kLeast = 0x1p-1022, kMost = 0x1.fffffffffffffp1023;
  static HWY_INLINE Md IsSafe(Vd x) { return hn::And(x >= All(kLeast), x <= All(kMost)); }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    if constexpr (kSafe) return LogOf(SplitBinary(x), All(0));
    const Md tiny = x < All(kLeast);
    BinaryParts parts = SplitBinary(hn::IfThenElse(tiny, x * All(0x1p54), x));
    parts.k = parts.k - hn::IfThenElseZero(tiny, All(54));
    Vd y = hn::IfThenElse(x <= All(kMost), LogOf(parts, All(0)), x);  // infinity, NaN
    y = hn::IfThenElse(x == All(0), All(-__builtin_inf()), y);
    return hn::IfThenElse(x < All(0), All(__builtin_nan("")), y);
  }
};

struct LogPlusOne {
  static constexpr double kMost = 0x1p54;
  static HWY_INLINE Md IsSafe(Vd x) { return hn::And(x > All(-1), x < All(kMost)); }
  static HWY_INLINE Vd Moderate(Vd x) { return LogOf(Sum(All(1), x)); }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    if constexpr (kSafe) return hn::IfThenElse(x == All(0), x, Moderate(x));
    const Md safe = IsSafe(x);
    const Vd far = Logarithm::Of<false>(All(1) + x);
    const Vd y = hn::IfThenElse(safe, Moderate(hn::IfThenElseZero(safe, x)), far);
    return hn::IfThenElse(x == All(0), x, y);
  }
};

struct Rsqrt {
  static HWY_INLINE Md IsSafe(Vd x) { return x == x; }
  template <bool kSafe>
  static HWY_INLINE Vd Of(Vd x) {
    return All(1) / hn::Sqrt(x);
  }
};

template <class F>
struct UnaryStep {
  static HWY_INLINE void Run(const double* from, const double*, double* to) {
    const Doubles d;
    const Vd x = hn::LoadU(d, from);
    if (HWY_LIKELY(EveryLane(F::IsSafe(x)))) {
      hn::StoreU(F::template Of<true>(x), d, to);
    } else {
      hn::StoreU(F::template Of<false>(x), d, to);
    }
  }
};

KernelFunction MathOfF64(Opcode opcode) {
  // Functions without a row have no vectors here.
  constexpr FunctionLoop kLoops[] = {
      {ops::RealFunction::kExponential, RunSteps<UnaryStep<Exponential>, double>},
      {ops::RealFunction::kExponentialMinusOne, RunSteps<UnaryStep<ExponentialMinusOne>, double>},
      {ops::RealFunction::kLog, RunSteps<UnaryStep<Logarithm>, double>},
      {ops::RealFunction::kLogPlusOne, RunSteps<UnaryStep<LogPlusOne>, double>},
      {ops::RealFunction::kLogistic, RunSteps<UnaryStep<Logistic>, double>},
      {ops::RealFunction::kRsqrt, RunSteps<UnaryStep<Rsqrt>, double>},
      {ops::RealFunction::kTanh, RunSteps<UnaryStep<Tanh>, double>},
  };
  return LoopOf(opcode, kLoops);
}

}  // namespace f64
using f64::MathOfF64;
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(MathOfF64);
KernelFunction VectorMathF64(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(MathOfF64)(opcode); }
}  // namespace hlocts::cpu
#endif
