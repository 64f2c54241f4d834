// SPDX-License-Identifier: Apache-2.0
// Functions of f32 as vectors of f64, rounded once: within 0.51 units in the last place.
#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_math_wide.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_double-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace wide {

HWY_INLINE Vf AllFloats(float value) { return hn::Set(Floats(), value); }

// x^y = e^(y log |x|), with a sign. Where x is positive and both are finite, that is all.
struct Power {
  static constexpr double kEnd = 200;  // e^it is infinite in f32, e^-it zero
  static HWY_INLINE Md IsSafe(Vd x, Vd y) {
    const Vd infinity = All(__builtin_inf());
    return hn::And(hn::And(x > All(0), x < infinity), hn::Abs(y) < infinity);
  }
  static HWY_INLINE Vd Log(Vd x) { return LogOf(SplitBinary(x), All(0)); }
  static HWY_INLINE Vd Safe(Vd x, Vd y) {
    return RoughExp(AtLeast(AtMost(y * Log(x), kEnd), -kEnd));
  }
  // By the rules of IEEE 754's pow.
  static HWY_INLINE Vd General(Vd x, Vd y) {
    const Vd infinity = All(__builtin_inf()), size = hn::Abs(x), zero = All(0), one = All(1);
    Vd log = hn::IfThenElse(size < infinity, Log(size), size);
    log = hn::IfThenElse(size == zero, hn::Neg(infinity), log);
    const Md keeps_one = hn::Or(hn::And(size == one, y == y), y == zero);
    const Vd product = hn::IfThenElseZero(hn::Not(keeps_one), y * log);
    const Vd e = RoughExp(AtLeast(AtMost(product, kEnd), -kEnd));
    const Vd power = hn::IfThenElse(product == product, e, product);
    const Md integer = hn::Round(y) == y;
    const Vd half = y * All(0.5);
    const Md odd = hn::AndNot(hn::Round(half) == half, integer);
    const Vd sign = hn::IfThenElseZero(odd, x & All(-0.0));
    const Md undefined = hn::AndNot(integer, hn::And(x < zero, size < infinity));
    const Vd signed_power = hn::IfThenElse(undefined, All(__builtin_nan("")), power ^ sign);
    return hn::IfThenElse(hn::Or(x == one, y == zero), one, signed_power);
  }
  static HWY_INLINE void Run(const float* a, const float* b, float* out) {
    const Floats f;
    const Vd x = Widened(hn::LoadU(f, a)), y = Widened(hn::LoadU(f, b));
    if (HWY_LIKELY(EveryLane(IsSafe(x, y)))) {
      hn::StoreU(Rounded(Safe(x, y)), f, out);
    } else {
      hn::StoreU(Rounded(General(x, y)), f, out);
    }
  }
};

// From z near x^(-1/3): y = x z^2 is near the root, and e = 1 - y z says how near: the root is
// y (1 - e)^(-2/3).
struct Cbrt {
  // Within 3e-5, of normal x > 0: a third of the exponent by way of the float's bits, then three
  // terms of (1 - e)^(-1/3).
  static HWY_INLINE Vf InverseRoot(Vf x) {
    const hn::RebindToSigned<Floats> integers;
    const Vf third = hn::ConvertTo(Floats(), hn::BitCast(integers, x)) * AllFloats(-1.0f / 3);
    const auto bits = hn::ConvertTo(integers, third) + hn::Set(integers, 0x54a2fa8c);
    const Vf z = hn::BitCast(Floats(), bits);
    const Vf e = hn::NegMulAdd(x * z, z * z, AllFloats(1));
    Vf series = hn::MulAdd(AllFloats(14.0f / 81), e, AllFloats(2.0f / 9));
    series = hn::MulAdd(series, e, AllFloats(1.0f / 3));
    return hn::MulAdd(z * e, series, z);
  }
  static HWY_INLINE Vd Root(Vf x) {
    const Vd z = Widened(InverseRoot(x)), y = Widened(x) * z * z;
    const Vd e = hn::NegMulAdd(y, z, All(1));
    return hn::MulAdd(y * e, hn::MulAdd(All(5.0 / 9), e, All(2.0 / 3)), y);
  }
  // Also of zeros, infinities and subnormals, these times 2^24.
  static HWY_INLINE Vf General(Vf size) {
    const auto tiny = size < AllFloats(0x1p-126f);
    const Vf normal = hn::IfThenElse(tiny, size * AllFloats(0x1p24f), size);
    const Vf root = Rounded(Root(normal));
    const Vf scaled = hn::IfThenElse(tiny, root * AllFloats(0x1p-8f), root);
    return hn::IfThenElse(size < AllFloats(__builtin_inff()), scaled, size);
  }
  static HWY_INLINE void Run(const float* a, const float*, float* out) {
    const Floats f;
    const Vf x = hn::LoadU(f, a), size = hn::Abs(x);
    const auto normal = hn::And(size >= AllFloats(0x1p-126f), size < AllFloats(__builtin_inff()));
    const Vf root = HWY_LIKELY(hn::AllTrue(f, normal)) ? Rounded(Root(size)) : General(size);
    hn::StoreU(hn::CopySign(root, x), f, out);
  }
};

// The quotient of sine and cosine; of large arguments as the C library has it.
struct Tan {
  static HWY_INLINE Vd Of(Vd x) {
    const SineCosine parts = ReducedSineCosine(x);
    const Vd over = ByParity(parts.n, parts.sine, parts.cosine);
    const Vd under = ByParity(parts.n, parts.cosine, parts.sine);
    return (over / under) ^ DoublesOf(hn::ShiftLeft<63>(parts.n));
  }
  static void Large(const float* a, float* out) {
    const KernelFunction tan = RealFunctionKernel(Opcode::kTan, PrimitiveType::kF32, false);
    for (size_t i = 0; i < hn::Lanes(Floats()); ++i) {
      if (!(__builtin_fabsf(a[i]) <= static_cast<float>(kSineEnd))) {
        tan({}, a + i, nullptr, nullptr, out + i, 1);
      }
    }
  }
  static HWY_INLINE void Run(const float* a, const float*, float* out) {
    const Floats f;
    const Vf x = hn::LoadU(f, a);
    const Vd wide = Widened(x);
    const Vf y = Rounded(Of(wide));
    if (HWY_LIKELY(EveryLane(hn::Abs(wide) <= All(kSineEnd)))) return hn::StoreU(y, f, out);
    HWY_ALIGN float kept[hn::MaxLanes(Floats())];  // out may be a
    hn::Store(x, f, kept);
    hn::StoreU(y, f, out);
    Large(kept, out);
  }
};

KernelFunction WideMath(Opcode opcode) {
  // Functions without a row have no vectors here.
  constexpr FunctionLoop kLoops[] = {
      {ops::RealFunction::kCbrt, RunSteps<Cbrt, float>},
      {ops::RealFunction::kPower, RunSteps<Power, float>},
      {ops::RealFunction::kTan, RunSteps<Tan, float>},
  };
  return LoopOf(opcode, kLoops);
}

}  // namespace wide
using wide::WideMath;
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(WideMath);
KernelFunction VectorMathWide(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(WideMath)(opcode); }
}  // namespace hlocts::cpu
#endif
