#include "reference/kernels/sort.h"

#include "spec/base/status.h"
#include "spec/ir/float_format.h"

namespace hlocts {
namespace {

// Bits of a sign-magnitude number to an unsigned key: negative ones are turned round below the
// positive ones. Formats without a sign are in order already.
uint64_t KeyOfFloat(uint64_t bits, uint64_t sign_mask) {
  if (sign_mask == 0) return bits;
  return (bits & sign_mask) != 0 ? ~bits & (sign_mask | (sign_mask - 1)) : bits | sign_mask;
}

template <typename Bits>
void AppendFloats(const Literal& elements, const FloatFormat& format, bool total_order,
                  SortKeys& result) {
  for (Bits raw : elements.data<Bits>()) {
    uint64_t bits = raw;
    if (!total_order) {
      if (IsNanBits(format, bits)) result.any_nan = true;
      if (format.has_negative_zero() && bits == format.sign_mask()) bits = 0;
    }
    result.keys.push_back(KeyOfFloat(bits, format.sign_mask()));
  }
}

template <typename T>
void AppendIntegers(const Literal& elements, SortKeys& result) {
  // Signed integers move up by half the range of int64.
  const uint64_t shift = std::is_signed_v<T> ? uint64_t{1} << 63 : 0;
  for (T x : elements.data<T>()) {
    result.keys.push_back(static_cast<uint64_t>(static_cast<int64_t>(x)) ^ shift);
  }
}

}  // namespace

SortKeys SortKeysOf(const Literal& elements, bool total_order) {
  const PrimitiveType type = elements.element_type();
  HLOCTS_CHECK(IsArrayType(type) && !IsComplex(type));
  SortKeys result;
  result.keys.reserve(elements.element_count());
  const int bytes = StorageBytes(type);
  if (IsFloat(type)) {
    const FloatFormat& format = FormatOf(type);
    if (bytes == 1) AppendFloats<uint8_t>(elements, format, total_order, result);
    if (bytes == 2) AppendFloats<uint16_t>(elements, format, total_order, result);
    if (bytes == 4) AppendFloats<uint32_t>(elements, format, total_order, result);
    if (bytes == 8) AppendFloats<uint64_t>(elements, format, total_order, result);
  } else if (IsSigned(type)) {
    if (bytes == 1) AppendIntegers<int8_t>(elements, result);
    if (bytes == 2) AppendIntegers<int16_t>(elements, result);
    if (bytes == 4) AppendIntegers<int32_t>(elements, result);
    if (bytes == 8) AppendIntegers<int64_t>(elements, result);
  } else {
    if (bytes == 1) AppendIntegers<uint8_t>(elements, result);
    if (bytes == 2) AppendIntegers<uint16_t>(elements, result);
    if (bytes == 4) AppendIntegers<uint32_t>(elements, result);
    if (bytes == 8) AppendIntegers<uint64_t>(elements, result);
  }
  return result;
}

}  // namespace hlocts
