// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/linear_algebra/matrices.h"

namespace hlocts::kernels::matrices {
namespace {

// Complex numbers are processed row by row. Packing kernels for two more types would not pay off.
template <typename A, typename T>
void Subtract(const A& a, const View<T>& b, View<T>& c) {
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    for (int64_t i = 0; i < c.rows(); ++i) {
      for (int64_t k = 0; k < b.rows(); ++k) c.row(i) -= a(i, k) * b.row(k);
    }
  } else {
    c.noalias() -= a * b;
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
