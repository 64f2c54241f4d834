// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and tangent of f64 as vector code, within 1.5 units in the last place: the argument
// reduced by n pi/2 is a pair. Large arguments go through the C library, one at a time.
#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_sine_f64.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_double-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace sines {

struct SinePairs {
  Pair sine, cosine;  // of x - n pi/2
  Vw n;               // its low bits
};
// pi/2 in three parts: products of the first two with n are exact.
constexpr double kHalfPi[] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
HWY_INLINE Pair Reduced(Vd x, Vd n) {
  const Vd rough = hn::NegMulAdd(n, All(kHalfPi[0]), x);
  const Pair rest = Sum(rough, n * All(-kHalfPi[1]));
  return FastSum(rest.upper, hn::NegMulAdd(n, All(kHalfPi[2]), rest.lower));
}
HWY_INLINE SinePairs SinePairsOf(Vd x) {
  const Vd t = hn::MulAdd(x, All(0x1.45f306dc9c883p-1), All(kToInteger));
  const Pair reduced = Reduced(x, t - All(kToInteger));
  const Vd r = reduced.upper, z = r * r, half = All(0.5) * z;
  // With l the lower part, sin(r + l) = sin r + l cos r and cos(r + l) = cos r - l sin r.
  const Vd sine = hn::MulAdd(r * z, SineTail(z), hn::NegMulAdd(reduced.lower, half, reduced.lower));
  const Pair less = FastSum(All(1), hn::Neg(half));
  const Vd cosine = hn::MulAdd(z * z, CosineTail(z), hn::NegMulAdd(reduced.lower, r, less.lower));
  return {FastSum(r, sine), FastSum(less.upper, cosine), WordsOf(t)};
}

// The sine of a zero is that zero.
struct SineOfF64 {
  static constexpr Opcode kOpcode = Opcode::kSine;
  static HWY_INLINE Vd Of(Vd x) {
    const SinePairs parts = SinePairsOf(x);
    const Vd y = ByParity(parts.n, parts.sine.upper, parts.cosine.upper);
    return hn::IfThenElse(x == All(0), x, NegateBySecondBit(parts.n, y));
  }
};
struct CosineOfF64 {
  static constexpr Opcode kOpcode = Opcode::kCosine;
  static HWY_INLINE Vd Of(Vd x) {
    const SinePairs parts = SinePairsOf(x);
    const Vd y = ByParity(parts.n, parts.cosine.upper, parts.sine.upper);
    return NegateBySecondBit(parts.n + hn::Set(Words(), 1), y);
  }
};
struct TanOfF64 {
  static constexpr Opcode kOpcode = Opcode::kTan;
  static HWY_INLINE Vd Of(Vd x) {
    const auto [sine, cosine, n] = SinePairsOf(x);
    const Pair over = {ByParity(n, sine.upper, cosine.upper),
                       ByParity(n, sine.lower, cosine.lower)};
    const Pair under = {ByParity(n, cosine.upper, sine.upper),
                        ByParity(n, cosine.lower, sine.lower)};
    const Vd y = Quotient(over, under) ^ DoublesOf(hn::ShiftLeft<63>(n));
    return hn::IfThenElse(x == All(0), x, y);
  }
};

template <class F>
struct SineStep {
  static HWY_NOINLINE void Large(const double* a, double* out) {
    const KernelFunction one = RealFunctionKernel(F::kOpcode, PrimitiveType::kF64, false);
    for (size_t i = 0; i < hn::Lanes(Doubles()); ++i) {
      if (!(__builtin_fabs(a[i]) <= kSineEnd)) one({}, a + i, nullptr, nullptr, out + i, 1);
    }
  }
  static HWY_INLINE void Run(const double* a, const double*, double* out) {
    const Doubles d;
    const Vd x = hn::LoadU(d, a), y = F::Of(x);
    if (HWY_LIKELY(EveryLane(hn::Abs(x) <= All(kSineEnd)))) return hn::StoreU(y, d, out);
    HWY_ALIGN double kept[hn::MaxLanes(Doubles())];  // out may be a
    hn::Store(x, d, kept);
    hn::StoreU(y, d, out);
    Large(kept, out);
  }
};

KernelFunction SinesOfF64(Opcode opcode) {
  // Functions without a row have no vectors here.
  constexpr FunctionLoop kLoops[] = {
      {ops::RealFunction::kSine, RunSteps<SineStep<SineOfF64>, double>},
      {ops::RealFunction::kCosine, RunSteps<SineStep<CosineOfF64>, double>},
      {ops::RealFunction::kTan, RunSteps<SineStep<TanOfF64>, double>},
  };
  return LoopOf(opcode, kLoops);
}

}  // namespace sines
using sines::SinesOfF64;
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(SinesOfF64);
KernelFunction VectorSineF64(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(SinesOfF64)(opcode); }
}  // namespace hlocts::cpu
#endif
