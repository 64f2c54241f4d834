// SPDX-License-Identifier: Apache-2.0
// Computes dot (DotGeneral): for every batch index and every pair of free indices, the sum of lhs
// times rhs over the contracting indices (dot_general.*; rulings 0026, 0027).
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/types/span.h"
#include "reference/kernels/copy.h"
#include "reference/number_system.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::reference {

// The operands as lhs[batch, m, k] and rhs[batch, k, n], and the result as [batch, m, n]. `lhs` and
// `rhs` are the copies of the operands to that dense order.
struct DotGeometry {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  CopyGeometry lhs;
  CopyGeometry rhs;
  bool lhs_in_place = false;  // true if the operand already has that order
  bool rhs_in_place = false;
};
DotGeometry DotGeometryOf(const DotDimensionNumbers& numbers, absl::Span<const int64_t> lhs,
                          absl::Span<const int64_t> rhs);

namespace internal {
template <typename T>
absl::Span<const T> InOrder(const CopyGeometry& copy, bool in_place, absl::Span<const T> operand,
                            int64_t size, std::unique_ptr<T[]>& storage) {
  if (in_place || size == 0) return operand;
  storage.reset(new T[size]);
  CopyKernel<T>(copy, operand, absl::MakeSpan(storage.get(), size));
  return absl::MakeConstSpan(storage.get(), size);
}
}  // namespace internal

// Computes the results row by row. The n results of a row advance together through k, so both
// operands are read sequentially.
template <class System>
void DotKernel(const System& system, const DotGeometry& geometry,
               absl::Span<const typename System::Element> lhs,
               absl::Span<const typename System::Element> rhs,
               absl::Span<typename System::Element> out) {
  using Sum = decltype(system.NewSum());
  const auto [batch, m, n, k] = std::tuple(geometry.batch, geometry.m, geometry.n, geometry.k);
  std::unique_ptr<typename System::Element[]> lhs_storage, rhs_storage;
  lhs = internal::InOrder(geometry.lhs, geometry.lhs_in_place, lhs, batch * m * k, lhs_storage);
  rhs = internal::InOrder(geometry.rhs, geometry.rhs_in_place, rhs, batch * k * n, rhs_storage);
  std::vector<Sum> row(n, NewSumOfProducts(system));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), NewSumOfProducts(system));
      for (int64_t p = 0; p < k; ++p) {
        const typename System::Element left = lhs[(b * m + i) * k + p];
        const typename System::Element* right = rhs.data() + (b * k + p) * n;
        for (int64_t j = 0; j < n; ++j) row[j].AddProduct(left, right[j]);
      }
      for (int64_t j = 0; j < n; ++j) out[(b * m + i) * n + j] = row[j].Finish();
    }
  }
}

}  // namespace hlocts::reference
