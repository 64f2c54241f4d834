// SPDX-License-Identifier: Apache-2.0
// Converts runs of elements of any stored type to and from the types in which kernels compute.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "spec/ir/element_width.h"
#include "spec/ir/native.h"

namespace hlocts::kernels {

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

inline float Bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Rounds to nearest, ties to even. A NaN becomes quiet; it keeps its sign and upper payload bits.
inline uint16_t FloatToBf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? (bits >> 16) | 0x40 : rounded);
}

// Returns the value of a stored element. kType must not be complex.
template <PrimitiveType kType>
inline auto DecodeElement(const NativeOf<kType>& x) {
  using T = NativeOf<kType>;
  if constexpr (kType == PrimitiveType::kBF16) {
    return Bf16ToFloat(x.bits);
  } else if constexpr (IsNarrowFloat<T>::value) {
    return static_cast<float>(x);
  } else if constexpr (IsNarrowInt<T>::value) {
    return x.value;
  } else if constexpr (kType == PrimitiveType::kPred) {
    return static_cast<uint8_t>(x);
  } else {
    return x;
  }
}

template <PrimitiveType kType, typename From>
inline NativeOf<kType> EncodeElement(From x) {
  using T = NativeOf<kType>;
  if constexpr (kType == PrimitiveType::kBF16 && std::is_same_v<From, float>) {
    return T::FromBits(FloatToBf16(x));
  } else if constexpr (IsNarrowFloat<T>::value) {
    return T(static_cast<double>(x));
  } else if constexpr (IsNarrowInt<T>::value) {
    return T(static_cast<int64_t>(x));
  } else if constexpr (kType == PrimitiveType::kPred) {
    return x != 0;
  } else {
    return static_cast<T>(x);
  }
}

// Sets to[i] to the value of element i * stride of `from`, truncated or converted to To.
template <typename To>
void DecodeRun(PrimitiveType type, const void* from, int64_t stride, int64_t count, To* to) {
  VisitArrayType(type, [&](auto tag) {
    constexpr PrimitiveType kType = decltype(tag)::value;
    if constexpr (!kIsComplex<NativeOf<kType>>) {
      const auto* in = static_cast<const NativeOf<kType>*>(from);
      if (stride == 1) {
        for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(DecodeElement<kType>(in[i]));
      } else {
        for (int64_t i = 0; i < count; ++i) {
          to[i] = static_cast<To>(DecodeElement<kType>(in[i * stride]));
        }
      }
    }
    return 0;
  });
}

// Sets element i * stride of `to` to from[i], rounded or truncated to `type`.
template <typename From>
void EncodeRun(PrimitiveType type, const From* from, int64_t count, int64_t stride, void* to) {
  VisitArrayType(type, [&](auto tag) {
    constexpr PrimitiveType kType = decltype(tag)::value;
    if constexpr (!kIsComplex<NativeOf<kType>>) {
      auto* out = static_cast<NativeOf<kType>*>(to);
      if (stride == 1) {
        for (int64_t i = 0; i < count; ++i) out[i] = EncodeElement<kType>(from[i]);
      } else {
        for (int64_t i = 0; i < count; ++i) out[i * stride] = EncodeElement<kType>(from[i]);
      }
    }
    return 0;
  });
}

// Copies strided elements of 1, 2, 4, 8 or 16 bytes.
template <int kBytes>
void PackBytes(const char* from, int64_t stride, int64_t count, char* to) {
  for (int64_t i = 0; i < count; ++i) {
    __builtin_memcpy(to + i * kBytes, from + i * stride * kBytes, kBytes);
  }
}

inline void PackRun(int bytes, const void* from, int64_t stride, int64_t count, void* to) {
  const char* in = static_cast<const char*>(from);
  char* out = static_cast<char*>(to);
  if (stride == 1) {
    std::memcpy(out, in, count * bytes);
    return;
  }
  VisitWidth(bytes, [&](auto zero) { PackBytes<sizeof(zero)>(in, stride, count, out); });
}

}  // namespace hlocts::kernels
