// SPDX-License-Identifier: Apache-2.0
// Pieces of functions in vectors of f64, compiled once for each instruction set: polynomials
// (minimax fits of our own by Remez exchange) and range reductions. Fused multiply-add is asked for
// by name, never left to the compiler, so that an element's bits do not depend on its place in the
// array.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_DOUBLE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_DOUBLE_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_DOUBLE_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_DOUBLE_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "backends/engine/cpu/base/float_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;
using Words = hn::RebindToUnsigned<Doubles>;
using Floats = hn::Rebind<float, Doubles>;  // as many as there are doubles in a vector
using Vd = hn::Vec<Doubles>;
using Vw = hn::Vec<Words>;
using Vf = hn::Vec<Floats>;
using Md = hn::Mask<Doubles>;

HWY_INLINE Vd All(double value) { return hn::Set(Doubles(), value); }
HWY_INLINE Vw WordsOf(Vd x) { return hn::BitCast(Words(), x); }
HWY_INLINE Vd DoublesOf(Vw x) { return hn::BitCast(Doubles(), x); }
HWY_INLINE bool EveryLane(Md mask) { return hn::AllTrue(Doubles(), mask); }
// A NaN stays one, which Min and Max do not promise.
HWY_INLINE Vd AtMost(Vd x, double bound) { return hn::IfThenElse(x > All(bound), All(bound), x); }
HWY_INLINE Vd AtLeast(Vd x, double bound) { return hn::IfThenElse(x < All(bound), All(bound), x); }

HWY_INLINE Vd Widened(Vf x) { return hn::PromoteTo(Doubles(), x); }
// To nearest; what is too large becomes infinite.
HWY_INLINE Vf Rounded(Vd x) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // There DemoteTo keeps to finite numbers.
  HWY_ALIGN double wide[hn::MaxLanes(Doubles())];
  HWY_ALIGN float narrow[hn::MaxLanes(Doubles())];
  hn::Store(x, Doubles(), wide);
  for (size_t i = 0; i < hn::Lanes(Doubles()); ++i) narrow[i] = static_cast<float>(wide[i]);
  return hn::Load(Floats(), narrow);
#else
  return hn::DemoteTo(Floats(), x);
#endif
}

// c0 z^n + c1 z^(n-1) + ... by Horner's rule.
template <typename... Rest>
HWY_INLINE Vd Horner(Vd z, double first, Rest... rest) {
  Vd sum = All(first);
  ((sum = hn::MulAdd(sum, z, All(rest))), ...);
  return sum;
}

