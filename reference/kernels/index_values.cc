// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/index_values.h"

#include <algorithm>
#include <type_traits>

#include "spec/base/status.h"

namespace hlocts::reference {
namespace {

using Reader = int64_t (*)(const uint8_t* data, int64_t i);

template <typename T>
int64_t Read(const uint8_t* data, int64_t i) {
  const T x = reinterpret_cast<const T*>(data)[i];
  if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(std::min(x, static_cast<uint64_t>(INT64_MAX)));
  } else {
    return static_cast<int64_t>(x);
  }
}

// Sub-byte integers are stored sign- or zero-extended in a byte.
Reader ReaderOf(PrimitiveType type) {
  HLOCTS_CHECK(IsInteger(type));
  const bool is_signed = IsSigned(type);
  switch (StorageBytes(type)) {
    case 1:
      return is_signed ? Read<int8_t> : Read<uint8_t>;
    case 2:
      return is_signed ? Read<int16_t> : Read<uint16_t>;
    case 4:
      return is_signed ? Read<int32_t> : Read<uint32_t>;
    default:
      return is_signed ? Read<int64_t> : Read<uint64_t>;
  }
}

}  // namespace

IndexReader::IndexReader(const Literal& indices)
    : data_(indices.raw_data()), read_(ReaderOf(indices.element_type())) {}

std::vector<int64_t> IndexValues(const Literal& indices) {
  const IndexReader reader(indices);
  std::vector<int64_t> values(indices.element_count());
  for (size_t i = 0; i < values.size(); ++i) values[i] = reader[static_cast<int64_t>(i)];
  return values;
}

}  // namespace hlocts::reference
