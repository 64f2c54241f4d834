// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/codec.h"

#include <cmath>
#include <cstring>

#include "spec/ir/float_format.h"
#include "spec/ir/native.h"

namespace hlocts::reference {
namespace {

template <typename To, typename From>
To BitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// Encodes doubles in a 16-bit format with IEEE layout. Values in the format's normal range are
// rounded by integer arithmetic on the bits of the double; other values go through EncodeFloat.
template <PrimitiveType kType, int kMantissaBits, int kBias>
void Encode16(const double* values, uint16_t* out, int64_t count) {
  constexpr int kDropped = 52 - kMantissaBits;
  constexpr uint64_t kRebias = static_cast<uint64_t>(1023 - kBias) << kMantissaBits;
  constexpr uint64_t kLeastNormal = static_cast<uint64_t>(1024 - kBias) << 52;
  constexpr uint64_t kTooLarge = static_cast<uint64_t>(1024 + kBias) << 52;
  const FloatFormat& format = FormatOf(kType);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = BitCast<uint64_t>(values[i]), magnitude = bits & (~uint64_t{0} >> 1);
    if (magnitude - kLeastNormal >= kTooLarge - kLeastNormal) {
      out[i] = static_cast<uint16_t>(EncodeFloat(format, values[i]));
      continue;
    }
    magnitude += (uint64_t{1} << (kDropped - 1)) - 1 + ((magnitude >> kDropped) & 1);
    out[i] = static_cast<uint16_t>(((magnitude >> kDropped) - kRebias) | ((bits >> 48) & 0x8000));
  }
}

void DecodeBf16(const uint16_t* x, double* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<double>(BitCast<float>(static_cast<uint32_t>(x[i]) << 16));
  }
}

// Decodes f16. If its bits are shifted to their positions in a float, the float is the value times
// 2^-112, even for subnormals. Infinity and NaN have the largest exponent in both formats.
void DecodeF16(const uint16_t* x, double* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t magnitude = static_cast<uint32_t>(x[i] & 0x7fff) << 13;
    uint32_t sign = static_cast<uint32_t>(x[i] & 0x8000) << 16;
    float finite = BitCast<float>(magnitude) * 0x1p112f;
    uint32_t bits = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : BitCast<uint32_t>(finite);
    out[i] = static_cast<double>(BitCast<float>(bits | sign));
  }
}

template <typename T, typename Out>
void Widen(const void* elements, Out* out, int64_t count) {
  const T* x = static_cast<const T*>(elements);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Out>(x[i]);
}

template <typename T>
void Cut(const int64_t* values, void* out, int64_t count) {
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(values[i]);
}

void CutNarrow(PrimitiveType type, const int64_t* values, void* out, int64_t count) {
  int shift = 8 - BitWidth(type);
  uint8_t* to = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < count; ++i) {
    uint8_t high = static_cast<uint8_t>(static_cast<uint64_t>(values[i]) << shift);
    to[i] = IsSigned(type) ? static_cast<uint8_t>(static_cast<int8_t>(high) >> shift)
                           : static_cast<uint8_t>(high >> shift);
  }
}

// Converts sign-magnitude codes of `width` bits to two's complement, with -0 as -1.
template <typename Bits>
void SignMagnitudeKeys(const void* elements, int width, int64_t* out, int64_t count) {
  const Bits* x = static_cast<const Bits*>(elements);
  uint64_t sign = uint64_t{1} << (width - 1);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = x[i];
    int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
    out[i] = bits & sign ? -1 - magnitude : magnitude;
  }
}

}  // namespace

double RoundToOdd(uint64_t value) {
  if (value >> 53 == 0) return static_cast<double>(value);
  int shift = 11 - __builtin_clzll(value);  // keeps 53 bits
  uint64_t kept = value >> shift;
  if ((kept << shift) != value) kept |= 1;
  return std::ldexp(static_cast<double>(kept), shift);
}

double RoundToOdd(int64_t value) {
  return value < 0 ? -RoundToOdd(uint64_t{0} - static_cast<uint64_t>(value))
                   : RoundToOdd(static_cast<uint64_t>(value));
}

void DecodeFloats(PrimitiveType type, const void* elements, double* out, int64_t count) {
  if (type == PrimitiveType::kF32) return Widen<float>(elements, out, count);
  if (type == PrimitiveType::kF64) return Widen<double>(elements, out, count);
  if (type == PrimitiveType::kBF16)
    return DecodeBf16(static_cast<const uint16_t*>(elements), out, count);
  if (type == PrimitiveType::kF16)
    return DecodeF16(static_cast<const uint16_t*>(elements), out, count);
  const uint8_t* x = static_cast<const uint8_t*>(elements);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<double>(DecodeNarrow(type, x[i]));
}

void EncodeFloats(PrimitiveType type, const double* values, void* out, int64_t count) {
  if (type == PrimitiveType::kF32) return Widen<double>(values, static_cast<float*>(out), count);
  if (type == PrimitiveType::kF64) return Widen<double>(values, static_cast<double*>(out), count);
  if (type == PrimitiveType::kBF16) {
    return Encode16<PrimitiveType::kBF16, 7, 127>(values, static_cast<uint16_t*>(out), count);
  }
  if (type == PrimitiveType::kF16) {
    return Encode16<PrimitiveType::kF16, 10, 15>(values, static_cast<uint16_t*>(out), count);
  }
  const FloatFormat& format = FormatOf(type);
  uint8_t* to = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(EncodeFloat(format, values[i]));
}

void DecodeIntegers(PrimitiveType type, const void* elements, int64_t* out, int64_t count) {
  bool is_signed = IsSigned(type);
  switch (StorageBytes(type)) {
    case 1:
      return is_signed ? Widen<int8_t>(elements, out, count) : Widen<uint8_t>(elements, out, count);
    case 2:
      return is_signed ? Widen<int16_t>(elements, out, count)
                       : Widen<uint16_t>(elements, out, count);
    case 4:
      return is_signed ? Widen<int32_t>(elements, out, count)
                       : Widen<uint32_t>(elements, out, count);
    default:
      return Widen<int64_t>(elements, out, count);
  }
}

void EncodeIntegers(PrimitiveType type, const int64_t* values, void* out, int64_t count) {
  if (IsSubByte(type)) return CutNarrow(type, values, out, count);
  switch (StorageBytes(type)) {
    case 1:
      return Cut<uint8_t>(values, out, count);
    case 2:
      return Cut<uint16_t>(values, out, count);
    case 4:
      return Cut<uint32_t>(values, out, count);
    default:
      return Cut<uint64_t>(values, out, count);
  }
}

void TotalOrderKeys(PrimitiveType type, const void* elements, int64_t* out, int64_t count) {
  if (type == PrimitiveType::kF8E8M0FNU) return Widen<uint8_t>(elements, out, count);
  switch (StorageBytes(type)) {
    case 1:
      return SignMagnitudeKeys<uint8_t>(elements, BitWidth(type), out, count);
    case 2:
      return SignMagnitudeKeys<uint16_t>(elements, 16, out, count);
    case 4:
      return SignMagnitudeKeys<uint32_t>(elements, 32, out, count);
    default:
      return SignMagnitudeKeys<uint64_t>(elements, 64, out, count);
  }
}

}  // namespace hlocts::reference
