// SPDX-License-Identifier: Apache-2.0
// Products, quotients and functions of c64 as vectors of f64, each part rounded once. Numbers that
// need care (zeros, infinities, large angles) go through complex.cc, one at a time.
#include <complex>

#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_complex.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_double-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace c64 {
using Element = std::complex<float>;

struct Vz {
  Vd real, imag;
};
HWY_INLINE Vz LoadComplex(const Element* from) {
  Vf real, imag;
  hn::LoadInterleaved2(Floats(), reinterpret_cast<const float*>(from), real, imag);
  return {Widened(real), Widened(imag)};
}
HWY_INLINE void StoreComplex(Vz x, Element* to) {
  hn::StoreInterleaved2(Rounded(x.real), Rounded(x.imag), Floats(), reinterpret_cast<float*>(to));
}

// No square of an f32 overflows or vanishes in f64.
HWY_INLINE Vd Norm(Vz x) { return hn::MulAdd(x.real, x.real, x.imag * x.imag); }
HWY_INLINE Md IsBounded(Vd x) { return hn::Abs(x) < All(__builtin_inf()); }
HWY_INLINE Md IsBounded(Vz x) { return hn::And(IsBounded(x.real), IsBounded(x.imag)); }
HWY_INLINE Md IsOrdinary(Vz x) {
  const Vd norm = Norm(x);
  return hn::And(norm > All(0), norm < All(__builtin_inf()));
}

// The products are exact: the sums round as complex.cc's do.
struct Multiply {
  static HWY_INLINE void Run(const Element* a, const Element* b, Element* out) {
    const Vz x = LoadComplex(a), y = LoadComplex(b);
    StoreComplex(
        {hn::MulSub(x.real, y.real, x.imag * y.imag), hn::MulAdd(x.real, y.imag, x.imag * y.real)},
        out);
  }
};
struct Divide {
  static constexpr Opcode kOpcode = Opcode::kDivide;
  static HWY_INLINE Md IsSafe(Vz, Vz y) { return IsOrdinary(y); }
  static HWY_INLINE Vz Of(Vz x, Vz y) {
    const Vd norm = Norm(y);
    return {hn::MulAdd(x.real, y.real, x.imag * y.imag) / norm,
            hn::MulSub(x.imag, y.real, x.real * y.imag) / norm};
  }
};

struct Sign {
  static constexpr Opcode kOpcode = Opcode::kSign;
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return IsOrdinary(x); }
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Vd size = hn::Sqrt(Norm(x));
    return {x.real / size, x.imag / size};
  }
};

// An infinite part beats a NaN.
HWY_INLINE Vf WideSize(Vf a, Vf b) {
  const Vz x = {Widened(a), Widened(b)};
  const Md infinite = hn::Or(hn::IsInf(x.real), hn::IsInf(x.imag));
  return Rounded(hn::IfThenElse(infinite, All(__builtin_inf()), hn::Sqrt(Norm(x))));
}
// Within an ulp in f32, where neither the larger part's square nor what it leaves of the smaller
// one's is out of range.
struct Size {
  static HWY_INLINE void Run(const Element* x, const Element*, float* out) {
    const Floats floats;
    Vf a, b;
    hn::LoadInterleaved2(floats, reinterpret_cast<const float*>(x), a, b);
    const Vf larger = hn::Max(hn::Abs(a), hn::Abs(b));
    const auto ordinary =
        hn::And(hn::And(larger > hn::Set(floats, 0x1p-50f), larger < hn::Set(floats, 0x1p60f)),
                hn::And(a == a, b == b));
    const bool all = hn::AllTrue(floats, ordinary);
    const Vf size = HWY_LIKELY(all) ? hn::Sqrt(hn::MulAdd(a, a, b * b)) : WideSize(a, b);
    hn::StoreU(size, floats, out);
  }
};
void RunSize(const KernelParameters&, const void* a, const void*, const void*, void* out,
             int64_t count) {
  EachVector<Size, Element, float>(a, nullptr, out, count);
}

constexpr double kEnd = 700;  // e^it is infinite in f32 and e^-it zero, also times most sines
HWY_INLINE Vd WithinEnd(Vd x) { return AtLeast(AtMost(x, kEnd), -kEnd); }
HWY_INLINE Md IsAngle(Vd x) { return hn::Abs(x) <= All(kSineEnd); }

