// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/reduce.h"

#include <algorithm>

#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

void AppendMerged(std::vector<StridedDimension>& dims, StridedDimension next) {
  if (next.size == 1) return;
  if (!dims.empty() && dims.back().stride == next.stride * next.size) {
    dims.back() = {dims.back().size * next.size, next.stride};
  } else {
    dims.push_back(next);
  }
}

}  // namespace

ReduceGeometry ReduceGeometryOf(absl::Span<const int64_t> operand,
                                absl::Span<const int64_t> dimensions) {
  ReduceGeometry geometry;
  std::vector<int64_t> strides = RowMajorStrides(operand);
  for (size_t d = 0; d < operand.size(); ++d) {
    bool reduced = std::count(dimensions.begin(), dimensions.end(), static_cast<int64_t>(d)) > 0;
    (reduced ? geometry.reduced_count : geometry.result_count) *= operand[d];
    AppendMerged(reduced ? geometry.reduced : geometry.kept, {operand[d], strides[d]});
  }
  return geometry;
}

}  // namespace hlocts::reference
