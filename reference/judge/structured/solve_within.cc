// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/solve_within.h"

#include <algorithm>
#include <cmath>

#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/cholesky_bounds.h"
#include "reference/judge/structured/lapack_bounds.h"
#include "reference/lapack/factorizations.h"

namespace hlocts::reference {
namespace {

// Elements of larger systems are unspecified, since the bound takes n^3 wide operations.
constexpr int64_t kEnclosedRowsMax = 128;

// Sets element `to` of `matrix` to the number at `place`. Returns false if it may not be finite.
bool EncloseElement(const SetArray& array, int64_t place, bool conjugate, EnclosedMatrix& matrix,
                    int64_t to) {
  double middle[2] = {0, 0}, radius[2] = {0, 0};
  for (int c = 0; c < array.components(); ++c) {
    if (!EnclosePart(array.At(place, c), middle[c], radius[c])) return false;
  }
  matrix.middle.at[to] = {middle[0], conjugate ? -middle[1] : middle[1]};
  matrix.radius[to] = static_cast<long double>(radius[0]) + radius[1];
  return true;
}

EnclosedMatrix Empty(int64_t rows, int64_t columns) {
  EnclosedMatrix matrix;
  matrix.middle = WideMatrix::Zero(rows, columns);
  matrix.radius.assign(static_cast<size_t>(rows * columns), 0);
  return matrix;
}

// Returns T of batch b as KnownCoefficient reads it; unknown if a pivot may be read as zero.
EnclosedMatrix EnclosedTriangle(const SetArray& a, const SolveGeometry& g, int64_t b,
                                double least) {
  EnclosedMatrix t = Empty(g.n, g.n);
  const bool swap = (g.transpose != "NO_TRANSPOSE") != !g.left;
  for (int64_t i = 0; i < g.n; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      const int64_t row = swap ? j : i, column = swap ? i : j, to = i * g.n + j;
      if (g.lower ? row < column : row > column) continue;
      if (g.unit && i == j) {
        t.middle.at[to] = 1;
        continue;
      }
      const int64_t place = b * g.n * g.n + row * g.n + column;
      if (!EncloseElement(a, place, g.transpose == "ADJOINT", t, to)) return t;
      const long double smallest = std::abs(t.middle.at[to]) - t.radius[to];
      if (i == j && !(smallest > 0 && smallest >= least)) return t;
    }
  }
  t.known = true;
  return t;
}

// Returns the smallest magnitude that a diagonal element may have, at most 1.
long double SmallestDivisor(const EnclosedMatrix& t) {
  long double smallest = 1;
  for (int64_t i = 0; i < t.middle.rows; ++i) {
    const int64_t at = i * t.middle.rows + i;
    smallest = std::min(smallest, std::abs(t.middle.at[at]) - t.radius[at]);
  }
  return smallest;
}

EnclosedMatrix EnclosedRight(const SetArray& array, const SolveGeometry& g, int64_t b) {
  EnclosedMatrix right = Empty(g.n, g.columns);
  right.known = true;
  for (int64_t i = 0; i < g.n && right.known; ++i) {
    for (int64_t c = 0; c < g.columns && right.known; ++c) {
      right.known = EncloseElement(array, UnknownAt(g, b, i, c), false, right, i * g.columns + c);
    }
  }
  return right;
}

// Returns true if the squares of all numbers, and of the elements of T^-1, are in range.
bool InRangeOfSquares(const EnclosedMatrix& t, bool lower, const EnclosedMatrix& right,
                      const EnclosedMatrix& x, double max) {
  WideMatrix inverse = WideMatrix::Identity(t.middle.rows, t.middle.rows);
  SolveTriangular(t.middle, lower, /*unit=*/false, inverse);
  const long double most = std::sqrt(static_cast<long double>(max)) / (2 * t.middle.rows);
  return OneNorm(t.middle) + t.RadiusOneNorm() < most &&
         OneNorm(right.middle) + right.RadiusOneNorm() < most &&
         OneNorm(x.middle) + x.RadiusOneNorm() < most && OneNorm(inverse) < most;
}

}  // namespace

bool EffectiveLower(const SolveGeometry& g) {
  bool swap = (g.transpose != "NO_TRANSPOSE") != !g.left;
  return g.lower != swap;
}

