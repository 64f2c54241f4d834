// Quotients and functions of c64 as vectors of f64, each part rounded once. Numbers that need care
// (zeros, infinities, large angles) go through complex.cc, one at a time.
#include <complex>

#include "backends/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/elementwise/vector_complex.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/cpu/elementwise/vector_double-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace {

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
struct Divide {
  static constexpr Opcode kOpcode = Opcode::kDivide;
  static HWY_INLINE Md IsSafe(Vz, Vz y) { return IsOrdinary(y); }
  static HWY_INLINE Vz Of(Vz x, Vz y) {
    const Vd norm = Norm(y);
    return {hn::MulAdd(x.real, y.real, x.imag * y.imag) / norm,
            hn::MulSub(x.imag, y.real, x.real * y.imag) / norm};
  }
};

// e^(a + ib) = e^a (cos b + i sin b). Beyond the end e^a is infinite in f32, or zero.
HWY_INLINE Vz ExpOfComplex(Vz x) {
  constexpr double kEnd = 700;
  const Vd size = ShortExp(AtLeast(AtMost(x.real, kEnd), -kEnd));
  const SineCosine angle = SineAndCosine(x.imag);
  return {size * angle.cosine, size * angle.sine};
}
struct ComplexExponential {
  static constexpr Opcode kOpcode = Opcode::kExponential;
  static HWY_INLINE Md IsSafe(Vz x, Vz) {
    return hn::And(IsBounded(x.real), hn::Abs(x.imag) <= All(kSineEnd));
  }
  static HWY_INLINE Vz Of(Vz x, Vz) { return ExpOfComplex(x); }
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
HWY_INLINE Vz LogOfComplex(Vz x) {
  const Vd a = hn::Abs(x.real), b = hn::Abs(x.imag), high = hn::Max(a, b), low = hn::Min(a, b);
  BinaryParts norm = SplitBinary(Norm(x));
  const Vd near_one = hn::MulAdd(high - All(1), high + All(1), low * low);
  norm.f = hn::IfThenElse(norm.k == All(0), near_one, norm.f);
  return {All(0.5) * LogOf(norm, All(0)), Angle(x)};
}
struct ComplexLog {
  static constexpr Opcode kOpcode = Opcode::kLog;
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return IsOrdinary(x); }
  static HWY_INLINE Vz Of(Vz x, Vz) { return LogOfComplex(x); }
};

// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b): nothing cancels.
struct ComplexTanh {
  static constexpr Opcode kOpcode = Opcode::kTanh;
  static constexpr double kEnd = 60;  // the real part is 1 and the other 0 in f32 by far
  static HWY_INLINE Md IsSafe(Vz x, Vz) { return ComplexExponential::IsSafe(x, x); }
  static HWY_INLINE Vz Of(Vz x, Vz) {
    const Vd e = ShortExpMinusOne(AtMost(hn::Abs(x.real), kEnd)), quotient = e / (e + All(1));
    const Vd sinh = All(0.5) * (e + quotient), cosh = hn::MulAdd(All(0.5) * e, quotient, All(1));
    const SineCosine angle = SineAndCosine(x.imag);
    const Vd norm = hn::MulAdd(sinh, sinh, angle.cosine * angle.cosine);
    return {hn::CopySign(sinh * cosh / norm, x.real), angle.sine * angle.cosine / norm};
  }
};

// e^(y log x), and complex.cc's exceptions: x^0, x^1 and real powers of positive numbers.
struct ComplexPower {
  static constexpr Opcode kOpcode = Opcode::kPower;
  static HWY_INLINE Vz Product(Vz x, Vz y) {
    return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
  }
  static HWY_INLINE Md IsSafe(Vz x, Vz y) {
    const Vd angle = Product(y, LogOfComplex(x)).imag;
    return hn::And(hn::And(IsOrdinary(x), IsBounded(y)), hn::Abs(angle) <= All(kSineEnd));
  }
  static HWY_INLINE Vz Of(Vz x, Vz y) {
    Vz power = ExpOfComplex(Product(y, LogOfComplex(x)));
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
template <class F>
void RunComplex(const KernelParameters&, const void* a, const void* b, const void*, void* out,
                int64_t count) {
  EachVector<ComplexStep<F>, Element>(a, b, out, count);
}

KernelFunction FunctionOfC64(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDivide:
      return RunComplex<Divide>;
    case Opcode::kExponential:
      return RunComplex<ComplexExponential>;
    case Opcode::kLog:
      return RunComplex<ComplexLog>;
    case Opcode::kPower:
      return RunComplex<ComplexPower>;
    case Opcode::kTanh:
      return RunComplex<ComplexTanh>;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(FunctionOfC64);
KernelFunction VectorComplex(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(FunctionOfC64)(opcode); }
}  // namespace hlocts::cpu
#endif
