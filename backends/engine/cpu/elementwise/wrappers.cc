// SPDX-License-Identifier: Apache-2.0
// Kernels that convert elements block by block, run another kernel, and convert the results.
#include "backends/engine/cpu/elementwise/wrappers.h"

#include <cstring>

#include "backends/engine/cpu/elementwise/families.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kBlock = 512;

void Decode(PrimitiveType type, const void* from, float* to, int64_t count) {
  if (KernelFunction convert = VectorConvert(type, PrimitiveType::kF32)) {
    return convert({}, from, nullptr, nullptr, to, count);
  }
  GeneralConvert({type, PrimitiveType::kF32}, from, nullptr, nullptr, to, count);
}

void Encode(PrimitiveType type, const float* from, void* to, int64_t count) {
  if (KernelFunction convert = VectorConvert(PrimitiveType::kF32, type)) {
    return convert({}, from, nullptr, nullptr, to, count);
  }
  GeneralConvert({PrimitiveType::kF32, type}, from, nullptr, nullptr, to, count);
}

uint8_t Extended(PrimitiveType type, uint8_t bits) {
  const int unused = 8 - BitWidth(type);
  const uint8_t shifted = static_cast<uint8_t>(bits << unused);
  return IsSigned(type) ? static_cast<uint8_t>(static_cast<int8_t>(shifted) >> unused)
                        : static_cast<uint8_t>(shifted >> unused);
}

}  // namespace

void ThroughF32(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count) {
  alignas(64) float decoded[3][kBlock], computed[kBlock];
  const void* operands[3] = {a, b, c};
  const int width = StorageBytes(p.operand_type), result_width = StorageBytes(p.result_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int k = 0; k < p.operand_count; ++k) {
      Decode(p.operand_type, static_cast<const uint8_t*>(operands[k]) + at * width, decoded[k], n);
    }
    uint8_t* result = static_cast<uint8_t*>(out) + at * result_width;
    if (p.result_type == PrimitiveType::kPred) {
      p.inner(p, decoded[0], decoded[1], decoded[2], result, n);
      continue;
    }
    p.inner(p, decoded[0], decoded[1], decoded[2], computed, n);
    Encode(p.result_type, computed, result, n);
  }
}

void ThroughF64(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count) {
  constexpr int64_t kShort = 128;
  double decoded[3][kShort], computed[kShort];
  const uint8_t* operands[3] = {static_cast<const uint8_t*>(a), static_cast<const uint8_t*>(b),
                                static_cast<const uint8_t*>(c)};
  const int width = StorageBytes(p.operand_type);
  const KernelParameters from = {p.operand_type, PrimitiveType::kF64, 1, {0, 0}, nullptr};
  const KernelParameters to = {PrimitiveType::kF64, p.result_type, 1, {0, 0}, nullptr};
  for (int64_t at = 0; at < count; at += kShort) {
    const int64_t n = count - at < kShort ? count - at : kShort;
    for (int k = 0; k < p.operand_count; ++k) {
      GeneralConvert(from, operands[k] + at * width, nullptr, nullptr, decoded[k], n);
    }
    p.inner(p, decoded[0], decoded[1], decoded[2], computed, n);
    GeneralConvert(to, computed, nullptr, nullptr, static_cast<uint8_t*>(out) + at * width, n);
  }
}

void WithMask(const KernelParameters& p, const void* a, const void*, const void*, void* out,
              int64_t count) {
  KernelParameters single = p;
  single.single = 2;
  p.inner(single, a, p.numbers, nullptr, out, count);
}

void CopyBytes(const KernelParameters& p, const void* a, const void*, const void*, void* out,
               int64_t count) {
  if (count > 0) std::memmove(out, a, static_cast<size_t>(count) * StorageBytes(p.result_type));
}

void ThroughByte(const KernelParameters& p, const void* a, const void* b, const void*, void* out,
                 int64_t count) {
  uint8_t read[2][kBlock];
  const void* operands[2] = {a, b};
  const int width = BitWidth(p.operand_type);
  const uint8_t mask = p.numbers[0] == kAsStored ? 0xff : static_cast<uint8_t>((1 << width) - 1);
  const uint8_t sign = p.numbers[0] == kSignExtended ? static_cast<uint8_t>(1 << (width - 1)) : 0;
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int k = 0; k < p.operand_count; ++k) {
      const uint8_t* x = static_cast<const uint8_t*>(operands[k]) + at;
      for (int64_t i = 0; i < n; ++i) {
        read[k][i] = static_cast<uint8_t>(((x[i] & mask) ^ sign) - sign);
      }
    }
    uint8_t* result = static_cast<uint8_t*>(out) + at;
    p.inner(p, read[0], read[1], nullptr, result, n);
    for (int64_t i = 0; i < n; ++i) {
      result[i] = Extended(p.result_type, static_cast<uint8_t>(result[i] - p.numbers[1]));
    }
  }
}

void SameBits(const KernelParameters& p, const void* a, const void*, const void*, void* out,
              int64_t count) {
  const uint8_t* x = static_cast<const uint8_t*>(a);
  uint8_t* r = static_cast<uint8_t*>(out);
  if (p.result_type == PrimitiveType::kPred) {
    for (int64_t i = 0; i < count; ++i) r[i] = x[i] != 0;
  } else if (IsSubByte(p.result_type)) {
    for (int64_t i = 0; i < count; ++i) r[i] = Extended(p.result_type, x[i]);
  } else {
    CopyBytes(p, a, nullptr, nullptr, out, count);
  }
}

void LineThroughS64(const KernelParameters& p, const void* a, const void*, const void*, void* out,
                    int64_t count) {
  int64_t numbers[kBlock];
  const int64_t first = *static_cast<const int64_t*>(a);
  const int width = StorageBytes(p.result_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int64_t i = 0; i < n; ++i) numbers[i] = first + at + i;
    p.inner(p, numbers, nullptr, nullptr, static_cast<uint8_t*>(out) + at * width, n);
  }
}

void OnParts(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
             int64_t count) {
  p.inner(p, a, b, c, out, 2 * count);
}

}  // namespace hlocts::cpu
