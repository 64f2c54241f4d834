// SPDX-License-Identifier: Apache-2.0
// The f32 functions that neural networks use most, by range reduction and polynomials (minimax fits
// by Remez exchange, coefficients rounded to f32). Their errors are within the bounds of the
// default profile. They are two to four times as fast as SLEEF's one-ulp functions
// (vector_math.cc). With fused multiply-add, last bits may differ between instruction sets.
#include <cstring>
#include <optional>
#include <utility>

#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_polynomials.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

// Evaluates c0 z^n + c1 z^(n-1) + ... + cn by Horner's rule.
template <typename... Rest>
inline float Polynomial(float z, float first, Rest... rest) {
  ((first = first * z + rest), ...);
  return first;
}

// ln 2 as a sum of two floats. Products of the first float with small integers are exact.
constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
constexpr float kLog2E = 0x1.715476p0f;
// When this constant is added to a small float, the low bits of the sum are the nearest integer.
constexpr float kRounder = 0x1.8p23f;
constexpr uint32_t kRounderBits = 0x4b400000;

// Returns e^c / 2^n, where n is the integer nearest to c / ln 2. Sets t so that n = BitsOf(t) -
// kRounderBits.
inline float ExpMantissa(float c, float& t) {
  t = c * kLog2E + kRounder;
  const float n = t - kRounder;
  const float r = (c - n * kLn2High) - n * kLn2Low;
  const float p = Polynomial(r, 0x1.a1c024p-13f, 0x1.6d9e28p-10f, 0x1.111078p-7f, 0x1.555478p-5f,
                             0x1.555556p-3f, 0.5f);
  return 1.0f + (r + r * r * p);
}

inline float Exp(float x) {
  float c = x < -104.0f ? -104.0f : x;
  c = c > 89.0f ? 89.0f : c;
  float t;
  const float y = ExpMantissa(c, t);
  // Multiplies by two factors whose product is 2^n. Both are in range even if 2^n is not.
  const uint32_t k = BitsOf(t) - kRounderBits;
  const uint32_t half = static_cast<uint32_t>(static_cast<int32_t>(k) >> 1);
  return y * FloatOf((half + 127) << 23) * FloatOf((k - half + 127) << 23);
}

// If |x| is at most this, e^x is neither infinite nor subnormal. ExpOf<true> then multiplies by 2^n
// by adding n to the exponent, which yields the same bits as Exp. The shift removes the bits of
// kRounder from t.
constexpr float kExpInside = 87.0f;
template <bool kInside>
inline float ExpOf(float x) {
  if constexpr (!kInside) return Exp(x);
  float t;
  const float y = ExpMantissa(x, t);
  return FloatOf(BitsOf(y) + (BitsOf(t) << 23));
}

inline float Log(float x) {
  const bool tiny = x < 0x1p-126f;
  const float normal = tiny ? x * 0x1p23f : x;
  const uint32_t bits = BitsOf(normal);
  // Scales the mantissa to [sqrt(1/2), sqrt(2)).
  const int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3) >> 23;
  const float f = FloatOf(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
  const float e = static_cast<float>(exponent) - (tiny ? 23.0f : 0.0f);
  const float p =
      Polynomial(f, 0x1.14c998p-4f, -0x1.deff66p-4f, 0x1.e7287ep-4f, -0x1.fc07dcp-4f,
                 0x1.233230p-3f, -0x1.555cccp-3f, 0x1.99a4f6p-3f, -0x1.000006p-2f, 0x1.555546p-2f);
  const float z = f * f;
  float y = f * z * p;
  y = y + e * kLn2Low;
  y = y - 0.5f * z;
  float r = (f + y) + e * kLn2High;
  r = x == __builtin_inff() ? x : r;
  r = x == 0.0f ? -__builtin_inff() : r;
  return x >= 0.0f ? r : __builtin_nanf("");  // a negative number or a NaN yields NaN
}