// e^(a + ib) = e^a (cos b + i sin b).
HWY_INLINE Vz ExpOf(Vz x) {
  const Vd size = RoughExp(WithinEnd(x.real));
  const SineCosine angle = SineAndCosine(x.imag);
  return {size * angle.cosine, size * angle.sine};
}
template <Opcode opcode>
struct OfAngle {
  static constexpr Opcode kOpcode = opcode;
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return hn::And(IsBounded(x.real), IsAngle(x.imag)); }
};
struct Exponential : OfAngle<Opcode::kExponential> {
  static HWY_INLINE Vz Of(Vz x, Vz) { return ExpOf(x); }
};
template <Opcode opcode>
struct OfModerate {
  static constexpr Opcode kOpcode = opcode;
  static HWY_INLINE Md IsSafe(Vz x, Vz) {
    return hn::And(hn::Abs(x.real) <= All(kEnd), IsAngle(x.imag));
  }
};
// (e^a - 1) cos b - (1 - cos b): nothing cancels near zero.
struct ExponentialMinusOne : OfModerate<Opcode::kExponentialMinusOne> {
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const SineCosine angle = SineAndCosine(x.imag);
    const Vd less = hn::CopySign(RoughExpMinusOne(x.real), x.real);  // a zero keeps its sign
    return {less * angle.cosine - angle.versine, RoughExp(x.real) * angle.sine};
  }
};
// From the side where the exponential is at most 1.
struct Logistic : OfModerate<Opcode::kLogistic> {
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Md right = x.real >= All(0);
    const Vz e = ExpOf({hn::Neg(hn::Abs(x.real)), hn::IfThenElse(right, hn::Neg(x.imag), x.imag)});
    const Vz over = {hn::IfThenElse(right, All(1), e.real), hn::IfThenZeroElse(right, e.imag)};
    return Divide::Of(over, {All(1) + e.real, All(0) + e.imag});
  }
};

// Hyperbolic functions of one part and trigonometric ones of the other.
struct Waves {
  Vd sinh, cosh, sine, cosine;
};
HWY_INLINE Waves WavesOf(Vd a, Vd b, double end) {
  const Vd e = RoughExpMinusOne(AtMost(hn::Abs(a), end)), quotient = e / (e + All(1));
  const SineCosine angle = SineAndCosine(b);
  return {hn::CopySign(All(0.5) * (e + quotient), a), hn::MulAdd(All(0.5) * e, quotient, All(1)),
          angle.sine, angle.cosine};
}
struct Sinh : OfAngle<Opcode::kSinh> {
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Waves w = WavesOf(x.real, x.imag, kEnd);
    return {w.sinh * w.cosine, w.cosh * w.sine};
  }
};
struct Cosh : OfAngle<Opcode::kCosh> {
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Waves w = WavesOf(x.real, x.imag, kEnd);
    return {w.cosh * w.cosine, w.sinh * w.sine};
  }
};
// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b): nothing cancels.
struct Tanh : OfAngle<Opcode::kTanh> {
  static HWY_INLINE Vz Of(Vz x, Vz) {
    constexpr double kFlat = 60;  // in f32 the real part is 1 from much less on, the other one 0
    const Waves w = WavesOf(x.real, x.imag, kFlat);
    const Vd norm = hn::MulAdd(w.sinh, w.sinh, w.cosine * w.cosine);
    return {w.sinh * w.cosh / norm, w.sine * w.cosine / norm};
  }
};
// F of iz, turned back.
template <class F, Opcode opcode>
struct Turned {
  static constexpr Opcode kOpcode = opcode;
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return F::IsSafe({x.imag, x.real}, x); }
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Vz y = F::Of({x.imag, x.real}, x);
    return {y.imag, y.real};
  }
};
using Sine = Turned<Sinh, Opcode::kSine>;
using Tan = Turned<Tanh, Opcode::kTan>;
struct Cosine {
  static constexpr Opcode kOpcode = Opcode::kCosine;
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return Sine::IsSafe(x, x); }
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Waves w = WavesOf(x.imag, x.real, kEnd);
    return {w.cosh * w.cosine, hn::Neg(w.sinh * w.sine)};
  }
};

