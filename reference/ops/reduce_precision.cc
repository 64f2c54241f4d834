// SPDX-License-Identifier: Apache-2.0
// Implements reduce-precision (reduce_precision.*): rounds to the given number of mantissa bits,
// then maps values beyond the range of the given exponent bits to infinity or a signed zero.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/kernels/codec.h"
#include "reference/ops/families.h"
#include "spec/ir/float_format.h"

namespace hlocts::reference {
namespace {

// Rounds, then limits the range (ruling 0053), on the bits of a format with IEEE layout. Ties round
// to an even last bit; a carry out of the mantissa correctly increments the exponent. Values below
// the least normal of the narrower range become a signed zero (either sign is accepted).
uint64_t Reduce(const FloatFormat& f, uint64_t bits, int exponent_bits, int mantissa_bits) {
  if (IsNanBits(f, bits)) return bits | (uint64_t{1} << (f.mantissa_bits - 1));
  uint64_t sign = bits & f.sign_mask(), magnitude = bits ^ sign;
  if (magnitude == f.infinity_bits()) return bits;
  if (mantissa_bits < f.mantissa_bits) {
    int dropped = f.mantissa_bits - mantissa_bits;
    uint64_t last = uint64_t{1} << dropped;
    magnitude += (last >> 1) - 1 + ((magnitude >> dropped) & 1);
    magnitude &= ~(last - 1);
  }
  if (exponent_bits < f.exponent_bits) {
    int64_t exponent = static_cast<int64_t>(magnitude >> f.mantissa_bits) - f.bias;
    int64_t bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    if (exponent > bias) magnitude = f.infinity_bits();
    if (exponent < 1 - bias) magnitude = 0;
  }
  return sign | magnitude;
}

template <typename Bits>
void Loop(const ElementwiseOp& op, const FloatFormat& f, const void* operand, void* result,
          int64_t count) {
  const Bits* x = static_cast<const Bits*>(operand);
  Bits* out = static_cast<Bits*>(result);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Bits>(
        Reduce(f, x[i], static_cast<int>(op.parameters[0]), static_cast<int>(op.parameters[1])));
  }
}

// Rounds a subnormal to the subnormals of a format with `mantissa_bits` bits (ruling 0053).
double OnSubnormalGrid(const FloatFormat& f, double x, int mantissa_bits) {
  if (!f.has_zero || std::fabs(x) >= f.min_normal()) return x;
  const double step = std::ldexp(f.min_normal(), -std::min(mantissa_bits, f.mantissa_bits));
  return std::copysign(std::nearbyint(x / step) * step, x);
}

}  // namespace

void ReducePrecisionKernel(const ElementwiseOp& op, const void* const* operands, void* result,
                           int64_t count) {
  const FloatFormat& f = FormatOf(op.operand_type);
  if (f.non_finite == NonFinite::kIeee) {
    switch (StorageBytes(op.operand_type)) {
      case 1:
        return Loop<uint8_t>(op, f, operands[0], result, count);
      case 2:
        return Loop<uint16_t>(op, f, operands[0], result, count);
      case 4:
        return Loop<uint32_t>(op, f, operands[0], result, count);
      default:
        return Loop<uint64_t>(op, f, operands[0], result, count);
    }
  }
  // In formats without IEEE 754's special values, each value is a normal f32 and reduced as f32. An
  // exception is 2^-127 of f8e8m0fnu: its results, 2^-127 and 0, are both stored as 2^-127.
  const FloatFormat& wide = FormatOf(PrimitiveType::kF32);
  const uint8_t* x = static_cast<const uint8_t*>(operands[0]);
  uint8_t* out = static_cast<uint8_t*>(result);
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(OnSubnormalGrid(f, DecodeNarrow(op.operand_type, x[i]),
                                                     static_cast<int>(op.parameters[1])));
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits = static_cast<uint32_t>(
        Reduce(wide, bits, static_cast<int>(op.parameters[0]), static_cast<int>(op.parameters[1])));
    std::memcpy(&value, &bits, sizeof(bits));
    double reduced = value;
    EncodeFloats(op.operand_type, &reduced, out + i, 1);
  }
}

}  // namespace hlocts::reference
