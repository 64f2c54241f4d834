// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/cholesky_bounds.h"

#include <algorithm>
#include <cmath>

#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

void EncloseMatrix(const SetArray& array, int64_t b, CholeskyOperand& operand) {
  const int64_t n = array.shape().dimension(-1);
  double* middles = reinterpret_cast<double*>(operand.middle.mutable_raw_data());
  double* radii = operand.radius.mutable_data<double>().data();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const int64_t place = operand.PlaceOf(b, i, j);
      for (int c = 0; c < array.components(); ++c) {
        double middle = 0, radius = 0;
        bool known = EnclosePart(array.At(place, c), middle, radius);
        // A Hermitian matrix has a real diagonal (cholesky.14, ruling 0031).
        if (i == j && c == 1) known = known && middle == 0 && radius == 0;
        if (!known) operand.free[b] = true;
        middles[place * array.components() + c] = known ? middle : 0;
        radii[place] += known ? radius : 0;
      }
    }
  }
}

// Computes the lower factor. Returns false if a pivot is infinite, below `least` or not positive.
bool Factor(const Matrix& a, double least, Matrix& l) {
  l = Matrix::Zero(a.rows, a.rows);
  for (int64_t j = 0; j < a.rows; ++j) {
    double pivot = a(j, j).real();
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(l(j, k));
    if (!(pivot > 0) || pivot < least || std::isinf(pivot)) return false;
    l(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      Complex x = a(i, j);
      for (int64_t k = 0; k < j; ++k) x -= l(i, k) * std::conj(l(j, k));
      l(i, j) = x / l(j, j);
    }
  }
  return true;
}

// Return the error of the judge's own f64 arithmetic in LeastEigenvalueBound (lemma 9). OwnOfFactor
// returns the absolute error of the eigenvalue that scaling and factoring cause, OwnOfInverse the
// relative error that the inversion adds.
double OwnOfFactor(int64_t rows, const Bounds& bounds) {
  const double n = static_cast<double>(rows);
  return bounds.JudgeFactorUnits() * n * (n + 5) * 0x1p-53;
}
double OwnOfInverse(int64_t rows, double squares, const Bounds& bounds) {
  const double n = static_cast<double>(rows);
  return bounds.JudgeInverseUnits() * n * std::sqrt(n * squares) * 0x1p-53;
}

// Returns a lower bound of the least eigenvalue of the matrix scaled to unit diagonal. It is
// 1/||L^-1||_2^2, where the norm is bounded by the smaller of the Frobenius norm and the root of
// the product of the largest column sum and the largest row sum.
double LeastEigenvalueBound(const Matrix& a, const Bounds& bounds) {
  Matrix h = a, l;
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.rows; ++j) {
      h(i, j) /= std::sqrt(a(i, i).real()) * std::sqrt(a(j, j).real());
    }
  }
  if (!Factor(h, 0, l)) return 0;
  double squares = 0, column_max = 0;
  std::vector<double> row_sums(a.rows);
  for (int64_t c = 0; c < a.rows; ++c) {
    double column = 0;
    std::vector<Complex> x(a.rows);
    for (int64_t i = c; i < a.rows; ++i) {
      Complex r = i == c ? 1 : 0;
      for (int64_t k = c; k < i; ++k) r -= l(i, k) * x[k];
      x[i] = r / l(i, i);
      const double size = std::abs(x[i]);
      squares += size * size;
      column += size;
      row_sums[i] += size;
    }
    column_max = std::max(column_max, column);
  }
  const double row_max = a.rows == 0 ? 0 : *std::max_element(row_sums.begin(), row_sums.end());
  return 1 / std::min(squares, column_max * row_max) * (1 - OwnOfInverse(a.rows, squares, bounds)) -
         OwnOfFactor(a.rows, bounds);
}

// Returns the largest row sum of the radii, scaled to unit diagonal: a bound of their 2-norm.
double ScaledWidth(const Matrix& a, const CholeskyOperand& operand, int64_t b) {
  double most = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    double row = 0;
    for (int64_t j = 0; j < a.rows; ++j) {
      row += operand.RadiusOf(b, i, j) / std::sqrt(a(i, i).real()) / std::sqrt(a(j, j).real());
    }
    most = std::max(most, row);
  }
  return most;
}