double LeastDivisor(const SetContext& context, PrimitiveType type) {
  const double least = context.result->min_normal;
  if (!IsComplex(type)) return context.rule.Allows(kFlushOperand) ? context.operand->min_normal : 0;
  if (!context.rule.Allows(kFlushResult)) return context.bounds->DivisorRange() * std::sqrt(least);
  return std::sqrt(least / UnitOf(type)) / context.bounds->DivisorRange();
}

double FlushesOfRow(const SetContext& context, PrimitiveType type, int64_t n) {
  const double unit = context.rule.Allows(kFlushResult)
                          ? context.bounds->SolveFlushes() * context.result->min_normal
                          : context.result->tiny;
  return unit * static_cast<double>(n + 1) * (IsComplex(type) ? context.bounds->ComplexUnits() : 1);
}

int64_t UnknownAt(const SolveGeometry& g, int64_t b, int64_t i, int64_t c) {
  int64_t size = g.n * g.columns;
  return b * size + (g.left ? i * g.columns + c : c * g.n + i);
}

void BoundWithin(const SetArray& a, const SetArray& b, const SolveGeometry& g,
                 const SetContext& context, SetArray& result) {
  if (!context.result->has_zero || g.n > kEnclosedRowsMax || g.columns > kEnclosedRowsMax) return;
  const PrimitiveType type = result.element_type();
  const long double u =
      context.rule.ulps * UnitOf(type) * (IsComplex(type) ? context.bounds->ComplexUnits() : 1);
  const double least = LeastDivisor(context, type);
  for (int64_t k = 0; k < g.batches; ++k) {
    const EnclosedMatrix t = EnclosedTriangle(a, g, k, least), right = EnclosedRight(b, g, k);
    if (!t.known || !right.known) continue;
    // Rows of T multiply the error of a flush in an inverted block twice.
    const long double smallest = IsComplex(type) ? SmallestDivisor(t) : 1;
    const long double flushes =
        FlushesOfRow(context, type, g.n) / smallest * (1 + OneNorm(t.middle) + t.RadiusOneNorm());
    const EnclosedMatrix x = SolveBounds(t, EffectiveLower(g), /*unit=*/false, right, u, flushes);
    if (!x.known || !InRangeOfSquares(t, EffectiveLower(g), right, x, context.result->max))
      continue;
    for (int64_t i = 0; i < g.n * g.columns; ++i) {
      const int64_t place = UnknownAt(g, k, i / g.columns, i % g.columns);
      SetElementAround(x.middle.at[i], x.radius[i], context, place, result);
    }
  }
}

void BoundFactored(const SetArray& factor, const SetArray& right, const SolveGeometry& first,
                   const SolveGeometry& g, const SetContext& context, SetArray& result) {
  const PrimitiveType type = result.element_type();
  const bool chain = first.left && g.left && !first.unit && !g.unit && first.lower == g.lower &&
                     EffectiveLower(first) && !EffectiveLower(g);
  if (!chain || IsComplex(type) || !context.result->has_zero || g.n > kEnclosedRowsMax ||
      g.columns > kEnclosedRowsMax)
    return;
  const long double u = context.rule.ulps * UnitOf(type);
  const long double most = std::sqrt(static_cast<long double>(context.result->max)) / (2 * g.n);
  for (int64_t k = 0; k < g.batches; ++k) {
    const FactorBounds* known = FactorBoundsOf(factor, g.lower, k);
    const EnclosedMatrix b = EnclosedRight(right, g, k);
    if (known == nullptr || !b.known) continue;
    const EnclosedMatrix x = FactoredSolveBounds(*known, b, u, FlushesOfRow(context, type, g.n));
    const bool tame = x.known && OneNorm(x.middle) + x.RadiusOneNorm() < most &&
                      OneNorm(b.middle) + b.RadiusOneNorm() < most &&
                      InRangeOfSquares(known->l, /*lower=*/true, b, x, context.result->max);
    if (!tame) continue;
    for (int64_t i = 0; i < g.n * g.columns; ++i) {
      const int64_t place = UnknownAt(g, k, i / g.columns, i % g.columns);
      const AcceptanceSet before = result.At(place);
      SetElementAround(x.middle.at[i], x.radius[i], context, place, result);
      const AcceptanceSet now = result.At(place);
      const bool wider =
          before.finite() && !before.unspecified() && before.hi - before.lo < now.hi - now.lo;
      if (wider) result.mutable_sets()[place] = before;
    }
  }
}

}  // namespace hlocts::reference
