// SPDX-License-Identifier: Apache-2.0
// convert between any two array types, with one rounding, and reduce-precision.
#include <cmath>
#include <cstring>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/elementwise/loop.h"
#include "backends/engine/cpu/elementwise/precision_cut.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"

namespace hlocts::cpu {
namespace {

// Returns true for a subnormal float even if subnormals are flushed.
struct IsNotZero {
  template <typename From>
  static uint8_t Apply(From x) {
    return x != 0;
  }
};
KernelFunction FloatIntoPred(PrimitiveType from, PrimitiveType to) {
  if (to != PrimitiveType::kPred) return nullptr;
  if (from == PrimitiveType::kF32) return Unary<IsNotZero, float, uint8_t>;
  return from == PrimitiveType::kF64 ? Unary<IsNotZero, double, uint8_t> : nullptr;
}

template <typename T>
int64_t AsInteger(const void* elements, int64_t i) {
  return static_cast<int64_t>(static_cast<const T*>(elements)[i]);
}
int64_t LoadInteger(PrimitiveType type, const void* elements, int64_t i) {
  return VisitInteger(type, [&](auto zero) { return AsInteger<decltype(zero)>(elements, i); });
}
void StoreInteger(PrimitiveType type, int64_t value, void* elements, int64_t i) {
  const int unused = 64 - BitWidth(type);
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  const int64_t cut = IsSigned(type) ? static_cast<int64_t>(shifted) >> unused
                                     : static_cast<int64_t>(shifted >> unused);
  const int width = StorageBytes(type);
  std::memcpy(static_cast<uint8_t*>(elements) + i * width, &cut, width);
}

double LoadFloat(PrimitiveType type, const void* elements, int64_t i) {
  switch (StorageBytes(type)) {
    case 1:
      return static_cast<double>(DecodeNarrow(type, static_cast<const uint8_t*>(elements)[i]));
    case 2:
      return static_cast<double>(DecodeNarrow(type, static_cast<const uint16_t*>(elements)[i]));
    case 4:
      return static_cast<double>(static_cast<const float*>(elements)[i]);
    default:
      return static_cast<const double*>(elements)[i];
  }
}
void StoreFloat(PrimitiveType type, double value, void* elements, int64_t i) {
  switch (StorageBytes(type)) {
    case 4:
      static_cast<float*>(elements)[i] = static_cast<float>(value);
      return;
    case 8:
      static_cast<double*>(elements)[i] = value;
      return;
    default: {
      const uint64_t bits = EncodeFloat(FormatOf(type), value);
      const int width = StorageBytes(type);
      std::memcpy(static_cast<uint8_t*>(elements) + i * width, &bits, width);
    }
  }
}

// Returns a double that rounds to any format of at most 24 significand bits as the integer would.
// If the magnitude exceeds 2^53, the integer's low bits become one sticky bit, which is far below
// the last bit of such a format.
double SafeDouble(int64_t value, bool is_unsigned) {
  const bool negative = !is_unsigned && value < 0;
  uint64_t size =
      negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (size >> 53 != 0) size = (size & ~uint64_t{0xfff}) | ((size & 0xfff) != 0 ? 0x800 : 0);
  const double result = static_cast<double>(size);
  return negative ? -result : result;
}

int64_t Saturated(double x, PrimitiveType type) {
  const int bits = BitWidth(type);
  const bool is_signed = IsSigned(type);
  if (!(x == x)) return 0;
  const int digits = is_signed ? bits - 1 : bits;
  const double beyond = std::ldexp(1.0, digits), least = is_signed ? -beyond : 0.0;
  if (x >= beyond)
    return static_cast<int64_t>(digits == 64 ? ~uint64_t{0} : (uint64_t{1} << digits) - 1);
  if (x <= least) return is_signed ? static_cast<int64_t>(-1) << digits : 0;
  return is_signed ? static_cast<int64_t>(x) : static_cast<int64_t>(static_cast<uint64_t>(x));
}

void ConvertOne(PrimitiveType from, PrimitiveType to, const void* in, int64_t i, void* out,
                int64_t j) {
  if (IsFloat(from)) {
    const double x = LoadFloat(from, in, i);
    if (to == PrimitiveType::kPred) {
      static_cast<uint8_t*>(out)[j] = x != 0;
    } else if (IsFloat(to)) {
      StoreFloat(to, x, out, j);
    } else {
      StoreInteger(to, Saturated(x, to), out, j);
    }
    return;
  }
  const int64_t x = LoadInteger(from, in, i);
  if (to == PrimitiveType::kPred) {
    static_cast<uint8_t*>(out)[j] = x != 0;
  } else if (to == PrimitiveType::kF64) {
    static_cast<double*>(out)[j] = from == PrimitiveType::kU64
                                       ? static_cast<double>(static_cast<uint64_t>(x))
                                       : static_cast<double>(x);
  } else if (IsFloat(to)) {
    StoreFloat(to, SafeDouble(x, from == PrimitiveType::kU64), out, j);
  } else {
    StoreInteger(to, x, out, j);
  }
}

}  // namespace

void GeneralConvert(const KernelParameters& p, const void* a, const void*, const void*, void* out,
                    int64_t count) {
  const ScopedFlush keep(false);
  for (int64_t i = 0; i < count; ++i) ConvertOne(p.operand_type, p.result_type, a, i, out, i);
}

void ReducePrecisionKernel(const KernelParameters& p, const void* a, const void*, const void*,
                           void* out, int64_t count) {
  if (FormatOf(p.operand_type).non_finite == NonFinite::kIeee) {
    return VectorReducePrecision(StorageBytes(p.operand_type))(p, a, nullptr, nullptr, out, count);
  }
  // A format without infinities is rounded as f32, which represents all its values.
  const MantissaRounder<uint32_t> cut(FormatOf(PrimitiveType::kF32), p.numbers[0], p.numbers[1]);
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(LoadFloat(p.operand_type, a, i));
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits = cut(bits);
    std::memcpy(&value, &bits, sizeof(value));
    StoreFloat(p.operand_type, static_cast<double>(value), out, i);
  }
}

Kernel ConvertKernel(PrimitiveType from, PrimitiveType to) {
  Kernel kernel;
  kernel.parameters.operand_type = from;
  kernel.parameters.result_type = to;
  if (IsComplex(from) || IsComplex(to)) {
    kernel.run = ComplexConvert;
    return kernel;
  }
  kernel.run = VectorConvert(from, to);
  if (kernel.run == nullptr) kernel.run = FloatIntoPred(from, to);
  if (kernel.run == nullptr) kernel.run = GeneralConvert;
  return kernel;
}

}  // namespace hlocts::cpu