// Returns the share of the squared norm of a row of L that remains after rounding and flushes.
double Rest(const Matrix& a, const CholeskyBound& bound) {
  return 1 - bound.own - 2 * static_cast<double>(a.rows) * bound.flush;
}

// Returns bounds p_i of the row norms of the engine's L; p_i^2 bounds the diagonal of L L^H.
std::vector<double> RowNorms(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                             const CholeskyBound& bound) {
  const double n = static_cast<double>(a.rows);
  std::vector<double> p;
  for (int64_t i = 0; i < a.rows; ++i) {
    const double square = a(i, i).real() + operand.RadiusOf(b, i, i) + bound.flush * (1 + 2 * n);
    p.push_back(std::sqrt(square / Rest(a, bound)));
  }
  return p;
}

double FlushOf(const Matrix& a, double flush, double p_i, double p_j) {
  return flush * (1 + static_cast<double>(a.rows) * (p_i + p_j));
}

// Like ScaledWidth, with the errors of underflow in the computation instead of the radii.
double ScaledUnderflow(const Matrix& a, const std::vector<double>& p, const CholeskyBound& bound) {
  double most = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    double row = 0;
    for (int64_t j = 0; j < a.rows; ++j) {
      row += FlushOf(a, bound.underflow, p[i], p[j]) / std::sqrt(a(i, i).real()) /
             std::sqrt(a(j, j).real());
    }
    most = std::max(most, row);
  }
  return most;
}

}  // namespace

Matrix CholeskyOperand::HermitianOf(int64_t b) const {
  const int64_t n = middle.shape().dimension(-1);
  Matrix m = Matrix::Zero(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex x = ElementAt(middle, PlaceOf(b, i, j));
      if (!lower) x = std::conj(x);
      if (i == j) x = x.real();
      m(i, j) = x;
      m(j, i) = std::conj(x);
    }
  }
  return m;
}

double CholeskyOperand::RadiusOf(int64_t b, int64_t i, int64_t j) const {
  if (radius.element_count() == 0) return 0;
  return radius.data<double>()[PlaceOf(b, std::max(i, j), std::min(i, j))];
}

CholeskyOperand CholeskyOperandOf(const SetArray& array, bool lower) {
  const int64_t n = array.shape().dimension(-1);
  const int64_t batches = n == 0 ? 0 : array.element_count() / (n * n);
  CholeskyOperand operand;
  operand.lower = lower;
  operand.free.assign(batches, false);
  if (array.exact()) {
    operand.middle = array.literal();
    operand.radius = Literal(Shape(PrimitiveType::kF64, {0}));
    for (int64_t b = 0; b < batches; ++b) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          const Complex x = ElementAt(operand.middle, operand.PlaceOf(b, i, j));
          const bool finite = std::isfinite(x.real()) && std::isfinite(x.imag());
          if (!finite || (i == j && x.imag() != 0)) operand.free[b] = true;
        }
      }
    }
    return operand;
  }
  operand.middle = Literal(array.shape().WithElementType(WideType(array.element_type())));
  operand.radius = Literal(array.shape().WithElementType(PrimitiveType::kF64));
  for (int64_t b = 0; b < batches; ++b) EncloseMatrix(array, b, operand);
  return operand;
}

void FindBreakdown(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                   const CholeskyBound& bound, bool& free, bool& breaks) {
  Matrix l;
  free = !Factor(a, bound.least, l);
  if (free) return;
  const double least = LeastEigenvalueBound(a, *bound.bounds), width = ScaledWidth(a, operand, b);
  const double all = width + ScaledUnderflow(a, RowNorms(a, operand, b, bound), bound);
  const double eigenvalue = (least - width) / (1 + width);
  breaks = !(bound.relative <= 0.75 && (least - all) / (1 + all) > bound.bounds->BreakdownMargin() *
                                                                       static_cast<double>(a.rows) *
                                                                       bound.relative);
  if (width == 0) return;
  double diagonal = HUGE_VAL;
  for (int64_t i = 0; i < a.rows; ++i) diagonal = std::min(diagonal, a(i, i).real());
  free = !(eigenvalue > 0) || eigenvalue * (1 - width) * diagonal < bound.least;
}

