// SPDX-License-Identifier: Apache-2.0
// Vector conversions and reduce-precision. They are compiled once for each instruction set.
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/precision_cut.h"
#include "spec/ir/element_width.h"
#include "spec/ir/number_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_convert.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace conversions {

struct BF16ToF32 {
  static float Apply(uint16_t x) { return FloatOf(static_cast<uint32_t>(x) << 16); }
};
// Rounds to nearest, ties to even. A NaN remains a NaN and keeps the upper bits of its payload.
struct F32ToBF16 {
  static uint16_t Apply(float x) {
    const uint32_t bits = BitsOf(x);
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const uint32_t nan = (bits >> 16) | 0x40;
    return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
  }
};
// Adds 112, the difference of the biases, to the exponent. A subnormal f16 is computed as a small
// integer times 2^-24. No intermediate f32 is subnormal, so flushing has no effect.
struct F16ToF32 {
  static float Apply(uint16_t x) {
    const uint32_t wide = static_cast<uint32_t>(x & 0x7fff) << 13;
    const uint32_t normal = wide + (112u << 23), special = wide | 0x7f800000;
    const float tiny = static_cast<float>(static_cast<int32_t>(x & 0x3ff)) * 0x1p-24f;
    uint32_t magnitude = (x & 0x7c00) == 0 ? BitsOf(tiny) : normal;
    magnitude = (x & 0x7c00) == 0x7c00 ? special : magnitude;
    return FloatOf(magnitude | static_cast<uint32_t>(x & 0x8000) << 16);
  }
};
struct F32ToF16 {
  static uint16_t Apply(float x) {
    const uint32_t bits = BitsOf(x), magnitude = bits & 0x7fffffff;
    // Changes the exponent's bias of a normal result, and rounds at bit 13.
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    // Rounds a result below 2^-14 by adding 1/2. The last bit of the sum has the weight of the last
    // bit of a subnormal f16.
    const uint32_t tiny = BitsOf(FloatOf(magnitude) + 0.5f) - 0x3f000000;
    uint32_t half = magnitude < 0x38800000 ? tiny : normal;
    half = magnitude >= 0x477ff000 ? 0x7c00 : half;
    half = magnitude > 0x7f800000 ? (0x7e00 | ((magnitude >> 13) & 0x1ff)) : half;
    return static_cast<uint16_t>(half | (bits >> 16 & 0x8000));
  }
};

// A signed one-byte float with kDigits explicit mantissa bits and exponent bias kBias. Codes from
// kSpecial on are infinite or NaN. Overflow yields kSpecial; NaN yields kNan.
template <int kDigits, int kBias, uint32_t kSpecial, uint32_t kNan>
struct ByteFloat {
  static constexpr int kShift = 23 - kDigits;
  static constexpr uint32_t kBiases = static_cast<uint32_t>(127 - kBias);
  static constexpr uint32_t kLeastNormal = 1u << kDigits;
  // The f32 bits of the format's least positive number.
  static constexpr uint32_t kUnit = (kBiases + 1 - kDigits) << 23;

