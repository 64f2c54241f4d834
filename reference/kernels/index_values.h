// SPDX-License-Identifier: Apache-2.0
// Reads index operands of all integer types as mathematical values.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/ir/literal.h"

namespace hlocts::reference {

// Returns the elements of an integer array as int64. u64 values beyond int64 become INT64_MAX,
// which acts like any other index that is too large (rulings 0009, 0010, 0011).
std::vector<int64_t> IndexValues(const Literal& indices);

// Reads single values without copying the array, which must outlive the reader.
class IndexReader {
 public:
  explicit IndexReader(const Literal& indices);
  int64_t operator[](int64_t i) const { return read_(data_, i); }

 private:
  const uint8_t* data_;
  int64_t (*read_)(const uint8_t* data, int64_t i);
};

}  // namespace hlocts::reference
