// SPDX-License-Identifier: Apache-2.0
// Implements convert (convert_element_type.*) from any array type to any other, rounding once to
// nearest, ties to even (ruling 0055). Blocks of elements are converted through the widest type of
// their class: double, 64-bit integer or a pair of doubles.
#include <cstdint>
#include <cstring>

#include "reference/kernels/codec.h"
#include "reference/kernels/loop.h"
#include "reference/ops/families.h"
#include "spec/ir/native.h"

namespace hlocts::reference {
namespace {

// Converts to a narrower integer modulo 2^width, and to pred by comparison with zero.
void IntegersToIntegers(const ElementwiseOp& op, const void* from, void* to, int64_t count) {
  int64_t x[kBlock];
  DecodeIntegers(op.operand_type, from, x, count);
  if (op.result_type == PrimitiveType::kPred) {
    for (int64_t i = 0; i < count; ++i) x[i] = x[i] != 0;
  }
  EncodeIntegers(op.result_type, x, to, count);
}

// Converts integers to floats. 64-bit integers are first rounded to odd as doubles, so that the
// final conversion is the only rounding; f64 results are rounded directly.
void IntegersToFloats(const ElementwiseOp& op, const void* from, void* to, int64_t count) {
  int64_t x[kBlock];
  double y[kBlock];
  DecodeIntegers(op.operand_type, from, x, count);
  bool is_unsigned = op.operand_type == PrimitiveType::kU64;
  if (BitWidth(op.operand_type) < 64) {
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<double>(x[i]);
  } else if (op.result_type == PrimitiveType::kF64) {
    for (int64_t i = 0; i < count; ++i) {
      y[i] = is_unsigned ? static_cast<double>(static_cast<uint64_t>(x[i]))
                         : static_cast<double>(x[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      y[i] = is_unsigned ? RoundToOdd(static_cast<uint64_t>(x[i])) : RoundToOdd(x[i]);
    }
  }
  EncodeFloats(op.result_type, y, to, count);
}

// Truncates towards zero, saturates, and maps NaN to 0 (ruling 0007 allows any value).
int64_t Truncate(double x, double low, double high, int64_t low_integer, int64_t high_integer) {
  if (x != x) return 0;
  if (x <= low) return low_integer;
  if (x >= high) return high_integer;
  return static_cast<int64_t>(x);
}

void FloatsToIntegers(const ElementwiseOp& op, const void* from, void* to, int64_t count) {
  double x[kBlock];
  int64_t y[kBlock];
  DecodeFloats(op.operand_type, from, x, count);
  int bits = BitWidth(op.result_type);
  if (op.result_type == PrimitiveType::kPred) {  // NaN converts to true
    for (int64_t i = 0; i < count; ++i) y[i] = !(x[i] == 0);
  } else if (op.result_type == PrimitiveType::kU64) {
    for (int64_t i = 0; i < count; ++i) {
      // Values in the upper half of u64 exceed int64, to which Truncate converts.
      y[i] = x[i] >= 0x1p63
                 ? (x[i] >= 0x1p64 ? -1 : static_cast<int64_t>(static_cast<uint64_t>(x[i])))
                 : Truncate(x[i], 0, 0x1p63, 0, INT64_MAX);
    }
  } else {
    bool is_signed = IsSigned(op.result_type);
    uint64_t half = uint64_t{1} << (bits - 1);
    int64_t most = static_cast<int64_t>(is_signed ? half - 1 : half * 2 - 1);
    int64_t least = is_signed ? -most - 1 : 0;
    double low = static_cast<double>(least), high = bits == 64 ? 0x1p63 : static_cast<double>(most);
    for (int64_t i = 0; i < count; ++i) y[i] = Truncate(x[i], low, high, least, most);
  }
  EncodeIntegers(op.result_type, y, to, count);
}

void FloatsToFloats(const ElementwiseOp& op, const void* from, void* to, int64_t count) {
  double x[kBlock];
  DecodeFloats(op.operand_type, from, x, count);
  EncodeFloats(op.result_type, x, to, count);
}

using Block = void (*)(const ElementwiseOp&, const void*, void*, int64_t);

Block RealBlock(PrimitiveType from, PrimitiveType to) {
  if (IsFloat(from)) return IsFloat(to) ? FloatsToFloats : FloatsToIntegers;
  return IsFloat(to) ? IntegersToFloats : IntegersToIntegers;
}

void RealLoop(const ElementwiseOp& op, const void* const* operands, void* result, int64_t count) {
  Block block = RealBlock(op.operand_type, op.result_type);
  int from_bytes = StorageBytes(op.operand_type), to_bytes = StorageBytes(op.result_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    block(op, static_cast<const uint8_t*>(operands[0]) + at * from_bytes,
          static_cast<uint8_t*>(result) + at * to_bytes, count - at < kBlock ? count - at : kBlock);
  }
}

// Converts from or to complex numbers. Each part is converted like a real number. The imaginary
// part of a real number is 0; a real result drops the imaginary part; a pred result is true if
// either part is nonzero.
void ComplexLoop(const ElementwiseOp& op, const void* const* operands, void* result,
                 int64_t count) {
  PrimitiveType from = ComponentType(op.operand_type), to = ComponentType(op.result_type);
  ElementwiseOp part;
  part.operand_type = from, part.result_type = to;
  Block block = RealBlock(from, to);
  int from_step = StorageBytes(op.operand_type), to_step = StorageBytes(op.result_type);
  const uint8_t* x = static_cast<const uint8_t*>(operands[0]);
  uint8_t* out = static_cast<uint8_t*>(result);
  for (int64_t i = 0; i < count; ++i, x += from_step, out += to_step) {
    alignas(16) uint8_t element[16], converted[16] = {};
    std::memcpy(element, x, from_step);
    block(part, element, converted, 1);
    if (IsComplex(op.operand_type) && IsComplex(op.result_type)) {
      block(part, element + from_step / 2, converted + to_step / 2, 1);
    } else if (to == PrimitiveType::kPred && IsComplex(op.operand_type)) {
      uint8_t imaginary;
      block(part, element + from_step / 2, &imaginary, 1);
      converted[0] |= imaginary;
    }
    std::memcpy(out, converted, to_step);
  }
}

struct WidenF32 {
  static double Apply(float x) { return static_cast<double>(x); }
};
struct RoundF64 {
  static float Apply(double x) { return static_cast<float>(x); }
};
struct S32ToF32 {
  static float Apply(int32_t x) { return static_cast<float>(x); }
};

// Truncates and saturates as above, without branches so that it vectorises.
struct F32ToS32 {
  static int32_t Apply(float x) {
    float inside = x >= -0x1p31f ? x : -0x1p31f;  // NaN becomes the low end here, and 0 below
    inside = inside < 0x1p31f ? inside : 0.0f;
    int32_t truncated = static_cast<int32_t>(inside);
    truncated = x >= 0x1p31f ? INT32_MAX : truncated;
    return x == x ? truncated : 0;
  }
};
// Integers of magnitude 2^24 or more are rounded to odd in f32 first, so the result equals a single
// rounding to bf16.
struct S32ToBF16 {
  static uint16_t Apply(int32_t x) {
    uint32_t sign = static_cast<uint32_t>(x >> 31);
    uint32_t magnitude = (static_cast<uint32_t>(x) ^ sign) - sign;
    uint32_t odd = (magnitude & ~uint32_t{0x7f}) | ((magnitude & 0x7f) != 0 ? 0x80 : 0);
    magnitude = magnitude >> 24 != 0 ? odd : magnitude;
    float exact = static_cast<float>(static_cast<int32_t>((magnitude ^ sign) - sign));
    uint32_t bits;
    std::memcpy(&bits, &exact, sizeof(bits));
    return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
};

void Identity(const ElementwiseOp& op, const void* const* operands, void* result, int64_t count) {
  std::memmove(result, operands[0], static_cast<size_t>(count * StorageBytes(op.result_type)));
}

}  // namespace

Kernel ConvertKernel(PrimitiveType from, PrimitiveType to) {
  if (from == to) return Identity;
  if (IsComplex(from) || IsComplex(to)) return ComplexLoop;
  if (from == PrimitiveType::kF32 && to == PrimitiveType::kF64)
    return UnaryLoop<WidenF32, float, double>;
  if (from == PrimitiveType::kF64 && to == PrimitiveType::kF32)
    return UnaryLoop<RoundF64, double, float>;
  if (from == PrimitiveType::kS32 && to == PrimitiveType::kF32)
    return UnaryLoop<S32ToF32, int32_t, float>;
  if (from == PrimitiveType::kF32 && to == PrimitiveType::kS32)
    return UnaryLoop<F32ToS32, float, int32_t>;
  if (from == PrimitiveType::kS32 && to == PrimitiveType::kBF16)
    return UnaryLoop<S32ToBF16, int32_t, uint16_t>;
  return RealLoop;
}

}  // namespace hlocts::reference
