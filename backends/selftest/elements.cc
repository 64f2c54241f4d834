// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "spec/ir/native.h"

namespace hlocts::backends {
namespace {

template <typename T>
double ToDouble(const T& value) {
  if constexpr (IsNarrowFloat<T>::value) {
    return static_cast<double>(static_cast<float>(value));
  } else if constexpr (IsNarrowInt<T>::value) {
    return static_cast<double>(static_cast<int>(value));
  } else {
    return static_cast<double>(value);
  }
}

// Converts a number. Values in [2^63, 2^64) wrap; those outside [-2^63, 2^64) become INT64_MIN.
int64_t ToInteger(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 18446744073709551616.0 || value < -9223372036854775808.0) return INT64_MIN;
  if (value >= 9223372036854775808.0) return static_cast<int64_t>(static_cast<uint64_t>(value));
  return static_cast<int64_t>(value);
}

template <typename T>
T FromDouble(double value) {
  if constexpr (IsNarrowFloat<T>::value) {
    return T(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (IsNarrowInt<T>::value) {
    return T(ToInteger(value));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(ToInteger(value));
  } else {
    return static_cast<T>(value);
  }
}

// Calls visitor with a pointer to the numbers in their native type.
template <typename Visitor>
auto VisitNumbers(const Literal& literal, Visitor&& visitor) {
  const uint8_t* data = literal.raw_data();
  return VisitArrayType(NumberType(literal), [&](auto type) {
    using T = NativeOf<decltype(type)::value>;
    return visitor(reinterpret_cast<const T*>(data));
  });
}

template <typename Visitor>
void ChangeNumbers(Literal& literal, Visitor&& visitor) {
  uint8_t* data = literal.mutable_raw_data();
  VisitArrayType(NumberType(literal), [&](auto type) {
    using T = NativeOf<decltype(type)::value>;
    visitor(reinterpret_cast<T*>(data));
    return 0;
  });
}

size_t NumberBytes(const Literal& literal) {
  return static_cast<size_t>(StorageBytes(NumberType(literal)));
}

}  // namespace

PrimitiveType NumberType(const Literal& literal) { return ComponentType(literal.element_type()); }

int64_t NumberCount(const Literal& literal) {
  return literal.element_count() * (IsComplex(literal.element_type()) ? 2 : 1);
}

double ReadNumber(const Literal& literal, int64_t i) {
  return VisitNumbers(literal, [&](const auto* numbers) -> double {
    using T = std::decay_t<decltype(*numbers)>;
    if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>) {
      return 0;
    } else {
      return ToDouble(numbers[i]);
    }
  });
}

void WriteNumber(Literal& literal, int64_t i, double value) {
  ChangeNumbers(literal, [&](auto* numbers) {
    using T = std::decay_t<decltype(*numbers)>;
    if constexpr (!std::is_same_v<T, Complex64> && !std::is_same_v<T, Complex128>) {
      numbers[i] = FromDouble<T>(value);
    }
  });
}

int64_t ReadInteger(const Literal& literal, int64_t i) {
  PrimitiveType type = literal.element_type();
  uint64_t bits = ReadBits(literal, i);
  int width = StorageBytes(type) * 8;
  return WrapInteger(static_cast<int64_t>(bits), width, IsSigned(type));
}

void WriteInteger(Literal& literal, int64_t i, int64_t value) {
  PrimitiveType type = literal.element_type();
  if (type == PrimitiveType::kPred) value = value != 0;
  WriteBits(
      literal, i,
      static_cast<uint64_t>(WrapInteger(value, std::min(BitWidth(type), 64), IsSigned(type))));
}

int64_t WrapInteger(int64_t value, int bits, bool is_signed) {
  if (bits >= 64) return value;
  uint64_t low = static_cast<uint64_t>(value) << (64 - bits);
  return is_signed ? static_cast<int64_t>(low) >> (64 - bits)
                   : static_cast<int64_t>(low >> (64 - bits));
}

uint64_t ReadBits(const Literal& literal, int64_t i) {
  uint64_t bits = 0;
  size_t bytes = NumberBytes(literal);
  std::memcpy(&bits, literal.raw_data() + static_cast<size_t>(i) * bytes, bytes);
  return bits;
}

void WriteBits(Literal& literal, int64_t i, uint64_t bits) {
  size_t bytes = NumberBytes(literal);
  std::memcpy(literal.mutable_raw_data() + static_cast<size_t>(i) * bytes, &bits, bytes);
}

void CopyElement(const Literal& from, int64_t at, Literal& to, int64_t i) {
  size_t bytes = static_cast<size_t>(StorageBytes(to.element_type()));
  uint8_t element[16];
  std::memcpy(element, from.raw_data() + static_cast<size_t>(at) * bytes, bytes);
  std::memcpy(to.mutable_raw_data() + static_cast<size_t>(i) * bytes, element, bytes);
}

void ZeroElement(Literal& literal, int64_t i) {
  size_t bytes = static_cast<size_t>(StorageBytes(literal.element_type()));
  std::memset(literal.mutable_raw_data() + static_cast<size_t>(i) * bytes, 0, bytes);
}
void ZeroElements(Literal& literal) {
  for (int64_t i = 0; i < literal.element_count(); ++i) ZeroElement(literal, i);
}
void ReverseElements(Literal& literal) {
  const Literal right = literal;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    CopyElement(right, literal.element_count() - 1 - i, literal, i);
  }
}

bool SameElement(const Literal& a, int64_t i, const Literal& b, int64_t j) {
  size_t bytes = static_cast<size_t>(StorageBytes(a.element_type()));
  return std::memcmp(a.raw_data() + static_cast<size_t>(i) * bytes,
                     b.raw_data() + static_cast<size_t>(j) * bytes, bytes) == 0;
}

double AwayByUlps(double value, PrimitiveType type, double ulps) {
  if (!std::isfinite(value) || !IsFloat(type)) return value;
  const FloatFormat& format = FormatOf(type);
  int exponent = value == 0 ? format.exponent_min() : std::ilogb(value);
  exponent = std::max(exponent, format.exponent_min());
  return value + ulps * std::ldexp(1.0, exponent - format.mantissa_bits);
}

double RoundTo(PrimitiveType type, double value) {
  if (type == PrimitiveType::kF64) return value;
  if (type == PrimitiveType::kF32) return static_cast<double>(static_cast<float>(value));
  return DecodeFloat(FormatOf(type), EncodeFloat(FormatOf(type), value));
}

double TruncateTo(int bits, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = std::ilogb(value) - (bits - 1);
  return std::ldexp(std::trunc(std::ldexp(value, -exponent)), exponent);
}

bool IsStoredArray(const Literal& literal) {
  return literal.shape().IsArray() && literal.raw_data() != nullptr;
}

bool IsRealFloat(const Literal& literal) {
  return IsArrayType(literal.element_type()) && IsFloat(literal.element_type());
}

}  // namespace hlocts::backends
