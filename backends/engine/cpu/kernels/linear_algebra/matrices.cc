// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/linear_algebra/matrices.h"

#include "backends/engine/cpu/kernels/gemm/gemm.h"

namespace hlocts::kernels::matrices {
namespace {

// Adds -a b to c by the kernel of dot. Returns false if there is not enough memory.
template <typename A, typename T>
bool AddNegatedProduct(const A& a, const View<T>& b, View<T>& c) {
  const Matrix<T> minus = -a;
  GemmArgs<T> args = {.m = c.rows(), .n = c.cols(), .k = b.rows(), .a = minus.data()};
  args.a_row = minus.cols();
  args.b = b.data(), args.b_row = b.outerStride();
  args.c = c.data(), args.c_row = c.outerStride();
  args.adds = true;
  return Gemm(Parallel(1), args).ok();
}

template <typename A, typename T>
void Subtract(const A& a, const View<T>& b, View<T>& c) {
  if constexpr (!Eigen::NumTraits<T>::IsComplex) {
    if (AddNegatedProduct(a, b, c)) return;
  }
  for (int64_t i = 0; i < c.rows(); ++i) {
    for (int64_t k = 0; k < b.rows(); ++k) c.row(i) -= a(i, k) * b.row(k);
  }
}

}  // namespace

template <typename T>
void SubtractProduct(const View<T>& a, const View<T>& b, View<T> c) {
  Subtract(a, b, c);
}
template <typename T>
void SubtractAdjointProduct(const View<T>& a, const View<T>& b, View<T> c) {
  Subtract(a.adjoint(), b, c);
}

#define HLOCTS_PRODUCTS(T)                                                \
  template void SubtractProduct(const View<T>&, const View<T>&, View<T>); \
  template void SubtractAdjointProduct(const View<T>&, const View<T>&, View<T>)
HLOCTS_PRODUCTS(float);
HLOCTS_PRODUCTS(double);
HLOCTS_PRODUCTS(Complex64);
HLOCTS_PRODUCTS(Complex128);
#undef HLOCTS_PRODUCTS

}  // namespace hlocts::kernels::matrices
