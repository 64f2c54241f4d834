// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms. A transform is computed from two of half the length, or directly if
// its length is odd. Every step is computed in the element's own format. These transforms differ
// from those of the reference, and so do their roundings.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace hlocts::backends {

template <typename T>
using Line = std::vector<std::complex<T>>;

template <typename T>
std::complex<T> Root(int64_t k, int64_t n, bool forward) {
  const double angle = 2 * M_PI * static_cast<double>(k % n) / static_cast<double>(n);
  return {static_cast<T>(std::cos(angle)),
          static_cast<T>(forward ? -std::sin(angle) : std::sin(angle))};
}

template <typename T>
std::complex<T> Times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <typename T>
Line<T> Direct(const Line<T>& x, bool forward) {
  const int64_t n = static_cast<int64_t>(x.size());
  Line<T> out(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) out[k] += Times(x[j], Root<T>(j * k, n, forward));
  }
  return out;
}

template <typename T>
Line<T> Transform(const Line<T>& x, bool forward) {
  const int64_t n = static_cast<int64_t>(x.size()), half = n / 2;
  if (n <= 1) return x;
  if (n % 2 == 1) return Direct(x, forward);
  Line<T> parts[2];
  for (int64_t i = 0; i < n; ++i) parts[i % 2].push_back(x[i]);
  Line<T> even = Transform(parts[0], forward), odd = Transform(parts[1], forward), out(n);
  for (int64_t k = 0; k < half; ++k) {
    std::complex<T> turned = Times(odd[k], Root<T>(k, n, forward));
    out[k] = even[k] + turned;
    out[k + half] = even[k] - turned;
  }
  return out;
}

// Transforms lines along dimension `d` of a row-major array. Inverse transforms divide by length.
template <typename T>
void TransformAlong(std::vector<int64_t> sizes, int64_t d, bool forward, Line<T>& data) {
  const int64_t n = sizes[d];
  int64_t stride = 1;
  for (size_t k = d + 1; k < sizes.size(); ++k) stride *= sizes[k];
  for (size_t i = 0; i < data.size(); ++i) {
    if (static_cast<int64_t>(i) / stride % n != 0) continue;
    Line<T> line(n);
    for (int64_t k = 0; k < n; ++k) line[k] = data[i + k * stride];
    line = Transform(line, forward);
    for (int64_t k = 0; k < n; ++k) {
      data[i + k * stride] = forward ? line[k] : line[k] / static_cast<T>(n);
    }
  }
}

}  // namespace hlocts::backends
