// SPDX-License-Identifier: Apache-2.0
// Cholesky decomposition a = u^H u with u upper triangular. Its updates access contiguous rows.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "backends/engine/cpu/kernels/linear_algebra/matrices.h"

namespace hlocts::kernels {
namespace matrices {
namespace {

constexpr int64_t kBand = 64;  // rows below a block that a thread updates at a time

// Computes row j of the factor, from the diagonal on. The contributions of rows before k must
// already be subtracted. A pivot that is not positive yields NaN.
template <typename T>
void FactorRow(View<T>& u, int64_t k, int64_t j) {
  const int64_t width = u.cols() - j;
  View<T> row = BlockOf(u, j, j, 1, width);
  if (j > k)
    SubtractAdjointProduct(BlockOf(u, k, j, j - k, 1), BlockOf(u, k, j, j - k, width), row);
  const auto pivot = std::real(row(0, 0));
  using Real = std::decay_t<decltype(pivot)>;
  const Real root = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<Real>::quiet_NaN();
  constexpr int64_t kParts = sizeof(T) / sizeof(Real);
  ViewOf<Real>(row.data(), 1, kParts * width, kParts * width) /= root;
  row(0, 0) = root;
}

// Factors, in place, the matrix whose upper triangle is in `u`. Elements below the diagonal of a
// block become unspecified.
template <typename T>
void Factor(const Parallel& parallel, View<T> u) {
  const int64_t n = u.rows();
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t below = std::min(k + kBlock, n), width = below - k, rest = n - below;
    for (int64_t j = k; j < below; ++j) FactorRow(u, k, j);
    const double products = static_cast<double>(width) * kBand * (rest + 1) / 2;
    const int64_t bands = (rest + kBand - 1) / kBand;
    parallel.For(bands, kNanosecondsPerProduct * products, [&](int64_t band, int64_t end) {
      for (; band < end; ++band) {
        const int64_t first = below + band * kBand, rows = std::min(kBand, n - first);
        SubtractAdjointProduct(BlockOf(u, k, first, width, rows),
                               BlockOf(u, k, first, width, n - first),
                               BlockOf(u, first, first, rows, n - first));
      }
    });
  }
}

template <typename T>
absl::Status FactorOne(const Parallel& parallel, const CholeskyRequest& r, int64_t batch) {
  const int64_t n = r.size;
  const int64_t row = n + 16;  // rows a power of two apart would share few cache sets
  const int64_t bytes = n * row * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const View<T> operand = MatrixOf<T>(r.operand, batch, n, n);
  View<T> u = ViewOf<T>(memory.As<T>(), n, n, row), factor = MatrixOf<T>(r.output, batch, n, n);
  // The transpose of the lower factor of `a` is the upper factor of the transpose of `a`.
  if (r.lower) {
    SetTransposed(operand, u);
    Factor(parallel, u);
    SetTransposed(u, factor);
  } else {
    u = operand;
    Factor(parallel, u);
    factor = u;
  }
  for (int64_t i = 0; i < n; ++i) {
    factor.row(i).segment(r.lower ? i + 1 : 0, r.lower ? n - i - 1 : i).setZero();
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace matrices

absl::Status Cholesky(const Parallel& parallel, const CholeskyRequest& request) {
  int64_t count = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements({request.batch, request.size, request.size}, count));
  const double n = static_cast<double>(request.size);
  return matrices::VisitMatrixType(request.type, [&](auto zero) {
    if (count == 0) return absl::OkStatus();
    return matrices::EachMatrix(parallel, request.batch, 0.1 * n * n * n + 5 * n * n,
                                [&](const Parallel& pool, int64_t i) {
                                  return matrices::FactorOne<decltype(zero)>(pool, request, i);
                                });
  });
}

}  // namespace hlocts::kernels
