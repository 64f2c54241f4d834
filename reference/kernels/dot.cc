// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/dot.h"

#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

int64_t Product(absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions) {
  int64_t product = 1;
  for (int64_t d : dimensions) product *= sizes[d];
  return product;
}

// Returns the copy of the operand to a dense array whose dimensions are the three lists in order.
CopyGeometry InOrderOf(absl::Span<const int64_t> operand,
                       std::initializer_list<absl::Span<const int64_t>> order) {
  std::vector<int64_t> strides = RowMajorStrides(operand), dimensions, sizes;
  for (absl::Span<const int64_t> list : order) {
    for (int64_t d : list) {
      dimensions.push_back(d);
      sizes.push_back(operand[d]);
    }
  }
  std::vector<int64_t> result = RowMajorStrides(sizes);
  CopyGeometry geometry;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    geometry.dims.push_back({sizes[i], strides[dimensions[i]], result[i]});
  }
  return geometry;
}

bool InPlace(const CopyGeometry& geometry) {
  for (const CopyDimension& d : geometry.dims) {
    if (d.size != 1 && d.operand_stride != d.result_stride) return false;
  }
  return true;
}

std::vector<int64_t> FreeDimensions(size_t rank, const std::vector<int64_t>& batch,
                                    const std::vector<int64_t>& contracting) {
  std::vector<int64_t> excluded = batch;
  excluded.insert(excluded.end(), contracting.begin(), contracting.end());
  return DimensionsExcept(static_cast<int64_t>(rank), excluded);
}

}  // namespace

DotGeometry DotGeometryOf(const DotDimensionNumbers& numbers, absl::Span<const int64_t> lhs,
                          absl::Span<const int64_t> rhs) {
  std::vector<int64_t> lhs_free =
      FreeDimensions(lhs.size(), numbers.lhs_batch, numbers.lhs_contracting);
  std::vector<int64_t> rhs_free =
      FreeDimensions(rhs.size(), numbers.rhs_batch, numbers.rhs_contracting);
  DotGeometry geometry;
  geometry.batch = Product(lhs, numbers.lhs_batch);
  geometry.k = Product(lhs, numbers.lhs_contracting);
  geometry.m = Product(lhs, lhs_free);
  geometry.n = Product(rhs, rhs_free);
  geometry.lhs = InOrderOf(lhs, {numbers.lhs_batch, lhs_free, numbers.lhs_contracting});
  geometry.rhs = InOrderOf(rhs, {numbers.rhs_batch, numbers.rhs_contracting, rhs_free});
  geometry.lhs_in_place = InPlace(geometry.lhs);
  geometry.rhs_in_place = InPlace(geometry.rhs);
  return geometry;
}

}  // namespace hlocts::reference