struct Logarithm {
  static float Apply(float x) { return Log(x); }
};
struct Exponential {
  template <bool kInside>
  static float Apply(float x) {
    return ExpOf<kInside>(x);
  }
};
struct ExponentialMinusOne {
  template <bool kInside>
  static float Apply(float x) {
    const float p = Polynomial(x, 0x1.a2ee4ep-16f, 0x1.a2e2b4p-13f, 0x1.6c1470p-10f, 0x1.110f74p-7f,
                               0x1.555556p-5f, 0x1.555556p-3f, 0.5f);
    const float near_zero = x + x * x * p;
    const float far = ExpOf<kInside>(x) - 1.0f;
    const float r = __builtin_fabsf(x) < 0.5f ? near_zero : far;
    return x == 0.0f ? x : r;
  }
};
// Computes log(u) x / (u - 1). u is 1 + x rounded; its rounding error cancels.
struct LogPlusOne {
  static float Apply(float x) {
    const float u = 1.0f + x;
    const float scaled = Log(u) * (x / (u - 1.0f));
    const float r = u == 1.0f ? x : scaled;
    return x == __builtin_inff() ? x : r;
  }
};
struct Tanh {
  // Computes x P(x^2) / Q(x^2). Above kEnd, 1 is within two ulps of tanh.
  static float Apply(float x) {
    constexpr float kEnd = 0x1.04ccccp3f;
    float c = x > kEnd ? kEnd : x;
    c = c < -kEnd ? -kEnd : c;
    const float z = c * c;
    const float p =
        Polynomial(z, 0x1.f2f3e6p-27f, 0x1.677fdap-16f, 0x1.d099fap-9f, 0x1.12e2bep-3f, 1.0f);
    const float q =
        Polynomial(z, 0x1.babd66p-21f, 0x1.60fb02p-12f, 0x1.ab042ap-6f, 0x1.dec6b2p-2f, 1.0f);
    float r = c * p / q;
    r = r > 1.0f ? 1.0f : r;
    return r < -1.0f ? -1.0f : r;
  }
};
// Computes x + x g(x^2) for |x| < 1, and 1 - e^h(|x|) for larger arguments. The polynomial g
// approximates erf(x) / x - 1, and e^h approximates erfc. From 3.92 on, 1 is within half an ulp of
// erf.
struct Erf {
  static float Apply(float x) {
    constexpr float kEnd = 3.92f;
    const float size = __builtin_fabsf(x), a = size < kEnd ? size : kEnd;
    const float z = a * a;
    const float g = Polynomial(z, 0x1.4a9df4p-14f, -0x1.a46d96p-11f, 0x1.5416dap-8f,
                               -0x1.b7fb58p-6f, 0x1.ce2d1ap-4f, -0x1.81273ep-2f, 0x1.06eba8p-3f);
    const float near_zero = a + a * g;
    const float h = Polynomial(a, 0x1.857544p-13f, -0x1.817a86p-9f, 0x1.6559c4p-6f, -0x1.a61748p-4f,
                               -0x1.46c39ep-1f, -0x1.20864ap+0f, -0x1.707d80p-12f);
    const float far = 1.0f - ExpOf<true>(h);
    const float r = __builtin_copysignf(a < 1.0f ? near_zero : far, x);
    return x == x ? r : x;
  }
};
struct Logistic {
  template <bool kInside>
  static float Apply(float x) {
    const float e = ExpOf<kInside>(-__builtin_fabsf(x));
    const float r = (x >= 0.0f ? 1.0f : e) / (1.0f + e);
    return x == x ? r : x;
  }
};
// Returns true if no magnitude exceeds the bound. A NaN yields false.
inline bool AllWithin(const float* x, int64_t count, float bound) {
  int32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t size = static_cast<int32_t>(BitsOf(x[i]) & 0x7fffffff);
    largest = size > largest ? size : largest;
  }
  return largest <= static_cast<int32_t>(BitsOf(bound));
}

constexpr int64_t kBlock = 256;

