// SPDX-License-Identifier: Apache-2.0
// Textbook Cholesky and triangular solve; every step is computed in the element's own format.
#include <algorithm>
#include <complex>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "reference/number_system.h"

namespace hlocts::backends {
namespace {

double Conj(double x) { return x; }
float Conj(float x) { return x; }
template <typename T>
std::complex<T> Conj(std::complex<T> x) {
  return std::conj(x);
}

// Returns the real part. Imaginary parts on the diagonal of a Hermitian matrix are ignored.
float Real(float x) { return x; }
double Real(double x) { return x; }
template <typename T>
std::complex<T> Real(std::complex<T> x) {
  return x.real();
}

// Replaces the lower triangle of a row-major matrix by its factor. Right-looking: each column is
// eliminated from all later columns as soon as it is complete.
template <typename T>
void FactorRightLooking(int64_t n, std::vector<T>& a) {
  for (int64_t k = 0; k < n; ++k) {
    T root = std::sqrt(a[k * n + k]);
    a[k * n + k] = root;
    for (int64_t i = k + 1; i < n; ++i) a[i * n + k] /= root;
    for (int64_t j = k + 1; j < n; ++j) {
      for (int64_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * Conj(a[j * n + k]);
    }
  }
}

// Factors the triangle that the attribute `lower` selects, as a lower triangle.
template <typename T>
Literal NoisyCholesky(NoiseJob& job, PrimitiveType system) {
  Literal out = reference::ToSystem(job.operands[0], system);
  auto all = out.template mutable_data<T>();
  const int64_t n = job.result.shape().dimension(-1);
  const bool lower = job.instruction.BoolOr(Attr::kLower, false);
  std::vector<T> a(n * n);
  for (int64_t first = 0; first < out.element_count(); first += n * n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        a[i * n + j] = lower ? all[first + i * n + j] : Conj(all[first + j * n + i]);
      }
    }
    for (int64_t i = 0; i < n; ++i) a[i * n + i] = Real(a[i * n + i]);
    FactorRightLooking(n, a);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        (lower ? all[first + i * n + j] : all[first + j * n + i]) =
            lower ? a[i * n + j] : Conj(a[i * n + j]);
      }
    }
  }
  return out;
}

// The system op(a) x = b, or its transpose, with access to coefficient (i, j) and to unknown i of
// column c.
template <typename T>
struct System {
  bool left, flip, conjugate, unit, lower;
  int64_t n, columns;
  const T* a;
  T* x;
  T At(int64_t i, int64_t j) const {
    if (unit && i == j) return T(1);
    T element = flip ? a[j * n + i] : a[i * n + j];
    return conjugate ? Conj(element) : element;
  }
  T& Unknown(int64_t i, int64_t c) const { return x[left ? i * columns + c : c * n + i]; }
  // Returns the index of the equation that substitution solves at a step.
  int64_t Row(int64_t step) const { return lower ? step : n - 1 - step; }
};

// Solves by columns: each unknown is eliminated from all later equations.
template <typename T>
void SolveByColumns(const System<T>& s) {
  for (int64_t c = 0; c < s.columns; ++c) {
    for (int64_t step = 0; step < s.n; ++step) {
      const int64_t j = s.Row(step);
      T& x = s.Unknown(j, c);
      x = x / s.At(j, j);
      for (int64_t rest = step + 1; rest < s.n; ++rest) {
        s.Unknown(s.Row(rest), c) -= s.At(s.Row(rest), j) * x;
      }
    }
  }
}

// Returns the inverse of the block B of `size` steps from step `first`. In the order of steps, B is
// lower triangular. The columns of the inverse are computed as solutions y of B y = e, or its rows
// as solutions of y B = e, with unit vectors e.
template <typename T>
std::vector<T> InverseOfBlock(const System<T>& s, int64_t first, int64_t size, bool by_rows) {
  std::vector<T> x(size * size, T(0));
  auto at = [&](int64_t i, int64_t j) { return s.At(s.Row(first + i), s.Row(first + j)); };
  for (int64_t k = 0; k < size; ++k) {
    x[k * size + k] = T(1) / at(k, k);
    for (int64_t i = k + 1; !by_rows && i < size; ++i) {
      T sum(0);
      for (int64_t j = k; j < i; ++j) sum -= at(i, j) * x[j * size + k];
      x[i * size + k] = sum / at(i, i);
    }
    for (int64_t j = k - 1; by_rows && j >= 0; --j) {
      T sum(0);
      for (int64_t i = j + 1; i <= k; ++i) sum -= x[k * size + i] * at(i, j);
      x[k * size + j] = sum / at(j, j);
    }
  }
  return x;
}