  // Returns the f32 bits of a number. A subnormal is an integer multiple of the least number.
  static uint32_t Decoded(uint8_t x) {
    const uint32_t magnitude = x & 0x7fu, wide = magnitude << kShift;
    const uint32_t tiny =
        BitsOf(static_cast<float>(static_cast<int32_t>(magnitude)) * FloatOf(kUnit));
    uint32_t bits = magnitude < kLeastNormal ? tiny : wide + (kBiases << 23);
    bits = magnitude >= kSpecial ? (wide | 0x7f800000) : bits;
    return bits | static_cast<uint32_t>(x & 0x80) << 24;
  }
  // A normal number gets the format's bias, and is rounded to kDigits mantissa bits. A subnormal is
  // rounded by an addition: the last bit of the sum has the weight of the format's least number.
  static uint8_t Encoded(uint32_t bits) {
    constexpr uint32_t kLineUp = kUnit + (23u << 23);
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t even = (magnitude >> kShift) & 1;
    const uint32_t normal =
        (magnitude - (kBiases << 23) + ((1u << (kShift - 1)) - 1) + even) >> kShift;
    const uint32_t tiny = BitsOf(FloatOf(magnitude) + FloatOf(kLineUp)) - kLineUp;
    uint32_t byte = magnitude < (kBiases + 1) << 23 ? tiny : normal;
    byte = byte > kSpecial ? kSpecial : byte;
    // With one more selection, compilers would not vectorize the loop.
    const uint32_t nan = magnitude > 0x7f800000 ? kNan : 0;
    return static_cast<uint8_t>(byte | nan | (bits >> 24 & 0x80));
  }
};
template <class Format>
struct ByteToF32 {
  static float Apply(uint8_t x) { return FloatOf(Format::Decoded(x)); }
};
template <class Format>
struct ByteToBF16 {  // this conversion is exact
  static uint16_t Apply(uint8_t x) { return static_cast<uint16_t>(Format::Decoded(x) >> 16); }
};
template <class Format>
struct F32ToByte {
  static uint8_t Apply(float x) { return Format::Encoded(BitsOf(x)); }
};
// Returns nullptr if no kernel above converts `from` to `to`. The conversion then uses a table.
template <class Format>
KernelFunction OfByteFloat(PrimitiveType byte, PrimitiveType from, PrimitiveType to) {
  using P = PrimitiveType;
  if (from == byte && to == P::kF32) return UnaryLoop<ByteToF32<Format>, uint8_t, float>;
  if (from == byte && to == P::kBF16) return UnaryLoop<ByteToBF16<Format>, uint8_t, uint16_t>;
  if (from == P::kF32 && to == byte) return UnaryLoop<F32ToByte<Format>, float, uint8_t>;
  return nullptr;
}
KernelFunction ConvertByteFloat(PrimitiveType from, PrimitiveType to) {
  const bool e5m2 = from == PrimitiveType::kF8E5M2 || to == PrimitiveType::kF8E5M2;
  return e5m2 ? OfByteFloat<ByteFloat<2, 15, 0x7c, 0x7e>>(PrimitiveType::kF8E5M2, from, to)
              : OfByteFloat<ByteFloat<3, 7, 0x7f, 0x7f>>(PrimitiveType::kF8E4M3FN, from, to);
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
// Conversions by instructions of the processor. They round as above and do not flush subnormals.
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Halves = hn::Rebind<hwy::float16_t, Floats>;
struct Decoded {
  static HWY_INLINE void Run(const uint16_t* from, float* to) {
    const auto halves = hn::LoadU(Halves(), reinterpret_cast<const hwy::float16_t*>(from));
    hn::StoreU(hn::PromoteTo(Floats(), halves), Floats(), to);
  }
};
struct Encoded {
  static HWY_INLINE void Run(const float* from, uint16_t* to) {
    const auto halves = hn::DemoteTo(Halves(), hn::LoadU(Floats(), from));
    hn::StoreU(halves, Halves(), reinterpret_cast<hwy::float16_t*>(to));
  }
};
template <class Step, class F, typename T, typename R>
void HalfLoop(HLOCTS_ARGUMENTS) {
  const T* x = static_cast<const T*>(a);
  R* r = static_cast<R*>(out);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  int64_t at = 0;
  for (; at + lanes <= count; at += lanes) Step::Run(x + at, r + at);
  UnaryLoop<F, T, R>(p, x + at, b, c, r + at, count - at);
}
constexpr KernelFunction kHalfToFloat = HalfLoop<Decoded, F16ToF32, uint16_t, float>;
constexpr KernelFunction kFloatToHalf = HalfLoop<Encoded, F32ToF16, float, uint16_t>;
#else
constexpr KernelFunction kHalfToFloat = UnaryLoop<F16ToF32, uint16_t, float>;
constexpr KernelFunction kFloatToHalf = UnaryLoop<F32ToF16, float, uint16_t>;
#endif

// Truncates and saturates. NaN becomes 0 (fact convert.saturate). Results of 8 and 16 bits are
// first converted to 32 bits, because compilers can then narrow the vectors.
template <typename To>
struct Saturate {
  template <typename From>
  static To Apply(From x) {
    using Wide = std::conditional_t<sizeof(To) < 4, int32_t,
                                    std::conditional_t<std::is_same_v<To, uint32_t>, int64_t, To>>;
    using Limits = std::numeric_limits<To>;
    constexpr From kLeast = static_cast<From>(Limits::min());
    const From above = x >= kLeast ? x : kLeast;
    if constexpr (Limits::digits <= std::numeric_limits<From>::digits) {
      constexpr From kMost = static_cast<From>(Limits::max());
      const From inside = above <= kMost ? above : kMost;
      return static_cast<To>(static_cast<Wide>(x == x ? inside : 0));
    } else {
      constexpr From kBeyond = static_cast<From>(uint64_t{1} << (Limits::digits - 1)) * 2;
      const From inside = above < kBeyond ? above : 0;
      const To truncated = static_cast<To>(static_cast<Wide>(inside));
      return x == x ? (x >= kBeyond ? Limits::max() : truncated) : 0;
    }
  }
};
template <typename To>
struct Number {
  template <typename From>
  static To Apply(From x) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      return Saturate<To>::Apply(x);
    } else {
      return static_cast<To>(x);  // integers wrap; floats are rounded once, to nearest
    }
  }
};
struct IsNotZero {
  template <typename From>
  static uint8_t Apply(From x) {
    return x != 0;
  }
};

