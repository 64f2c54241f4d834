// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/index_util.h"

#include "spec/base/status.h"

namespace hlocts {

namespace {
// A stride that does not fit in int64 occurs only in arrays without elements, which do not use it.
int64_t NextStride(int64_t stride, int64_t size) {
  int64_t next;
  return __builtin_mul_overflow(stride, size, &next) ? INT64_MAX : next;
}
}  // namespace

std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dimensions, int64_t innermost) {
  std::vector<int64_t> strides(dimensions.size());
  int64_t stride = innermost;
  for (size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    stride = NextStride(stride, dimensions[i]);
  }
  return strides;
}

namespace {
int64_t StoredSize(absl::Span<const int64_t> dimensions, const Layout& layout, int64_t d) {
  return layout.padded_dimensions.empty() ? dimensions[d] : layout.padded_dimensions[d];
}
}  // namespace

std::vector<int64_t> LayoutStrides(absl::Span<const int64_t> dimensions, const Layout& layout) {
  HLOCTS_CHECK(layout.minor_to_major.size() == dimensions.size());
  std::vector<int64_t> strides(dimensions.size());
  int64_t stride = 1;
  for (int64_t d : layout.minor_to_major) {
    strides[d] = stride;
    stride = NextStride(stride, StoredSize(dimensions, layout, d));
  }
  return strides;
}

int64_t PhysicalElementCount(absl::Span<const int64_t> dimensions, const Layout& layout) {
  int64_t count = 1;
  for (size_t d = 0; d < dimensions.size(); ++d) count *= StoredSize(dimensions, layout, d);
  return count;
}

int64_t LinearIndex(absl::Span<const int64_t> index, absl::Span<const int64_t> strides) {
  int64_t linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear += index[d] * strides[d];
  return linear;
}

std::vector<int64_t> MultiIndex(int64_t linear, absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> index(dimensions.size());
  for (size_t i = dimensions.size(); i-- > 0;) {
    index[i] = dimensions[i] == 0 ? 0 : linear % dimensions[i];
    linear = dimensions[i] == 0 ? 0 : linear / dimensions[i];
  }
  return index;
}

}  // namespace hlocts
