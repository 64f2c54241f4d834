// SPDX-License-Identifier: Apache-2.0
// Functions of f32 and f64 by SLEEF's vector functions, whose published error bound is one ulp
// (u10). SLEEF's sinh, cosh, asinh and acosh overflow too early, so the C library computes these
// functions.
#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_math.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

// Define the names of SLEEF's functions and vectors for this target. SLEEF's header depends on
// compiler options, not on the target attribute of functions.
#undef HLOCTS_SLEEF_F32
#undef HLOCTS_SLEEF_F64
#if HWY_TARGET == HWY_AVX3
#define HLOCTS_SLEEF_F32(name) Sleef_##name##f16_u10avx512f
#define HLOCTS_SLEEF_F64(name) Sleef_##name##d8_u10avx512f
#elif HWY_TARGET == HWY_AVX2
#define HLOCTS_SLEEF_F32(name) Sleef_##name##f8_u10avx2
#define HLOCTS_SLEEF_F64(name) Sleef_##name##d4_u10avx2
#elif HWY_TARGET == HWY_SSE2
#define HLOCTS_SLEEF_F32(name) Sleef_##name##f4_u10sse2
#define HLOCTS_SLEEF_F64(name) Sleef_##name##d2_u10sse2
#elif HWY_TARGET == HWY_NEON
#define HLOCTS_SLEEF_F32(name) Sleef_##name##f4_u10advsimd
#define HLOCTS_SLEEF_F64(name) Sleef_##name##d2_u10advsimd
#endif

#if defined(HLOCTS_SLEEF_F32)

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using Vf = hn::Vec<Floats>;
using Vd = hn::Vec<Doubles>;
using RawF32 = decltype(Vf::raw);
using RawF64 = decltype(Vd::raw);

#undef HLOCTS_OF_SLEEF
#define HLOCTS_OF_SLEEF(Name, name)                                             \
  extern "C" RawF32 HLOCTS_SLEEF_F32(name)(RawF32);                             \
  extern "C" RawF64 HLOCTS_SLEEF_F64(name)(RawF64);                             \
  struct Name {                                                                 \
    static HWY_INLINE Vf Of(Vf x) { return Vf{HLOCTS_SLEEF_F32(name)(x.raw)}; } \
    static HWY_INLINE Vd Of(Vd x) { return Vd{HLOCTS_SLEEF_F64(name)(x.raw)}; } \
  };
HLOCTS_OF_SLEEF(Acos, acos)
HLOCTS_OF_SLEEF(Asin, asin)
HLOCTS_OF_SLEEF(Atan, atan)
HLOCTS_OF_SLEEF(Atanh, atanh)
HLOCTS_OF_SLEEF(Cbrt, cbrt)
HLOCTS_OF_SLEEF(Cosine, cos)
HLOCTS_OF_SLEEF(Erf, erf)
HLOCTS_OF_SLEEF(Exponential, exp)
HLOCTS_OF_SLEEF(SleefExpm1, expm1)
HLOCTS_OF_SLEEF(Log, log)
HLOCTS_OF_SLEEF(SleefLog1p, log1p)
HLOCTS_OF_SLEEF(SleefSine, sin)
HLOCTS_OF_SLEEF(SleefTan, tan)
HLOCTS_OF_SLEEF(Tanh, tanh)

#undef HLOCTS_OF_SLEEF2
#define HLOCTS_OF_SLEEF2(Name, name)                                                         \
  extern "C" RawF32 HLOCTS_SLEEF_F32(name)(RawF32, RawF32);                                  \
  extern "C" RawF64 HLOCTS_SLEEF_F64(name)(RawF64, RawF64);                                  \
  struct Name {                                                                              \
    static HWY_INLINE Vf Of(Vf x, Vf y) { return Vf{HLOCTS_SLEEF_F32(name)(x.raw, y.raw)}; } \
    static HWY_INLINE Vd Of(Vd x, Vd y) { return Vd{HLOCTS_SLEEF_F64(name)(x.raw, y.raw)}; } \
  };
HLOCTS_OF_SLEEF2(SleefAtan2, atan2)
HLOCTS_OF_SLEEF2(SleefPower, pow)

