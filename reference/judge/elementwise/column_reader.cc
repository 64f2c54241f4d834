// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/elementwise/column_reader.h"

#include <limits>

namespace hlocts::reference {
namespace {

// Copies ordinary numbers and replaces all others by NaN. `zero`: a zero is ordinary.
template <class From>
void PutOrdinary(const From* from, int64_t count, const FloatFacts& facts, bool zero, double* to) {
  const double least = facts.min_normal, most = facts.max;
  constexpr double kOther = std::numeric_limits<double>::quiet_NaN();
  for (int64_t i = 0; i < count; ++i) {
    const double x = from[i], magnitude = std::fabs(x);
    // Uses & because && would branch.
    const bool inside = (magnitude >= least) & (magnitude <= most);
    to[i] = inside | ((magnitude == 0) & zero) ? x : kOther;
  }
}
}  // namespace

ColumnReader::ColumnReader(const SetArray& array, bool contract)
    : array_(array), facts_(FactsOf(array.element_type())) {
  if (array.exact()) {
    usable_ = IsFloat(array.element_type()) && BitWidth(array.element_type()) >= 16;
    return;
  }
  columns_ = ColumnsOf(array);
  usable_ = columns_ != nullptr;
  hull_ = usable_ && contract && columns_->has_pre_rounding() && columns_->contractible();
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
  // A zero with an unknown sign is not a single value.
  const bool zero = !array_.zero_sign_free;
  if (literal.element_type() == PrimitiveType::kF32) {
    return PutOrdinary(literal.data<float>().data() + first, count, facts_, zero, scratch_);
  }
  if (literal.element_type() == PrimitiveType::kF64) {
    return PutOrdinary(literal.data<double>().data() + first, count, facts_, zero, scratch_);
  }
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, literal.raw_data() + (first + i) * 2, 2);
    scratch_[i] = DecodeNarrow(literal.element_type(), bits);
  }
  PutOrdinary(scratch_, count, facts_, zero, scratch_);
}

}  // namespace hlocts::reference
