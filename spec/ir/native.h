// SPDX-License-Identifier: Apache-2.0
// Native C++ types of array elements, and one dispatch from PrimitiveType to these types.
//
// A Literal stores an element of type t as NativeOf<t>: narrow floats as their bits in a
// NarrowFloat, sub-byte integers in a byte (sign- or zero-extended), pred as bool.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "spec/ir/float_format.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// The bits of a float narrower than f32. Arithmetic goes through float or double and rounds once.
template <PrimitiveType kType, typename Bits>
struct NarrowFloat {
  Bits bits = 0;
  static constexpr PrimitiveType type = kType;

  NarrowFloat() = default;
  explicit NarrowFloat(double value)
      : bits(static_cast<Bits>(EncodeFloat(FormatOf(kType), value))) {}
  static NarrowFloat FromBits(Bits bits) {
    NarrowFloat result;
    result.bits = bits;
    return result;
  }
  operator float() const { return DecodeNarrow(kType, bits); }  // exact
  bool operator==(const NarrowFloat& other) const { return float{*this} == float{other}; }
};

// An integer of 1, 2 or 4 bits in a byte. Construction wraps modulo 2^bits.
template <int kBits, bool kSigned>
struct NarrowInt {
  using Byte = std::conditional_t<kSigned, int8_t, uint8_t>;
  Byte value = 0;

  NarrowInt() = default;
  explicit NarrowInt(int64_t wide)
      : value(static_cast<Byte>(static_cast<Byte>(static_cast<uint64_t>(wide) << (8 - kBits)) >>
                                (8 - kBits))) {}
  operator int() const { return value; }
};

template <PrimitiveType kType>
struct NativeOfType;
#define HLOCTS_NATIVE(Name, Native)             \
  template <>                                   \
  struct NativeOfType<PrimitiveType::k##Name> { \
    using type = Native;                        \
  };
#define HLOCTS_NATIVE_NARROW(Name, Bits) \
  HLOCTS_NATIVE(Name, NarrowFloat<PrimitiveType::k##Name HLOCTS_COMMA Bits>)
#define HLOCTS_COMMA ,
using NativeS1 = NarrowInt<1, true>;
using NativeS2 = NarrowInt<2, true>;
using NativeS4 = NarrowInt<4, true>;
using NativeU1 = NarrowInt<1, false>;
using NativeU2 = NarrowInt<2, false>;
using NativeU4 = NarrowInt<4, false>;
using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
HLOCTS_NATIVE(Pred, bool)
HLOCTS_NATIVE(S1, NativeS1)
HLOCTS_NATIVE(S2, NativeS2)
HLOCTS_NATIVE(S4, NativeS4)
HLOCTS_NATIVE(S8, int8_t)
HLOCTS_NATIVE(S16, int16_t)
HLOCTS_NATIVE(S32, int32_t)
HLOCTS_NATIVE(S64, int64_t)
HLOCTS_NATIVE(U1, NativeU1)
HLOCTS_NATIVE(U2, NativeU2)
HLOCTS_NATIVE(U4, NativeU4)
HLOCTS_NATIVE(U8, uint8_t)
HLOCTS_NATIVE(U16, uint16_t)
HLOCTS_NATIVE(U32, uint32_t)
HLOCTS_NATIVE(U64, uint64_t)
HLOCTS_NATIVE_NARROW(F4E2M1FN, uint8_t)
HLOCTS_NATIVE_NARROW(F8E3M4, uint8_t)
HLOCTS_NATIVE_NARROW(F8E4M3, uint8_t)
HLOCTS_NATIVE_NARROW(F8E4M3B11FNUZ, uint8_t)
HLOCTS_NATIVE_NARROW(F8E4M3FN, uint8_t)
HLOCTS_NATIVE_NARROW(F8E4M3FNUZ, uint8_t)
HLOCTS_NATIVE_NARROW(F8E5M2, uint8_t)
HLOCTS_NATIVE_NARROW(F8E5M2FNUZ, uint8_t)
HLOCTS_NATIVE_NARROW(F8E8M0FNU, uint8_t)
HLOCTS_NATIVE_NARROW(F16, uint16_t)
HLOCTS_NATIVE_NARROW(BF16, uint16_t)
HLOCTS_NATIVE(F32, float)
HLOCTS_NATIVE(F64, double)
HLOCTS_NATIVE(C64, Complex64)
HLOCTS_NATIVE(C128, Complex128)
#undef HLOCTS_NATIVE
#undef HLOCTS_NATIVE_NARROW
#undef HLOCTS_COMMA

template <PrimitiveType kType>
using NativeOf = typename NativeOfType<kType>::type;

template <typename T>
struct IsNarrowFloat : std::false_type {};
template <PrimitiveType kType, typename Bits>
struct IsNarrowFloat<NarrowFloat<kType, Bits>> : std::true_type {};
template <typename T>
struct IsNarrowInt : std::false_type {};
template <int kBits, bool kSigned>
struct IsNarrowInt<NarrowInt<kBits, kSigned>> : std::true_type {};

// Calls visitor(std::integral_constant<PrimitiveType, t>{}) for an array type t. All calls must
// return the same type. The visitor is instantiated for all 31 types, so keep it small, or dispatch
// on width (DispatchStorage in the reference) if it only moves bytes.
template <typename Visitor>
auto VisitArrayType(PrimitiveType type, Visitor&& visitor) {
  switch (type) {
#define HLOCTS_PRIMITIVE_TYPE_kOther(Name)
#define HLOCTS_PRIMITIVE_TYPE_CASE(Name) \
  case PrimitiveType::k##Name:           \
    return visitor(std::integral_constant<PrimitiveType, PrimitiveType::k##Name>{});
#define HLOCTS_PRIMITIVE_TYPE_kPred(Name) HLOCTS_PRIMITIVE_TYPE_CASE(Name)
#define HLOCTS_PRIMITIVE_TYPE_kSigned(Name) HLOCTS_PRIMITIVE_TYPE_CASE(Name)
#define HLOCTS_PRIMITIVE_TYPE_kUnsigned(Name) HLOCTS_PRIMITIVE_TYPE_CASE(Name)
#define HLOCTS_PRIMITIVE_TYPE_kFloat(Name) HLOCTS_PRIMITIVE_TYPE_CASE(Name)
#define HLOCTS_PRIMITIVE_TYPE_kComplex(Name) HLOCTS_PRIMITIVE_TYPE_CASE(Name)
#define HLOCTS_PRIMITIVE_TYPE(Name, text, number, bits, type_class) \
  HLOCTS_PRIMITIVE_TYPE_##type_class(Name)
#include "spec/ir/primitive_types.def"
#undef HLOCTS_PRIMITIVE_TYPE
    default:
      // Callers check IsArrayType first, because a tuple has no native element type.
      return visitor(std::integral_constant<PrimitiveType, PrimitiveType::kPred>{});
  }
}

}  // namespace hlocts
