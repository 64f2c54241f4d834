// SPDX-License-Identifier: Apache-2.0
// Elements in memory, and their bits.
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
// Any width, 16 bytes among them.
HL_CALL void CopyElement(int bytes, const void* from, i64 i, void* to, i64 j) {
  if (bytes == 16) {
    const u64* source = static_cast<const u64*>(from) + 2 * i;
    u64* target = static_cast<u64*>(to) + 2 * j;
    const u64 low = source[0], high = source[1];
    target[0] = low;
    target[1] = high;
    return;
  }
  StoreBits(bytes, to, j, LoadBits(bytes, from, i));
}

// From the bits of an element that is not complex.
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
    case kClassDouble:
      return v.u;
    default:
      return v.u;
  }
}

HL_CALL Value Load(int type, const void* array, i64 i) {
  Value v;
  if (type == kC64) {
    const float* parts = static_cast<const float*>(array) + 2 * i;
    v.z = {static_cast<double>(parts[0]), static_cast<double>(parts[1])};
    return v;
  }
  if (type == kC128) {
    const double* parts = static_cast<const double*>(array) + 2 * i;
    v.z = {parts[0], parts[1]};
    return v;
  }
  const u64 bits = LoadBits(BytesOf(type), array, i);
  return FromBits(type, type == kF4E2M1FN ? bits & 15 : bits);
}
HL_CALL void Store(int type, void* array, i64 i, Value v) {
  if (type == kC64) {
    float* parts = static_cast<float*>(array) + 2 * i;
    parts[0] = static_cast<float>(v.z.re);
    parts[1] = static_cast<float>(v.z.im);
  } else if (type == kC128) {
    double* parts = static_cast<double*>(array) + 2 * i;
    parts[0] = v.z.re;
    parts[1] = v.z.im;
  } else {
    StoreBits(BytesOf(type), array, i, ToBits(type, v));
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_MEMORY_H_
