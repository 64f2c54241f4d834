// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/elementwise/column_reader.h"

#include <limits>

namespace hlocts::reference {

ColumnReader::ColumnReader(const SetArray& array, bool contract)
    : array_(array), facts_(FactsOf(array.element_type())) {
  if (array.exact()) {
    usable_ = IsFloat(array.element_type()) && BitWidth(array.element_type()) >= 16;
    return;
  }
  columns_ = ColumnsOf(array);
  usable_ = columns_ != nullptr;
  hull_ = usable_ && contract && columns_->has_hull() && columns_->contractible();
}

ColumnBlock ColumnReader::Read(int64_t first, int64_t count) {
  if (columns_ == nullptr) {
    Convert(first, count);
    return {scratch_, scratch_, nullptr};
  }
  const double* lo = hull_ ? columns_->rlo() : columns_->lo();
  const double* hi = hull_ ? columns_->rhi() : columns_->hi();
  return {lo + first, hi + first, columns_->causes() + first};
}

void ColumnReader::Convert(int64_t first, int64_t count) {
  const Literal& literal = array_.literal();
  switch (literal.element_type()) {
    case PrimitiveType::kF32: {
      const float* from = literal.data<float>().data() + first;
      for (int64_t i = 0; i < count; ++i) scratch_[i] = from[i];
      break;
    }
    case PrimitiveType::kF64: {
      const double* from = literal.data<double>().data() + first;
      for (int64_t i = 0; i < count; ++i) scratch_[i] = from[i];
      break;
    }
    default:
      for (int64_t i = 0; i < count; ++i) {
        uint16_t bits;
        std::memcpy(&bits, literal.raw_data() + (first + i) * 2, 2);
        scratch_[i] = DecodeNarrow(literal.element_type(), bits);
      }
  }
  const double least = facts_.min_normal, most = facts_.max;
  // A zero whose sign is free is no single value.
  const bool zero = !array_.zero_sign_free;
  constexpr double kOther = std::numeric_limits<double>::quiet_NaN();
  for (int64_t i = 0; i < count; ++i) {
    double magnitude = std::fabs(scratch_[i]);
    bool ordinary = (magnitude >= least && magnitude <= most) || (magnitude == 0 && zero);
    scratch_[i] = ordinary ? scratch_[i] : kOther;
  }
}

}  // namespace hlocts::reference
