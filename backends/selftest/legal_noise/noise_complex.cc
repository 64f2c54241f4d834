// SPDX-License-Identifier: Apache-2.0
// Complex products and quotients by compilers' formulas, computed in the components' own format.
#include <cmath>
#include <complex>
#include <limits>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "spec/ops/groups.h"

namespace hlocts::backends {
namespace {

template <typename T>
using Number = std::complex<T>;

// Returns a * b. In forms 1 and 2, one of the two products in each part enters its sum unrounded.
template <typename T>
Number<T> Product(Number<T> a, Number<T> b, int form) {
  const T x = a.real(), y = a.imag(), u = b.real(), v = b.imag();
  if (form == 1) return {std::fma(x, u, -(y * v)), std::fma(x, v, y * u)};
  if (form == 2) return {std::fma(-y, v, x * u), std::fma(y, u, x * v)};
  return {x * u - y * v, x * v + y * u};
}

// Returns a / b by Smith's formula.
template <typename T>
Number<T> Quotient(Number<T> a, Number<T> b) {
  const T x = a.real(), y = a.imag(), u = b.real(), v = b.imag();
  if (std::fabs(u) >= std::fabs(v)) {
    const T ratio = v / u, all = u + v * ratio;
    return {(x + y * ratio) / all, (y - x * ratio) / all};
  }
  const T ratio = u / v, all = u * ratio + v;
  return {(x * ratio + y) / all, (y * ratio - x) / all};
}

bool Ordinary(double x) {
  return std::isfinite(x) && (x == 0 || std::fabs(std::log2(std::fabs(x))) < 60);
}
template <typename T>
bool Ordinary(Number<T> a) {
  return Ordinary(a.real()) && Ordinary(a.imag());
}

template <typename T>
void Recompute(NoiseJob& job) {
  auto a = job.operands[0].data<Number<T>>(), b = job.operands[1].data<Number<T>>();
  auto out = job.result.mutable_data<Number<T>>();
  const int form = job.rule.Allows(kContract) ? static_cast<int>(job.random().Below(3)) : 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (job.opcode() == Opcode::kMultiply) {
      out[i] = Product(a[i], b[i], form);
    } else if (b[i] != Number<T>(0) && Ordinary(a[i]) && Ordinary(b[i])) {
      out[i] = Quotient(a[i], b[i]);
    }
  }
}

// Returns sqrt(re^2 + im^2) in the components' own format; may flush subnormal squares to zero.
template <typename T>
T ModulusBySquares(const NoiseJob& job, Number<T> z) {
  const T least = std::numeric_limits<T>::min();
  auto stored = [&](T x) { return x < least && job.state.Once(2) ? T(0) : x; };
  const T real = stored(z.real() * z.real()), imaginary = stored(z.imag() * z.imag());
  return std::sqrt(stored(real + imaginary));
}

template <typename T>
void ModuliAndSigns(NoiseJob& job) {
  auto z = job.operands[0].data<Number<T>>();
  for (size_t i = 0; i < z.size(); ++i) {
    const bool finite = std::isfinite(z[i].real()) && std::isfinite(z[i].imag());
    if (!finite || z[i] == Number<T>(0)) continue;
    const T modulus = ModulusBySquares(job, z[i]);
    if (job.opcode() == Opcode::kAbs) {
      job.result.mutable_data<T>()[i] = modulus;
    } else {
      job.result.mutable_data<Number<T>>()[i] = {z[i].real() / modulus, z[i].imag() / modulus};
    }
  }
}

// Recomputes abs or sign of complex numbers by ModulusBySquares if the profile allows this and the
// random source selects it. Returns true if it did.
bool BySquares(NoiseJob& job) {
  const bool sign = job.opcode() == Opcode::kSign && IsComplex(job.type());
  const bool modulus = job.opcode() == Opcode::kAbs && IsComplex(job.operands[0].element_type());
  if ((!sign && !modulus) || !job.rule.Allows(kFlushResult) || job.state.Once(2)) return false;
  job.operands[0].element_type() == PrimitiveType::kC64 ? ModuliAndSigns<float>(job)
                                                        : ModuliAndSigns<double>(job);
  return true;
}

// Flushes real and imaginary parts below the normal range to zero.
void FlushParts(NoiseJob& job) {
  const double least = FormatOf(NumberType(job.result)).min_normal();
  for (int64_t i = 0; i < NumberCount(job.result); ++i) {
    double x = ReadNumber(job.result, i);
    if (x != 0 && std::fabs(x) < least && job.state.Once(2)) {
      WriteNumber(job.result, i, std::copysign(0.0, x));
    }
  }
}

}  // namespace

bool NoisyComplex(NoiseJob& job) {
  if (BySquares(job)) return true;
  if (!IsComplex(job.type()) || RowOf(job.opcode()).family != Family::kElementwiseBinary)
    return false;
  const bool formula = ops::IsScaling(job.opcode());
  if (formula && !job.state.Once(4)) {
    job.type() == PrimitiveType::kC64 ? Recompute<float>(job) : Recompute<double>(job);
  }
  if (ops::IsFieldOperation(job.opcode()) && job.rule.Allows(kFlushResult)) FlushParts(job);
  return formula;
}

}  // namespace hlocts::backends
