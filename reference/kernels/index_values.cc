#include "reference/kernels/index_values.h"

#include <algorithm>

#include "spec/base/status.h"

namespace hlocts {
namespace {

template <typename T>
std::vector<int64_t> Widened(const Literal& indices) {
  std::vector<int64_t> values;
  values.reserve(indices.element_count());
  for (T x : indices.data<T>()) values.push_back(static_cast<int64_t>(x));
  return values;
}

std::vector<int64_t> Saturated(const Literal& indices) {
  std::vector<int64_t> values;
  values.reserve(indices.element_count());
  for (uint64_t x : indices.data<uint64_t>()) {
    values.push_back(static_cast<int64_t>(std::min(x, static_cast<uint64_t>(INT64_MAX))));
  }
  return values;
}

}  // namespace

std::vector<int64_t> IndexValues(const Literal& indices) {
  const PrimitiveType type = indices.element_type();
  HLOCTS_CHECK(IsInteger(type));
  const bool is_signed = IsSigned(type);
  // Sub-byte integers lie sign- or zero-extended in a byte.
  switch (StorageBytes(type)) {
    case 1:
      return is_signed ? Widened<int8_t>(indices) : Widened<uint8_t>(indices);
    case 2:
      return is_signed ? Widened<int16_t>(indices) : Widened<uint16_t>(indices);
    case 4:
      return is_signed ? Widened<int32_t>(indices) : Widened<uint32_t>(indices);
    default:
      return is_signed ? Widened<int64_t>(indices) : Saturated(indices);
  }
}

}  // namespace hlocts