// The angle of x, within 2^-50: n pi/4 and the arctangent of the smaller part over the larger one,
// or, from where that exceeds tan(pi/8) on, of (low - high) / (low + high).
HWY_INLINE Vd Angle(Vz x) {
  const Vd a = hn::Abs(x.real), b = hn::Abs(x.imag), high = hn::Max(a, b), low = hn::Min(a, b);
  const Md steep = low > high * All(0x1.a827999fcef32p-2);
  const Vd t = hn::IfThenElse(steep, low - high, low) / hn::IfThenElse(steep, low + high, high);
  const Vd z = t * t;
  const Vd p = Horner(z, 0x1.5c63884f4b32ap-6, -0x1.6521b0d752cbep-5, 0x1.d258eccffc436p-5,
                      -0x1.1005a1033a6e0p-4, 0x1.3afc44af9f589p-4, -0x1.745bc470f23f1p-4,
                      0x1.c71c65df4e2b9p-4, -0x1.24924905b47a9p-3, 0x1.999999994a334p-3,
                      -0x1.555555555531fp-2);
  const Md above = b > a, left = x.real < All(0);
  Vd n = hn::IfThenElseZero(steep, All(1));
  n = hn::IfThenElse(above, All(2) - n, n);
  n = hn::IfThenElse(left, All(4) - n, n);
  const Vd arctangent = hn::MulAdd(t * z, p, t);
  const Vd flipped = hn::IfThenElse(hn::Xor(above, left), hn::Neg(arctangent), arctangent);
  const Vd lower = hn::MulAdd(n, All(0x1.1a62633145c07p-55), flipped);
  return hn::CopySign(hn::MulAdd(n, All(0x1.921fb54442d18p-1), lower), x.imag);
}
// Near the unit circle a^2 + b^2 - 1 = (a - 1)(a + 1) + b^2, of which all but the sum is exact.
HWY_INLINE Vz LogOf(Vz x) {
  const Vd a = hn::Abs(x.real), b = hn::Abs(x.imag), high = hn::Max(a, b), low = hn::Min(a, b);
  BinaryParts norm = SplitBinary(Norm(x));
  const Vd near_one = hn::MulAdd(high - All(1), high + All(1), low * low);
  norm.f = hn::IfThenElse(norm.k == All(0), near_one, norm.f);
  return {All(0.5) * LogOf(norm, All(0)), Angle(x)};
}
struct Logarithm {
  static constexpr Opcode kOpcode = Opcode::kLog;
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return IsOrdinary(x); }
  static HWY_INLINE Vz Of(Vz x, Vz) { return LogOf(x); }
};
// |1 + x|^2 = 1 + a (2 + a) + b^2, unless much of that cancels or it is large.
struct LogPlusOne {
  static constexpr Opcode kOpcode = Opcode::kLogPlusOne;
  static HWY_INLINE Vz Shifted(Vz x) { return {x.real + All(1), x.imag}; }
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return IsOrdinary(Shifted(x)); }
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Vz y = Shifted(x);
    const Vd more = x.real * (All(2) + x.real) + x.imag * x.imag;
    const Md moderate = hn::And(more > All(-0.5), more < All(16));
    const Pair sum = Sum(All(1), more);
    const Pair norm = {hn::IfThenElse(moderate, sum.upper, Norm(y)),
                       hn::IfThenElseZero(moderate, sum.lower)};
    return {All(0.5) * LogOf(norm), Angle(y)};
  }
};

// e^(y log x), and complex.cc's exceptions: x^0, x^1 and real powers of positive numbers.
struct Power {
  static constexpr Opcode kOpcode = Opcode::kPower;
  static HWY_INLINE Vz Product(Vz x, Vz y) {
    return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
  }
  static HWY_INLINE Md IsSafe(Vz x, Vz y) {
    const Vd angle = Product(y, LogOf(x)).imag;
    return hn::And(hn::And(IsOrdinary(x), IsBounded(y)), IsAngle(angle));
  }
  static HWY_INLINE Vz Of(Vz x, Vz y) {
    Vz power = ExpOf(Product(y, LogOf(x)));
    const Md real = hn::And(y.imag == All(0),
                            hn::Or(y.real == All(0), hn::And(x.imag == All(0), x.real > All(0))));
    const Md same = hn::And(y.imag == All(0), y.real == All(1));
    power = {hn::IfThenElse(same, x.real, power.real), hn::IfThenElse(same, x.imag, power.imag)};
    return {power.real, hn::IfThenZeroElse(real, power.imag)};
  }
};

// The elements outside `safe` by complex.cc.
template <class F>
HWY_NOINLINE void Patch(Md safe, const Element* a, const Element* b, Element* out) {
  static const KernelFunction one = ComplexKernel(F::kOpcode, PrimitiveType::kC64);
  uint8_t bits[8 + hn::MaxLanes(Doubles()) / 8];
  hn::StoreMaskBits(Doubles(), safe, bits);
  for (size_t i = 0; i < hn::Lanes(Doubles()); ++i) {
    if ((bits[i / 8] >> (i % 8) & 1) == 0) one({}, a + i, b + i, nullptr, out + i, 1);
  }
}

template <class F>
struct ComplexStep {
  static HWY_INLINE void Run(const Element* a, const Element* b, Element* out) {
    const Vz x = LoadComplex(a), y = LoadComplex(b);
    const Md safe = F::IsSafe(x, y);
    if (HWY_LIKELY(EveryLane(safe))) return StoreComplex(F::Of(x, y), out);
    Element kept[2][hn::MaxLanes(Doubles())];  // out may be an operand
    StoreComplex(x, kept[0]);
    StoreComplex(y, kept[1]);
    StoreComplex(F::Of(x, y), out);
    Patch<F>(safe, kept[0], kept[1], out);
  }
};

template <class... F>
KernelFunction OneOf(Opcode opcode) {
  KernelFunction run = nullptr;
  ((run = F::kOpcode == opcode ? RunSteps<ComplexStep<F>, Element> : run), ...);
  return run;
}
KernelFunction FunctionOfC64(Opcode opcode) {
  if (opcode == Opcode::kAbs) return RunSize;
  if (opcode == Opcode::kMultiply) return RunSteps<Multiply, Element>;
  return OneOf<Divide, Power, Sign, Exponential, ExponentialMinusOne, Logarithm, LogPlusOne,
               Logistic, Sine, Cosine, Tan, Sinh, Cosh, Tanh>(opcode);
}

}  // namespace c64
using c64::FunctionOfC64;
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(FunctionOfC64);
KernelFunction VectorComplex(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(FunctionOfC64)(opcode); }
}  // namespace hlocts::cpu
#endif
