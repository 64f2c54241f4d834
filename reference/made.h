// SPDX-License-Identifier: Apache-2.0
// NaNs that arithmetic makes or passes on. Ruling 0071 leaves their bits open, and processors
// differ in the sign of a new one and in the choice between two operands: the reference has one.
#ifndef HLOCTS_REFERENCE_MADE_H_
#define HLOCTS_REFERENCE_MADE_H_

#include <complex>
#include <limits>
#include <type_traits>

namespace hlocts::reference {

// x, a result of arithmetic; where it is NaN the positive one without payload.
template <typename T>
T Made(T x) {
  if constexpr (!std::is_integral_v<T>) return x == x ? x : std::numeric_limits<T>::quiet_NaN();
  return x;
}
template <typename T>
std::complex<T> Made(std::complex<T> x) {
  return {Made(x.real()), Made(x.imag())};
}

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_MADE_H_
