// SPDX-License-Identifier: Apache-2.0
// Loads and stores elements and their bits.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_MEMORY_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_MEMORY_H_

#include "backends/engine/cuda/device/narrow.h"

namespace hl {

HL_FN u64 LoadBits(int bytes, const void* array, i64 i) {
  switch (bytes) {
    case 1:
      return static_cast<const unsigned char*>(array)[i];
    case 2:
      return static_cast<const unsigned short*>(array)[i];
    case 4:
      return static_cast<const u32*>(array)[i];
    default:
      return static_cast<const u64*>(array)[i];
  }
}
HL_FN void StoreBits(int bytes, void* array, i64 i, u64 bits) {
  switch (bytes) {
    case 1:
      static_cast<unsigned char*>(array)[i] = static_cast<unsigned char>(bits);
      return;
    case 2:
      static_cast<unsigned short*>(array)[i] = static_cast<unsigned short>(bits);
      return;
    case 4:
      static_cast<u32*>(array)[i] = static_cast<u32>(bits);
      return;
    default:
      static_cast<u64*>(array)[i] = bits;
  }
}
struct alignas(16) Vector16 {
  u64 low, high;
};
// The type that loads and stores use for elements of kBytes bytes.
template <int kBytes>
struct Word;
template <>
struct Word<1> {
  using Type = unsigned char;
};
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = u32;
};
template <>
struct Word<8> {
  using Type = u64;
};
template <>
struct Word<16> {
  using Type = Vector16;
};
// Copies an element of any width up to 16 bytes.
HL_CALL void CopyElement(int bytes, const void* from, i64 i, void* to, i64 j) {
  if (bytes == 16) {
    static_cast<Vector16*>(to)[j] = static_cast<const Vector16*>(from)[i];
    return;
  }
  StoreBits(bytes, to, j, LoadBits(bytes, from, i));
}

// Converts the bits of an element, which must not be complex, to its value.
HL_CALL Value FromBits(int type, u64 bits) {
  Value v;
  switch (ClassOf(type)) {
    case kClassFloat:
      v.f =
          type == kF32 ? FloatOfBits(static_cast<u32>(bits)) : Decode(type, static_cast<u32>(bits));
      break;
    default:
      v.u = type == kF64 ? bits : Wrap(type, bits);
  }
  return v;
}
HL_CALL u64 ToBits(int type, Value v) {
  switch (ClassOf(type)) {
    case kClassFloat:
      return type == kF32 ? BitsOfFloat(v.f) : Encode(type, v.f);
    default:
      return v.u;
  }
}

HL_CALL Value LoadParts(int type, const void* array, i64 i) {
  Value v;
  if (type == kC64) {
    const u64 bits = static_cast<const u64*>(array)[i];
    v.z = {Widened(FloatOfBits(static_cast<u32>(bits))),
           Widened(FloatOfBits(static_cast<u32>(bits >> 32)))};
    return v;
  }
  const Vector16 parts = static_cast<const Vector16*>(array)[i];
  v.z = {DoubleOfBits(parts.low), DoubleOfBits(parts.high)};
  return v;
}
HL_CALL Value Load(int type, const void* array, i64 i) {
  if (ClassOf(type) == kClassComplex) return LoadParts(type, array, i);
  const u64 bits = LoadBits(BytesOf(type), array, i);
  return FromBits(type, type == kF4E2M1FN ? bits & 15 : bits);
}
HL_CALL void StoreParts(int type, void* array, i64 i, Value v) {
  if (type == kC64) {
    static_cast<u64*>(array)[i] =
        BitsOfFloat(Narrowed(v.z.re)) | static_cast<u64>(BitsOfFloat(Narrowed(v.z.im))) << 32;
  } else {
    static_cast<Vector16*>(array)[i] = {BitsOfDouble(v.z.re), BitsOfDouble(v.z.im)};
  }
}
HL_CALL void Store(int type, void* array, i64 i, Value v) {
  if (ClassOf(type) == kClassComplex) return StoreParts(type, array, i, v);
  StoreBits(BytesOf(type), array, i, ToBits(type, v));
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_MEMORY_H_