// A number and what rounding took off it.
struct Pair {
  Vd upper, lower;
};
// Where |a| >= |b|, or a is zero.
HWY_INLINE Pair FastSum(Vd a, Vd b) {
  const Vd sum = a + b;
  return {sum, b - (sum - a)};
}
HWY_INLINE Pair Sum(Vd a, Vd b) {
  const Vd sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

// (x.upper + x.lower) / (y.upper + y.lower).
HWY_INLINE Vd Quotient(Pair x, Pair y) {
#if HWY_NATIVE_FMA
  const Vd inverse = All(1) / y.upper, rough = x.upper * inverse;
  const Vd missing = hn::NegMulAdd(rough, y.upper, x.upper) + x.lower;
  return hn::MulAdd(hn::NegMulAdd(rough, y.lower, missing), inverse, rough);
#else
  const Vd rough = x.upper / y.upper;
  return rough + (x.lower - rough * y.lower) / y.upper;
#endif
}

// ln 2 in two parts: products of the first with the exponents of doubles are exact.
constexpr double kLn2Upper = 0x1.62e42feep-1, kLn2Lower = 0x1.a39ef35793c76p-33;
// Adding this rounds a double to an integer, which then stands in the sum's low bits.
constexpr double kToInteger = 0x1.8p52;

// 2^n of integers from -1022 to 1023.
HWY_INLINE Vd PowerOfTwo(Vd n) {
  return DoublesOf(hn::ShiftLeft<52>(WordsOf(n + All(kToInteger + 1023))));
}
// x 2^n for n = t - kToInteger, where neither x nor the result is zero, subnormal or infinite.
HWY_INLINE Vd AddExponent(Vd x, Vd t) {
  return DoublesOf(WordsOf(x) + hn::ShiftLeft<52>(WordsOf(t)));
}

// x = n ln 2 + r, |r| < 0.35; `lower` is what rounding took off r.
struct NaturalParts {
  Vd t, n, r, lower;
};
HWY_INLINE NaturalParts SplitByLn2(Vd x) {
  NaturalParts parts;
  parts.t = hn::MulAdd(x, All(0x1.71547652b82fep0), All(kToInteger));
  parts.n = parts.t - All(kToInteger);
  const Vd rough = hn::NegMulAdd(parts.n, All(kLn2Upper), x);
  parts.r = hn::NegMulAdd(parts.n, All(kLn2Lower), rough);
  parts.lower = hn::NegMulAdd(parts.n, All(kLn2Lower), rough - parts.r);
  return parts;
}
// (e^r - 1 - r) / r^2 within 2^-58 of (e^r - 1) / r^2.
HWY_INLINE Vd ExpTail(Vd r) {
  return Horner(r, 0x1.e6325a5b7a520p-30, 0x1.af4dff604c32cp-26, 0x1.28022a1d0f2dep-22,
                0x1.71de02289ad18p-19, 0x1.a019f391c411fp-16, 0x1.a01a01abea33cp-13,
                0x1.6c16c16f0bd85p-10, 0x1.11111111100d9p-7, 0x1.5555555554d37p-5,
                0x1.5555555555557p-3, 0.5);
}
// e^x and e^x - 1 within a few units in the last place, |x| <= 708.
HWY_INLINE Vd RoughExp(Vd x) {
  const NaturalParts parts = SplitByLn2(x);
  const Vd r = parts.r;
  return AddExponent(All(1) + hn::MulAdd(r * r, ExpTail(r), r), parts.t);
}
HWY_INLINE Vd RoughExpMinusOne(Vd x) {
  const NaturalParts parts = SplitByLn2(x);
  const Vd r = parts.r, scale = PowerOfTwo(parts.n);
  return hn::MulAdd(scale, hn::MulAdd(r * r, ExpTail(r), r), scale - All(1));
}

// x = 2^k (1 + f) for normal x > 0, with 1 + f from sqrt(1/2) to sqrt(2).
struct BinaryParts {
  Vd k, f;
};
HWY_INLINE BinaryParts SplitBinary(Vd x) {
  constexpr uint64_t kOne = 0x3ff0000000000000, kSqrtHalf = 0x3fe6a09e667f3bcd;
  const Words words;
  const Vw bits = WordsOf(x);
  const Vw biased = hn::ShiftRight<52>(bits + hn::Set(words, kOne - kSqrtHalf));
  const Vw mantissa = bits - hn::ShiftLeft<52>(biased) + hn::Set(words, kOne);
  // The biased exponent as the low bits of 2^52.
  const Vd exponent = DoublesOf(biased | WordsOf(All(0x1p52)));
  return {exponent - All(0x1p52 + 1023), DoublesOf(mantissa) - All(1)};
}
// With s = f / (2 + f): log(1 + f) = 2s + s^3 q(s^2) = f - s (f - s^2 q), as in fdlibm's log;
// `lower` is added where it is not lost.
HWY_INLINE Vd LogOf(BinaryParts x, Vd lower) {
  const Vd s = x.f / (All(2) + x.f), z = s * s;
  const Vd q = Horner(z, 0x1.2f0d869763622p-3, 0x1.39a0f5d71d316p-3, 0x1.74664623a9556p-3,
                      0x1.c71c51e827c2dp-3, 0x1.24924942175c3p-2, 0x1.999999997fb37p-2,
                      0x1.5555555555593p-1);
  const Vd half = All(0.5) * x.f * x.f;
  const Vd small = hn::MulAdd(s, hn::MulAdd(z, q, half), hn::MulAdd(x.k, All(kLn2Lower), lower));
  return hn::NegMulAdd(x.k, All(-kLn2Upper), x.f - (half - small));
}

// The logarithm of a sum below 2^54: what it lacks goes into f, and what that lacks to the end.
HWY_INLINE Vd LogOf(Pair x) {
  BinaryParts parts = SplitBinary(x.upper);
  const Pair f = Sum(parts.f, x.lower * PowerOfTwo(hn::Neg(parts.k)));
  parts.f = f.upper;
  return LogOf(parts, hn::NegMulAdd(f.lower, f.upper, f.lower));
}

// Sine and cosine of |x| <= 2^13, within a few units in the last place.
struct SineCosine {
  Vd sine, cosine;  // of x reduced by n pi/2, or of x
  Vd versine;       // one less the cosine, which cancels nothing
  Vw n;             // its low bits
};
constexpr double kSineEnd = 8192;
// (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in terms of r^2, |r| <= pi/4.
HWY_INLINE Vd SineTail(Vd z) {
  return Horner(z, 0x1.5d9247d6b7148p-33, -0x1.ae5e63d147e03p-26, 0x1.71de3574bf726p-19,
                -0x1.a01a019c0e527p-13, 0x1.111111110f861p-7, -0x1.5555555555549p-3);
}
HWY_INLINE Vd CosineTail(Vd z) {
  return Horner(z, -0x1.8fadd1cc71f61p-37, 0x1.1ee9ea6f70d54p-29, -0x1.27e4f807da236p-22,
                0x1.a01a019caef90p-16, -0x1.6c16c16c15163p-10, 0x1.555555555554cp-5);
}
HWY_INLINE SineCosine ReducedSineCosine(Vd x) {
  const Vd t = hn::MulAdd(x, All(0x1.45f306dc9c883p-1), All(kToInteger));
  const Vd n = t - All(kToInteger);
  const Vd rough = hn::NegMulAdd(n, All(0x1.921fb544p0), x);
  const Vd r = hn::NegMulAdd(n, All(0x1.0b4611a626331p-34), rough), z = r * r;
  const Vd versine = hn::NegMulAdd(z * z, CosineTail(z), All(0.5) * z);
  // As a product, the sine of a zero keeps its sign.
  return {r * hn::MulAdd(z, SineTail(z), All(1)), All(1) - versine, versine, WordsOf(t)};
}
// `even` where n is even, else `odd`.
HWY_INLINE Vd ByParity(Vw n, Vd even, Vd odd) {
  const Md is_odd = hn::RebindMask(Doubles(), hn::TestBit(n, hn::Set(Words(), 1)));
  return hn::IfThenElse(is_odd, odd, even);
}
// Negated where n has its second bit.
HWY_INLINE Vd NegateBySecondBit(Vw n, Vd x) {
  return x ^ DoublesOf(hn::ShiftLeft<62>(n & hn::Set(Words(), 2)));
}
HWY_INLINE SineCosine SineAndCosine(Vd x) {
  const Words words;
  const SineCosine parts = ReducedSineCosine(x);
  const Vd sine = ByParity(parts.n, parts.sine, parts.cosine);
  const Vd swapped = ByParity(parts.n, parts.cosine, parts.sine);
  const Vd cosine = NegateBySecondBit(parts.n + hn::Set(words, 1), swapped);
  const Md plain = hn::RebindMask(Doubles(), (parts.n & hn::Set(words, 3)) == hn::Zero(words));
  return {NegateBySecondBit(parts.n, sine), cosine,
          hn::IfThenElse(plain, parts.versine, All(1) - cosine), parts.n};
}

// run(a, b, out) on vectors of elements; the last ones in a buffer, so that no element is computed
// in another way than the others. Subnormals are not flushed meanwhile.
template <class Step, typename T, typename R = T>
void EachVector(const void* a, const void* b, void* out, int64_t count) {
  const ScopedFlush keep(false);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Doubles()));
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b != nullptr ? b : a);
  R* r = static_cast<R*>(out);
  int64_t at = 0;
  for (; at + lanes <= count; at += lanes) Step::Run(x + at, y + at, r + at);
  if (at == count) return;
  HWY_ALIGN T last[2][hn::MaxLanes(Doubles())];
  HWY_ALIGN R result[hn::MaxLanes(Doubles())];
  for (int64_t i = 0; i < lanes; ++i) {
    last[0][i] = x[std::min(at + i, count - 1)];
    last[1][i] = y[std::min(at + i, count - 1)];
  }
  Step::Run(last[0], last[1], result);
  std::copy(result, result + (count - at), r + at);
}
// The same as a kernel.
template <class Step, typename T>
void RunSteps(const KernelParameters&, const void* a, const void* b, const void*, void* out,
              int64_t count) {
  EachVector<Step, T>(a, b, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_DOUBLE_INL_H_
