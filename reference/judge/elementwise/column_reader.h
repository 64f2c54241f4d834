// SPDX-License-Identifier: Apache-2.0
// Reads an array of real floats as columns, one block at a time: from the array's own columns, or
// converted from a literal.
#pragma once

#include "spec/judge/interval_columns.h"

namespace hlocts::reference {

inline constexpr int64_t kColumnBlock = 256;

// The elements of a block: ends (NaN if not ordinary), and causes of width, nullptr if all exact.
struct ColumnBlock {
  const double* lo = nullptr;
  const double* hi = nullptr;
  const uint32_t* cause = nullptr;
};

class ColumnReader {
 public:
  // With `contract`, reads unrounded values that additions may read. `array` outlives the reader.
  ColumnReader(const SetArray& array, bool contract);
  // Returns true if the array can be read as columns.
  bool usable() const { return usable_; }
  ColumnBlock Read(int64_t first, int64_t count);

 private:
  void Convert(int64_t first, int64_t count);

  const SetArray& array_;
  const FloatFacts& facts_;
  std::shared_ptr<const IntervalColumns> columns_;
  bool usable_ = false, hull_ = false;
  double scratch_[kColumnBlock];
};

}  // namespace hlocts::reference