// Applies a function that uses e^x. Blocks of numbers within kExpInside need no range checks.
template <class F>
void ExponentialLoop(const KernelParameters&, const void* a, const void*, const void*, void* out,
                     int64_t count) {
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    const float* x = static_cast<const float*>(a) + at;
    float* r = static_cast<float*>(out) + at;
    if (AllWithin(x, n, kExpInside)) {
      HLOCTS_LOOP
      for (int64_t i = 0; i < n; ++i) r[i] = F::template Apply<true>(x[i]);
    } else {
      HLOCTS_LOOP
      for (int64_t i = 0; i < n; ++i) r[i] = F::template Apply<false>(x[i]);
    }
  }
}

// Computes sine (phase 0) or cosine (phase 1) of arguments up to 2^13, which are reduced by
// multiples of pi/2 in double.
template <int kPhase>
inline float SineOf(float x) {
  constexpr double kDoubleRounder = 0x1.8p52;
  const double wide = static_cast<double>(x);
  const double t = wide * 0x1.45f306dc9c883p-1 + kDoubleRounder;
  const double n = t - kDoubleRounder;
  const double reduced = (wide - n * 0x1.921fb54400000p0) - n * 0x1.0b4611a626331p-34;
  uint64_t quadrant;
  std::memcpy(&quadrant, &t, sizeof(quadrant));
  const uint32_t q = static_cast<uint32_t>(quadrant) + kPhase;
  const float r = static_cast<float>(reduced), z = r * r;
  float s = Polynomial(z, 0x1.6cc978p-19f, -0x1.a00f60p-13f, 0x1.111108p-7f, -0x1.555556p-3f);
  s = r + r * (z * s);
  float c = Polynomial(z, 0x1.99f026p-16f, -0x1.6c0c4ep-10f, 0x1.55554ap-5f);
  c = (1.0f - 0.5f * z) + z * z * c;
  const float chosen = (q & 1) != 0 ? c : s;
  return FloatOf(BitsOf(chosen) ^ ((q & 2) << 30));
}

template <int kPhase>
void SineLoop(const KernelParameters& p, const void* a, const void*, const void*, void* out,
              int64_t count) {
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    const float* x = static_cast<const float*>(a) + at;
    float* r = static_cast<float*>(out) + at;
    if (!AllWithin(x, n, 8192.0f)) {
      const Opcode opcode = kPhase == 0 ? Opcode::kSine : Opcode::kCosine;
      RealFunctionKernel(opcode, PrimitiveType::kF32, false)(p, x, nullptr, nullptr, r, n);
      continue;
    }
    HLOCTS_LOOP
    for (int64_t i = 0; i < n; ++i) {
      const float y = SineOf<kPhase>(x[i]);
      r[i] = kPhase == 0 && x[i] == 0.0f ? x[i] : y;
    }
  }
}

// Returns nullptr if the function has no polynomial kernel.
KernelFunction Polynomials(Opcode opcode) {
  constexpr std::pair<ops::RealFunction, KernelFunction> kLoops[] = {
      {ops::RealFunction::kExponential, ExponentialLoop<Exponential>},
      {ops::RealFunction::kExponentialMinusOne, ExponentialLoop<ExponentialMinusOne>},
      {ops::RealFunction::kLog, UnaryLoop<Logarithm, float>},
      {ops::RealFunction::kLogPlusOne, UnaryLoop<LogPlusOne, float>},
      {ops::RealFunction::kTanh, UnaryLoop<Tanh, float>},
      {ops::RealFunction::kLogistic, ExponentialLoop<Logistic>},
      {ops::RealFunction::kErf, UnaryLoop<Erf, float>},
      {ops::RealFunction::kSine, SineLoop<0>},
      {ops::RealFunction::kCosine, SineLoop<1>},
  };
  const std::optional<ops::RealFunction> function = ops::RealFunctionOf(opcode);
  for (const auto& [known, run] : kLoops) {
    if (known == function) return run;
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Polynomials);
KernelFunction VectorPolynomial(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(Polynomials)(opcode); }
}  // namespace hlocts::cpu
#endif
