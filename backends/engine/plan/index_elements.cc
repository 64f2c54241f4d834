// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/index_elements.h"

namespace hlocts::plan {
namespace {

template <typename T>
int64_t As(const uint8_t* elements, int64_t i) {
  return static_cast<int64_t>(reinterpret_cast<const T*>(elements)[i]);
}

}  // namespace

int64_t IndexAt(PrimitiveType type, const uint8_t* elements, int64_t i) {
  const bool is_signed = IsSigned(type);
  switch (StorageBytes(type)) {
    case 1:
      return is_signed ? As<int8_t>(elements, i) : As<uint8_t>(elements, i);
    case 2:
      return is_signed ? As<int16_t>(elements, i) : As<uint16_t>(elements, i);
    case 4:
      return is_signed ? As<int32_t>(elements, i) : As<uint32_t>(elements, i);
    default: {
      const int64_t value = As<int64_t>(elements, i);
      return !is_signed && value < 0 ? INT64_MAX : value;
    }
  }
}

std::vector<int64_t> IndicesOf(PrimitiveType type, const uint8_t* elements, int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) indices[i] = IndexAt(type, elements, i);
  return indices;
}

}  // namespace hlocts::plan
