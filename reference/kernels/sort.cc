// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/sort.h"

#include <cstring>

#include "spec/base/status.h"
#include "spec/ir/element_width.h"

namespace hlocts::reference {
namespace {

// Maps the bits of a sign-magnitude number to an unsigned key. Keys of negative numbers are in
// reversed order, below keys of positive numbers. Formats without a sign are already ordered.
uint64_t KeyOfFloat(uint64_t bits, uint64_t sign_mask) {
  if (sign_mask == 0) return bits;
  return (bits & sign_mask) != 0 ? ~bits & (sign_mask | (sign_mask - 1)) : bits | sign_mask;
}

}  // namespace

SortKeyReader::SortKeyReader(const Literal& elements, bool total_order)
    : data_(elements.raw_data()),
      bytes_(StorageBytes(elements.element_type())),
      format_(IsFloat(elements.element_type()) ? &FormatOf(elements.element_type()) : nullptr),
      total_order_(total_order),
      sign_(IsSigned(elements.element_type()) ? uint64_t{1} << (8 * bytes_ - 1) : 0) {
  HLOCTS_CHECK(IsArrayType(elements.element_type()) && !IsComplex(elements.element_type()));
}

uint64_t SortKeyReader::Raw(int64_t i) const {
  return VisitUnsigned(bytes_, [&](auto element) -> uint64_t {
    std::memcpy(&element, data_ + i * bytes_, sizeof(element));
    return element;
  });
}

uint64_t SortKeyReader::operator[](int64_t i) const {
  uint64_t bits = Raw(i);
  // A sub-byte integer is sign-extended in its byte, so the byte's sign bit is the integer's.
  if (format_ == nullptr) return bits ^ sign_;
  if (!total_order_ && format_->has_negative_zero() && bits == format_->sign_mask()) bits = 0;
  return KeyOfFloat(bits, format_->sign_mask());
}

bool SortKeyReader::HasKey(int64_t i) const {
  return format_ == nullptr || total_order_ || !IsNanBits(*format_, Raw(i));
}

std::vector<uint64_t> SortKeysOf(const Literal& elements, bool total_order) {
  const SortKeyReader reader(elements, total_order);
  std::vector<uint64_t> keys(elements.element_count());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = reader[static_cast<int64_t>(i)];
  return keys;
}

}  // namespace hlocts::reference