// Solves by blocks of `size`, of which the last may be smaller. Each block is inverted. The product
// of the inverse and the block's part of the right side is the solution, which is then eliminated
// from all later equations.
template <typename T>
void SolveByInverses(const System<T>& s, int64_t size, bool by_rows) {
  for (int64_t first = 0; first < s.n; first += size) {
    const int64_t m = std::min(size, s.n - first);
    const std::vector<T> inverse = InverseOfBlock(s, first, m, by_rows);
    std::vector<T> x(m);
    for (int64_t c = 0; c < s.columns; ++c) {
      for (int64_t i = 0; i < m; ++i) {
        x[i] = T(0);
        for (int64_t j = 0; j <= i; ++j) {
          x[i] += inverse[i * m + j] * s.Unknown(s.Row(first + j), c);
        }
      }
      for (int64_t i = 0; i < m; ++i) s.Unknown(s.Row(first + i), c) = x[i];
      for (int64_t rest = first + m; rest < s.n; ++rest) {
        for (int64_t i = 0; i < m; ++i) {
          s.Unknown(s.Row(rest), c) -= s.At(s.Row(rest), s.Row(first + i)) * x[i];
        }
      }
    }
  }
}

template <typename T>
Literal NoisySolve(NoiseJob& job, PrimitiveType system) {
  const Literal a = reference::ToSystem(job.operands[0], system);
  Literal out = reference::ToSystem(job.operands[1], system);
  const Instruction& instruction = job.instruction;
  const absl::string_view transpose = instruction.WordOr(Attr::kTransposeA, "NO_TRANSPOSE");
  System<T> s;
  s.left = instruction.BoolOr(Attr::kLeftSide, false);
  s.flip = (transpose != "NO_TRANSPOSE") != !s.left;
  s.conjugate = transpose == "ADJOINT";
  s.unit = instruction.BoolOr(Attr::kUnitDiagonal, false);
  s.lower = instruction.BoolOr(Attr::kLower, false) != s.flip;
  s.n = a.shape().dimension(-1);
  s.columns = out.shape().dimension(s.left ? -1 : -2);
  const bool invert = job.rule.Allows(kBlockInverse) && job.state.Once(2);
  const int64_t size = s.n < 2 || job.state.Once(4) ? s.n : 1 + job.random().Below(s.n);
  const bool by_rows = job.state.Once(2);
  const int64_t step = s.n * s.columns;
  for (int64_t at = 0, matrix = 0; at < out.element_count(); at += step, matrix += s.n * s.n) {
    s.a = a.data<T>().data() + matrix;
    s.x = out.mutable_data<T>().data() + at;
    if (invert) {
      SolveByInverses(s, std::max<int64_t>(size, 1), by_rows);
    } else {
      SolveByColumns(s);
    }
  }
  return out;
}

template <typename T>
Literal Factored(NoiseJob& job, PrimitiveType system) {
  return job.opcode() == Opcode::kCholesky ? NoisyCholesky<T>(job, system)
                                           : NoisySolve<T>(job, system);
}

}  // namespace

bool NoisyLinearAlgebra(NoiseJob& job) {
  if (job.opcode() != Opcode::kCholesky && job.opcode() != Opcode::kTriangularSolve) return false;
  const PrimitiveType system = reference::SystemType(job.type());
  if (job.result.element_count() == 0 || job.state.Once(4)) return true;
  reference::VisitSystem(system, [&](auto values) {
    using T = typename decltype(values)::Element;
    if constexpr (!std::is_integral_v<T>) {
      job.result = reference::FromSystem(Factored<T>(job, system), job.type());
    }
  });
  return true;
}

}  // namespace hlocts::backends
