// SPDX-License-Identifier: Apache-2.0
// Runs of elements of any storage type to and from the types that kernels compute in. Only for
// *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_CONVERT_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_CONVERT_ISA_H_

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "backends/engine/cpu/kernels/runtime/vector_isa.h"
#include "spec/ir/element_width.h"
#include "spec/ir/native.h"

namespace hlocts::kernels::HLOCTS_ISA {

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

HLOCTS_INLINE float Bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// To nearest even; NaN keeps sign and upper payload, quiet.
HLOCTS_INLINE uint16_t FloatToBf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? (bits >> 16) | 0x40 : rounded);
}

HLOCTS_INLINE float F16ToFloat(uint16_t bits) {
#if defined(__F16C__)
  return _cvtsh_ss(bits);
#else
  return DecodeNarrow(PrimitiveType::kF16, bits);
#endif
}

HLOCTS_INLINE uint16_t FloatToF16(float x) {
#if defined(__F16C__)
  return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
#else
  return static_cast<uint16_t>(EncodeFloat(FormatOf(PrimitiveType::kF16), x));
#endif
}

// An element as stored -> value; kType is any array type but complex.
template <PrimitiveType kType>
HLOCTS_INLINE auto DecodeElement(const NativeOf<kType>& x) {
  using T = NativeOf<kType>;
  if constexpr (kType == PrimitiveType::kBF16) {
    return Bf16ToFloat(x.bits);
  } else if constexpr (kType == PrimitiveType::kF16) {
    return F16ToFloat(x.bits);
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
HLOCTS_INLINE NativeOf<kType> EncodeElement(From x) {
  using T = NativeOf<kType>;
  if constexpr (kType == PrimitiveType::kBF16 && std::is_same_v<From, float>) {
    return T::FromBits(FloatToBf16(x));
  } else if constexpr (kType == PrimitiveType::kF16 && std::is_same_v<From, float>) {
    return T::FromBits(FloatToF16(x));
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

#if defined(__F16C__)
// The prefix of a run that whole vectors cover; returns its length.
inline int64_t DecodeF16Vectors(const uint16_t* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(bits));
  }
  return i;
}

inline int64_t EncodeF16Vectors(const float* from, int64_t count, uint16_t* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), bits);
  }
  return i;
}
#endif

// to[i] = value of element i * stride of `from`, cut or converted to To.
template <typename To>
void DecodeRun(PrimitiveType type, const void* from, int64_t stride, int64_t count, To* to) {
  VisitArrayType(type, [&](auto tag) {
    constexpr PrimitiveType kType = decltype(tag)::value;
    if constexpr (!kIsComplex<NativeOf<kType>>) {
      const auto* in = static_cast<const NativeOf<kType>*>(from);
      if (stride == 1) {
        int64_t i = 0;
#if defined(__F16C__)
        if constexpr (std::is_same_v<To, float>) {
          if constexpr (kType == PrimitiveType::kF16) {
            i = DecodeF16Vectors(static_cast<const uint16_t*>(from), count, to);
          }
        }
#endif
        for (; i < count; ++i) to[i] = static_cast<To>(DecodeElement<kType>(in[i]));
      } else {
        for (int64_t i = 0; i < count; ++i) {
          to[i] = static_cast<To>(DecodeElement<kType>(in[i * stride]));
        }
      }
    }
    return 0;
  });
}

// Element i * stride of `to` = from[i], rounded or cut.
template <typename From>
void EncodeRun(PrimitiveType type, const From* from, int64_t count, int64_t stride, void* to) {
  VisitArrayType(type, [&](auto tag) {
    constexpr PrimitiveType kType = decltype(tag)::value;
    if constexpr (!kIsComplex<NativeOf<kType>>) {
      auto* out = static_cast<NativeOf<kType>*>(to);
      if (stride == 1) {
        int64_t i = 0;
#if defined(__F16C__)
        if constexpr (std::is_same_v<From, float>) {
          if constexpr (kType == PrimitiveType::kF16) {
            i = EncodeF16Vectors(from, count, static_cast<uint16_t*>(to));
          }
        }
#endif
        for (; i < count; ++i) out[i] = EncodeElement<kType>(from[i]);
      } else {
        for (int64_t i = 0; i < count; ++i) out[i * stride] = EncodeElement<kType>(from[i]);
      }
    }
    return 0;
  });
}

// Moves elements of 1, 2, 4, 8 or 16 bytes.
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

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_CONVERT_ISA_H_
