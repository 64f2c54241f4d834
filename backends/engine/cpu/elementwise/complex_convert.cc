// SPDX-License-Identifier: Apache-2.0
// convert from and to complex types. Another kernel converts the parts.
#include <algorithm>

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {
namespace {

// Writes complex numbers with the given real parts. The imaginary parts are zero.
template <typename Bits>
void Interleave(const void* real, void* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<Bits*>(out)[2 * i] = static_cast<const Bits*>(real)[i];
    static_cast<Bits*>(out)[2 * i + 1] = 0;
  }
}
template <typename Bits>
void TakeReal(const void* from, void* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<Bits*>(out)[i] = static_cast<const Bits*>(from)[2 * i];
  }
}

// The maximum of `count` in IntoComplex and the other conversions below.
constexpr int64_t kComplexBlock = 256;
void IntoComplex(const Kernel& parts, const void* a, void* out, int64_t count) {
  alignas(64) uint8_t real[kComplexBlock * sizeof(double)];
  parts(a, nullptr, nullptr, real, count);
  const bool wide = StorageBytes(parts.parameters.result_type) == 8;
  wide ? Interleave<uint64_t>(real, out, count) : Interleave<uint32_t>(real, out, count);
}
void OutOfComplex(const Kernel& parts, const void* a, void* out, int64_t count) {
  alignas(64) uint8_t real[kComplexBlock * sizeof(double)];
  const bool wide = StorageBytes(parts.parameters.operand_type) == 8;
  wide ? TakeReal<uint64_t>(a, real, count) : TakeReal<uint32_t>(a, real, count);
  parts(real, nullptr, nullptr, out, count);
}
void ComplexIntoPred(const Kernel& parts, const void* a, void* out, int64_t count) {
  uint8_t both[2 * kComplexBlock];
  parts(a, nullptr, nullptr, both, 2 * count);
  for (int64_t i = 0; i < count; ++i) {
    static_cast<uint8_t*>(out)[i] = both[2 * i] | both[2 * i + 1];
  }
}

}  // namespace

// Converts from or to a complex type. A real number gets the imaginary part 0. A conversion to a
// real type keeps the real part. A conversion to pred returns true if either part is nonzero.
void ComplexConvert(const KernelParameters& p, const void* a, const void*, const void*, void* out,
                    int64_t count) {
  const ScopedFlush keep(false);
  const bool from = IsComplex(p.operand_type), to = IsComplex(p.result_type);
  const Kernel parts = ConvertKernel(ComponentType(p.operand_type), ComponentType(p.result_type));
  if (from && to) return parts(a, nullptr, nullptr, out, 2 * count);
  const auto step = to                                      ? IntoComplex
                    : p.result_type == PrimitiveType::kPred ? ComplexIntoPred
                                                            : OutOfComplex;
  const int64_t in = StorageBytes(p.operand_type), result = StorageBytes(p.result_type);
  for (int64_t at = 0; at < count; at += kComplexBlock) {
    step(parts, static_cast<const uint8_t*>(a) + at * in, static_cast<uint8_t*>(out) + at * result,
         std::min(kComplexBlock, count - at));
  }
}

}  // namespace hlocts::cpu