template <class V>
HWY_INLINE V AllOf(double value) {
  return hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(value));
}
// Returns a vector of copies of `f32` or of `f64`, depending on the width of V's elements.
template <class V>
HWY_INLINE V OneOf(double f32, double f64) {
  return AllOf<V>(sizeof(hn::TFromV<V>) == 4 ? f32 : f64);
}
// Returns the argument near zero, for functions whose slope at zero is 1, because SLEEF loses the
// sign of subnormal arguments.
template <class F>
struct IsItsArgumentNearZero {
  template <class V>
  static HWY_INLINE V Of(V x) {
    return hn::IfThenElse(hn::Abs(x) < OneOf<V>(0x1p-30, 0x1p-60), x, F::Of(x));
  }
};
using Sine = IsItsArgumentNearZero<SleefSine>;
using Tan = IsItsArgumentNearZero<SleefTan>;
using ExpNearZero = IsItsArgumentNearZero<SleefExpm1>;
using LogNearOne = IsItsArgumentNearZero<SleefLog1p>;
// SLEEF doubles the arguments. To avoid overflow, the largest arguments are scaled down first,
// which does not change their quotient.
struct Atan2 {
  template <class V>
  static HWY_INLINE V Of(V y, V x) {
    const auto large = hn::Max(hn::Abs(y), hn::Abs(x)) > OneOf<V>(0x1p126, 0x1p1022);
    const V scale = hn::IfThenElse(large, AllOf<V>(0.25), AllOf<V>(1));
    return SleefAtan2::Of(y * scale, x * scale);
  }
};
// SLEEF's power overflows slightly too early. If the result is infinite, the power is recomputed as
// the square of the power with half the exponent.
struct Power {
  template <class V>
  static HWY_INLINE V Of(V x, V y) {
    const V power = SleefPower::Of(x, y), zero = hn::Zero(hn::DFromV<V>());
    const auto infinite = hn::IsInf(power);
    if (HWY_LIKELY(hn::AllFalse(hn::DFromV<V>(), infinite))) return power;
    const V half = SleefPower::Of(hn::Abs(x), y * AllOf<V>(0.5));
    const auto finite = hn::And(hn::And(hn::IsFinite(x), hn::IsFinite(y)), x != zero);
    return hn::IfThenElse(hn::And(infinite, finite), hn::CopySign(half * half, power), power);
  }
};
// SLEEF states no bound for large arguments. For these the 1 is negligible, so exp(x) - 1 is
// computed as exp(x), and log(1 + x) as log(x).
struct ExponentialMinusOne {
  template <class V>
  static HWY_INLINE V Of(V x) {
    const auto large = x > AllOf<V>(64);
    const V near = ExpNearZero::Of(x);
    if (HWY_LIKELY(hn::AllFalse(hn::DFromV<V>(), large))) return near;
    return hn::IfThenElse(large, Exponential::Of(x), near);
  }
};
struct LogPlusOne {
  template <class V>
  static HWY_INLINE V Of(V x) {
    const auto large = x > AllOf<V>(0x1p60);
    const V near = LogNearOne::Of(x);
    if (HWY_LIKELY(hn::AllFalse(hn::DFromV<V>(), large))) return near;
    return hn::IfThenElse(large, Log::Of(x), near);
  }
};
// Computes exp(-|x|), which cannot overflow.
struct Logistic {
  template <class V>
  static HWY_INLINE V Of(V x) {
    const V one = AllOf<V>(1), e = Exponential::Of(hn::Neg(hn::Abs(x)));
    return hn::IfThenElse(x > hn::Zero(hn::DFromV<V>()), one, e) / (one + e);
  }
};
struct Rsqrt {
  template <class V>
  static HWY_INLINE V Of(V x) {
    return AllOf<V>(1) / hn::Sqrt(x);
  }
};

// Applies F vector by vector. The last vector may be partial.
template <class F, typename T, int kOperands>
void MathLoop(HLOCTS_ARGUMENTS) {
  (void)c;
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  T* r = static_cast<T*>(out);
  const auto step = [&](const T* x, const T* y, T* r) HWY_ATTR {
    if constexpr (kOperands == 1) hn::StoreU(F::Of(hn::LoadU(d, x)), d, r);
    if constexpr (kOperands == 2) hn::StoreU(F::Of(hn::LoadU(d, x), hn::LoadU(d, y)), d, r);
  };
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) step(x + i, y + (kOperands == 2 ? i : 0), r + i);
  if (i == count) return;
  T last[2][kLanes] = {};
  std::memcpy(last[0], x + i, (count - i) * sizeof(T));
  if (kOperands == 2) std::memcpy(last[1], y + i, (count - i) * sizeof(T));
  step(last[0], last[1], last[0]);
  std::memcpy(r + i, last[0], (count - i) * sizeof(T));
}

template <typename T>
KernelFunction MathOf(ops::RealFunction function) {
  switch (function) {
#define HLOCTS_CASE(Name, operands) \
  case ops::RealFunction::k##Name:  \
    return MathLoop<Name, T, operands>;
    HLOCTS_CASE(Acos, 1)
    HLOCTS_CASE(Asin, 1)
    HLOCTS_CASE(Atan, 1)
    HLOCTS_CASE(Atanh, 1)
    HLOCTS_CASE(Cbrt, 1)
    HLOCTS_CASE(Cosine, 1)
    HLOCTS_CASE(Erf, 1)
    HLOCTS_CASE(Exponential, 1)
    HLOCTS_CASE(ExponentialMinusOne, 1)
    HLOCTS_CASE(Log, 1)
    HLOCTS_CASE(LogPlusOne, 1)
    HLOCTS_CASE(Logistic, 1)
    HLOCTS_CASE(Rsqrt, 1)
    HLOCTS_CASE(Sine, 1)
    HLOCTS_CASE(Tan, 1)
    HLOCTS_CASE(Tanh, 1)
    HLOCTS_CASE(Atan2, 2)
    HLOCTS_CASE(Power, 2)
#undef HLOCTS_CASE
    case ops::RealFunction::kAcosh:
    case ops::RealFunction::kAsinh:
    case ops::RealFunction::kCosh:
    case ops::RealFunction::kSinh:
      return nullptr;
  }
  HLOCTS_UNREACHABLE();
}
KernelFunction Math(Opcode opcode, PrimitiveType type) {
  const std::optional<ops::RealFunction> function = ops::RealFunctionOf(opcode);
  if (!function.has_value()) return nullptr;
  return type == PrimitiveType::kF64 ? MathOf<double>(*function) : MathOf<float>(*function);
}

#else

KernelFunction Math(Opcode, PrimitiveType) { return nullptr; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Math);
KernelFunction VectorMath(Opcode opcode, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(Math)(opcode, type);
}
}  // namespace hlocts::cpu
#endif