template <typename From>
KernelFunction Into(PrimitiveType to) {
  if (to == PrimitiveType::kPred) {
    // A vector loop of IsNotZero on floats could flush, and thus treat a subnormal as zero.
    return std::is_integral_v<From> ? UnaryLoop<IsNotZero, From, uint8_t> : nullptr;
  }
  return VisitNumberType<KernelFunction>(to, [](auto zero) -> KernelFunction {
    return UnaryLoop<Number<decltype(zero)>, From, decltype(zero)>;
  });
}

template <typename Bits>
void PrecisionLoop(HLOCTS_ARGUMENTS) {
  (void)b, (void)c;
  const MantissaRounder<Bits> cut(FormatOf(p.operand_type), p.numbers[0], p.numbers[1]);
  const Bits* x = static_cast<const Bits*>(a);
  Bits* r = static_cast<Bits*>(out);
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) r[i] = cut(x[i]);
}
KernelFunction ReducePrecision(int width) {
  return VisitUnsigned(width,
                       [](auto zero) -> KernelFunction { return PrecisionLoop<decltype(zero)>; });
}

KernelFunction Convert(PrimitiveType from, PrimitiveType to) {
  using P = PrimitiveType;
  if (from == P::kBF16 && to == P::kF32) return UnaryLoop<BF16ToF32, uint16_t, float>;
  if (from == P::kF32 && to == P::kBF16) return UnaryLoop<F32ToBF16, float, uint16_t>;
  if (from == P::kF16 && to == P::kF32) return kHalfToFloat;
  if (from == P::kF32 && to == P::kF16) return kFloatToHalf;
  if (const KernelFunction convert = ConvertByteFloat(from, to)) return convert;
  switch (from) {
    case P::kPred:
    case P::kU8:
      return Into<uint8_t>(to);
    case P::kU16:
      return Into<uint16_t>(to);
    case P::kU32:
      return Into<uint32_t>(to);
    case P::kU64:
      return Into<uint64_t>(to);
    case P::kS8:
      return Into<int8_t>(to);
    case P::kS16:
      return Into<int16_t>(to);
    case P::kS32:
      return Into<int32_t>(to);
    case P::kS64:
      return Into<int64_t>(to);
    case P::kF32:
      return Into<float>(to);
    case P::kF64:
      return Into<double>(to);
    default:
      return nullptr;
  }
}

}  // namespace conversions
using conversions::Convert;
using conversions::ReducePrecision;
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Convert);
HWY_EXPORT(ReducePrecision);
KernelFunction VectorReducePrecision(int width) {
  return HWY_DYNAMIC_DISPATCH(ReducePrecision)(width);
}
KernelFunction VectorConvert(PrimitiveType from, PrimitiveType to) {
  return HWY_DYNAMIC_DISPATCH(Convert)(from, to);
}
}  // namespace hlocts::cpu
#endif