namespace {

// Larger matrices get no bounds of single elements, which would take n^3 wide operations.
constexpr int64_t kBoundedRowsMax = 128;

// Returns the error of element (i, j) of L L^H in units of `own` p_i p_j: 1 or, if diagonal blocks
// may be inverted, 2 + 4n / sqrt(e), where e is a lower bound of the least eigenvalue of L L^H
// scaled by p. Returns infinity if the least eigenvalue of L L^H may be below half of A's.
double Rounds(const Matrix& a, const CholeskyOperand& operand, int64_t b,
              const std::vector<double>& p, const CholeskyBound& bound) {
  if (!bound.blocks) return 1;
  const double n = static_cast<double>(a.rows);
  double longest = 1;
  for (int64_t i = 0; i < a.rows; ++i) longest = std::max(longest, p[i] * p[i] / a(i, i).real());
  const double left = LeastEigenvalueBound(a, *bound.bounds) - ScaledWidth(a, operand, b) -
                      ScaledUnderflow(a, p, bound);
  const double rounds = 2 + 4 * n / std::sqrt(left / (2 * longest));
  return n * longest * bound.own * rounds <= left / 2 ? rounds : HUGE_VAL;
}

// Returns the error bound of L L^H from (|L||L^H|)_ij <= p_i p_j; empty if there is no bound.
WideMatrix ResidualMatrix(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                          const CholeskyBound& bound) {
  if (!(Rest(a, bound) > 0.5)) return {};
  const std::vector<double> p = RowNorms(a, operand, b, bound);
  const double own = bound.own * Rounds(a, operand, b, p, bound);
  if (!std::isfinite(own)) return {};
  WideMatrix residual = WideMatrix::Zero(a.rows, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.rows; ++j) {
      residual(i, j) =
          operand.RadiusOf(b, i, j) + own * p[i] * p[j] + FlushOf(a, bound.flush, p[i], p[j]);
    }
  }
  return residual;
}

}  // namespace

FactorBounds BoundElements(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                           const CholeskyBound& bound, const SetContext& context,
                           SetArray& result) {
  if (a.rows > kBoundedRowsMax || a.rows == 0) return {};
  WideMatrix wide = WideMatrix::Zero(a.rows, a.rows), radii = wide;
  for (size_t i = 0; i < a.at.size(); ++i) wide.at[i] = {a.at[i].real(), a.at[i].imag()};
  const WideMatrix residual = ResidualMatrix(a, operand, b, bound);
  if (residual.rows == 0) return {};
  const EnclosedMatrix first = CholeskyBoundsWithin(wide, residual);
  if (!first.known) return {};
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.rows; ++j) radii(i, j) = operand.RadiusOf(b, i, j);
  }
  FactorBounds factor = RefinedFactor(wide, first, radii, bound.own, bound.flush, bound.blocks);
  const EnclosedMatrix& l = factor.l.known ? factor.l : first;
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const Wide x = operand.lower ? l.middle(i, j) : std::conj(l.middle(i, j));
      SetElementAround(x, l.radius[i * a.rows + j], context, operand.PlaceOf(b, i, j), result);
    }
  }
  return factor;
}

CholeskyBound CholeskyBoundOf(const SetContext& context, const Shape& shape) {
  const double n = static_cast<double>(shape.dimension(-1));
  const double parts = IsComplex(shape.element_type()) ? context.bounds->ComplexUnits() : 1;
  const double u = UnitOf(shape.element_type()) * parts;
  const bool flushes = context.rule.Allows(kFlushOperand) || context.rule.Allows(kFlushResult);
  CholeskyBound bound{.relative = context.rule.ulps * (n + 1) * u, .bounds = context.bounds};
  bound.own = bound.relative + (n + 2) * 0x1p-52;
  const double flushes_of_row = context.bounds->FactorFlushes() * (n + 1) * parts;
  bound.flush = flushes_of_row * context.result->min_normal;
  bound.underflow = flushes ? bound.flush : flushes_of_row * context.result->tiny;
  bound.least = flushes ? context.result->min_normal : 0;
  bound.vanishes = context.result->tiny >= context.bounds->VanishingPivot();
  bound.blocks = context.rule.Allows(kBlockInverse) || context.rule.ulps > 1;
  return bound;
}

}  // namespace hlocts::reference
