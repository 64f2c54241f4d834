// SPDX-License-Identifier: Apache-2.0
// Defines the NaN of arithmetic. Ruling 0071 leaves its bits open, and processors differ in the
// sign of a new NaN and in the choice between two NaN operands. The reference always returns the
// same NaN, so that its results do not depend on the processor.
#pragma once

#include <complex>
#include <limits>
#include <type_traits>

namespace hlocts::reference {

// Returns x, a result of arithmetic; any NaN becomes the positive quiet NaN without payload.
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
