// SPDX-License-Identifier: Apache-2.0
// Code that Cholesky and triangular solve share: matrices as Eigen views, and batches of them.
//
// Eigen's solver is not used, because it multiplies by reciprocals of the diagonal. The strict
// profile does not permit reciprocals in a solve for one complex unknown, and a reciprocal can
// overflow where a quotient does not. The number of columns or rows per thread is fixed, so the
// bits do not depend on the number of threads.
#pragma once

#include <Eigen/Core>
#include <atomic>

#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/transpose/transpose.h"
#include "spec/base/status.h"
#include "spec/ir/native.h"

namespace hlocts::kernels {
namespace matrices {

inline constexpr int64_t kBlock = 32;  // unknowns solved one by one before a product
inline constexpr double kNanosecondsPerProduct = 0.03;

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using View = Eigen::Map<Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <typename T>
View<T> ViewOf(void* data, int64_t rows, int64_t columns, int64_t row) {
  return View<T>(static_cast<T*>(data), rows, columns, Eigen::OuterStride<>(row));
}
// Returns matrix `number` of a dense batch. If the batch is an operand, it must not be written.
template <typename T>
View<T> MatrixOf(const void* batch, int64_t number, int64_t rows, int64_t columns) {
  T* const data = const_cast<T*>(static_cast<const T*>(batch)) + number * rows * columns;
  return ViewOf<T>(data, rows, columns, columns);
}
// Compute c -= a b and c -= a^H b for views of f32, f64, c64 and c128. These products are in one
// file, because Eigen compiles them for every different operand type.
template <typename T>
void SubtractProduct(const View<T>& a, const View<T>& b, View<T> c);
template <typename T>
void SubtractAdjointProduct(const View<T>& a, const View<T>& b, View<T> c);

template <typename T>
View<T> BlockOf(View<T>& view, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  return ViewOf<T>(view.data() + row * view.outerStride() + column, rows, columns,
                   view.outerStride());
}

// Sets `to` to the transpose of `from`.
template <typename T>
void SetTransposed(const View<T>& from, View<T> to) {
  if constexpr (sizeof(T) <= 8) {
    (void)Transpose({sizeof(T), from.rows(), from.cols(), from.data(), from.outerStride(),
                     to.data(), to.outerStride()});
  } else {
    to = from.transpose();
  }
}

// Processes the matrices of a batch: if there are fewer than threads, one after the other, each on
// all threads; otherwise in parallel.
template <typename One>
absl::Status EachMatrix(const Parallel& parallel, int64_t batch, double cost, One one) {
  if (batch < parallel.threads()) {
    for (int64_t i = 0; i < batch; ++i) HLOCTS_RETURN_IF_ERROR(one(parallel, i));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  parallel.For(batch, cost, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      if (!one(Parallel(1), i).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

// Calls visit(T{}), where T is the C++ type of an element.
template <typename Visit>
absl::Status VisitMatrixType(PrimitiveType type, Visit visit) {
  switch (type) {
    case PrimitiveType::kF32:
      return visit(float{});
    case PrimitiveType::kF64:
      return visit(double{});
    case PrimitiveType::kC64:
      return visit(Complex64{});
    case PrimitiveType::kC128:
      return visit(Complex128{});
    default:
      return Unsupported("linear algebra on ", PrimitiveTypeName(type), " is not supported");
  }
}

}  // namespace matrices
}  // namespace hlocts::kernels
