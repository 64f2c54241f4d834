// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/lapack_bounds.h"

#include <algorithm>
#include <cmath>

#include "reference/judge/joint/joint_numbers.h"
#include "reference/lapack/factorizations.h"
#include "spec/judge/real.h"

namespace hlocts::reference {
namespace {

// Covers the rounding of the wide arithmetic and of the doubles that the bounds are stored in.
constexpr long double kLapackSlack = 1.001L;

WideMatrix Radii(const EnclosedMatrix& a) {
  WideMatrix result = WideMatrix::Zero(a.middle.rows, a.middle.columns);
  for (size_t i = 0; i < a.radius.size(); ++i) result.at[i] = a.radius[i];
  return result;
}

WideMatrix Plus(WideMatrix a, const WideMatrix& b, long double scale = 1) {
  for (size_t i = 0; i < a.at.size(); ++i) a.at[i] += scale * b.at[i];
  return a;
}

bool AtMost(const WideMatrix& a, const WideMatrix& b) {
  for (size_t i = 0; i < a.at.size(); ++i) {
    if (!(a.at[i].real() <= b.at[i].real())) return false;
  }
  return true;
}

WideMatrix InverseMagnitudes(const WideMatrix& t, bool lower) {
  WideMatrix inverse = WideMatrix::Identity(t.rows, t.rows);
  SolveTriangular(t, lower, /*unit=*/false, inverse);
  return AbsoluteValues(std::move(inverse));
}

std::vector<long double> RowMaxima(const WideMatrix& a) {
  std::vector<long double> most(a.rows, 0);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) most[i] = std::max(most[i], a(i, j).real());
  }
  return most;
}

// Computes G = (I - |F|)^-1 |F| from the bound |F| <= e m c^T of the lemmas below, which yields
// G = e m c^T / (1 - e c^T m). Returns false if the inverse may not exist.
bool Growth(long double e, const std::vector<long double>& m, const std::vector<long double>& c,
            WideMatrix& g) {
  const int64_t n = static_cast<int64_t>(m.size());
  long double rho = 0;
  for (int64_t i = 0; i < n; ++i) rho += e * m[i] * c[i];
  if (!(rho < 0.5L)) return false;
  g = WideMatrix::Zero(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) g(i, j) = e * m[i] * c[j] / (1 - rho) * kLapackSlack;
  }
  return true;
}

void SetRadii(const WideMatrix& from, bool lower, bool diagonal, EnclosedMatrix& to) {
  for (int64_t i = 0; i < from.rows; ++i) {
    for (int64_t j = 0; j < from.columns; ++j) {
      if (i == j ? !diagonal : (i > j) != lower) continue;
      to.radius[i * from.columns + j] = from(i, j).real();
    }
  }
}

}  // namespace

long double EnclosedMatrix::RadiusOneNorm() const { return OneNorm(Radii(*this)); }
long double EnclosedMatrix::HermitianRadiusOneNorm(bool lower) const {
  return OneNorm(HermitianFrom(Radii(*this), lower));
}

// Lemma (Sun, BIT 31 (1991) and 32 (1992)). Let A = L L^H, A + E = (L + D)(L + D)^H and F = L^-1 E
// L^-H. If the spectral radius of |F| is below 1, then |D| <= |L| low((I - |F|)^-1 |F|), where low
// is the lower triangle. Let e bound the column sums of |E|. Let M = |L^-1|, m the row maxima of M
// and s the row sums of M. Then |F| <= M |E| M^T <= e m s^T.
EnclosedMatrix CholeskyBounds(const WideMatrix& a, long double off) {
  EnclosedMatrix result;
  if (FactorCholesky(a, result.middle) != 0) return result;
  const WideMatrix m = InverseMagnitudes(result.middle, /*lower=*/true);
  std::vector<long double> sums(a.rows, 0);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.rows; ++j) sums[i] += m(i, j).real();
  }
  WideMatrix g;
  if (!Growth(off, RowMaxima(m), sums, g)) return result;
  result.radius.assign(result.middle.at.size(), 0);
  const WideMatrix low = TriangleFrom(g, /*lower=*/true, /*unit=*/false, g.rows, g.columns);
  SetRadii(Product(AbsoluteValues(result.middle), low), /*lower=*/true, /*diagonal=*/true, result);
  result.known = true;
  return result;
}

namespace {

// Returns true if every multiplier of every factor in the enclosure is below 1 in the measure |re|
// + |im|, by which pivots are compared. Then, by induction over the columns, all these factors have
// the same pivots.
bool PivotsAreCertain(const EnclosedMatrix& lu) {
  const WideMatrix& x = lu.middle;
  const long double root = std::sqrt(2.0L);
  const auto size = [](const Wide& z) { return std::abs(z.real()) + std::abs(z.imag()); };
  for (int64_t k = 0; k < x.columns; ++k) {
    const long double pivot_off = lu.radius[k * x.columns + k];
    const long double pivot = size(x(k, k)) - root * pivot_off;
    if (!(pivot > 0)) return false;
    for (int64_t i = k + 1; i < x.rows; ++i) {
      const long double off = lu.radius[i * x.columns + k];
      const long double spread =
          off * (std::abs(x(k, k)) + pivot_off) + std::abs(x(i, k)) * pivot_off;
      if (!(size(x(i, k) * x(k, k)) + root * spread < pivot)) return false;
    }
  }
  return true;
}

}  // namespace

// Lemma (Sun, BIT 32 (1992)). Let P A = L U, P A + E = (L + D)(U + H), F = L^-1 E U^-1 and G = (I -
// |F|)^-1 |F|. If the spectral radius of |F| is below 1, then |D| <= |L| low(G) and |H| <= up(G)
// |U|; only up includes the diagonal. As for CholeskyBounds, |F| <= e m c^T with m the row maxima
// of |L^-1| and c the column sums of |U^-1|. e depends on ||L||U|| of the engine's factors; the
// code uses twice ||L||U|| of the midpoint's factors instead, and checks that against the radii.
EnclosedMatrix LuBounds(const EnclosedMatrix& a, long double relative, long double underflow,
                        std::vector<int64_t>& pivots) {
  EnclosedMatrix result;
  result.middle = a.middle;
  if (a.middle.rows != a.middle.columns || FactorLu(result.middle, pivots) != 0) return result;
  const WideMatrix l = TriangleFrom(result.middle, /*lower=*/true, /*unit=*/true,
                                    result.middle.rows, result.middle.columns);
  const WideMatrix u = TriangleFrom(result.middle, /*lower=*/false, /*unit=*/false,
                                    result.middle.rows, result.middle.columns);
  const long double size = OneNorm(Product(AbsoluteValues(l), AbsoluteValues(u)));
  const long double most = std::max(OneNorm(a.middle) + a.RadiusOneNorm(), 2 * size);
  const WideMatrix of_u = InverseMagnitudes(u, /*lower=*/false);
  std::vector<long double> sums(l.rows, 0);
  for (int64_t i = 0; i < l.rows; ++i) {
    for (int64_t j = 0; j < l.rows; ++j) sums[j] += of_u(i, j).real();
  }
  WideMatrix g;
  if (!Growth(relative * most + a.RadiusOneNorm() + underflow * (1 + most),
              RowMaxima(InverseMagnitudes(l, /*lower=*/true)), sums, g)) {
    return result;
  }
  WideMatrix low = TriangleFrom(g, /*lower=*/true, /*unit=*/false, g.rows, g.columns);
  for (int64_t i = 0; i < low.rows; ++i) low(i, i) = 0;
  const WideMatrix of_l = Product(AbsoluteValues(l), low);
  const WideMatrix off_u = Product(
      TriangleFrom(g, /*lower=*/false, /*unit=*/false, g.rows, g.columns), AbsoluteValues(u));
  result.radius.assign(result.middle.at.size(), 0);
  SetRadii(of_l, /*lower=*/true, /*diagonal=*/false, result);
  SetRadii(off_u, /*lower=*/false, /*diagonal=*/true, result);
  const WideMatrix grown = Product(Plus(AbsoluteValues(l), of_l), Plus(AbsoluteValues(u), off_u));
  result.known = OneNorm(grown) <= 2 * size && PivotsAreCertain(result);
  return result;
}

namespace {

constexpr int kRounds = 60;
constexpr long double kInflation = 1.01L;

// Iterates to some z > 0 with start + k z <= z. Such a z bounds the spectral radius of k by 1, so
// every w with w <= start + k w satisfies w <= z. Returns false if none is found.
bool FixedPoint(const WideMatrix& k, const WideMatrix& start, WideMatrix& z) {
  z = start;
  for (int round = 0; round < kRounds; ++round) {
    const WideMatrix next = Plus(start, Product(k, z));
    if (!next.AllFinite()) return false;
    if (AtMost(next, z)) return true;
    for (size_t i = 0; i < z.at.size(); ++i) {
      z.at[i] = std::max(z.at[i].real(), next.at[i].real() * kInflation);
    }
  }
  return false;
}

}  // namespace

// Lemma. Let |T' - T| <= R and |B' - B| <= S, and let X' be an engine's result for T' X = B', by
// substitution or with inverted blocks: |B' - T' X'| <= g (I + |T'| Y)(|B'| + |T'||X'|) with g = 4
// (n+1) u and Y = |T'^-1| + g |T'^-1||T'| Y (triangular_inverse.h). Then z = |X' - X| has
//   z <= |T^-1| [ S + R |X'| + g (I + (|T| + R) Y)(|B| + S + (|T| + R) |X'|) ],  |X'| <= |X| + z.
// C >= |T'^-1| is a fixed point of C = |T^-1| + |T^-1| R C, and Y of Y = C + g C (|T| + R) Y.
EnclosedMatrix SolveBounds(const EnclosedMatrix& t, bool lower, bool unit, const EnclosedMatrix& b,
                           long double u, long double underflow) {
  EnclosedMatrix result;
  const WideMatrix middle = TriangleFrom(t.middle, lower, unit, t.middle.rows, t.middle.columns);
  WideMatrix radius = TriangleFrom(Radii(t), lower, /*unit=*/false, middle.rows, middle.rows);
  for (int64_t i = 0; i < middle.rows; ++i) {
    if (unit) radius(i, i) = 0;
    if (middle(i, i) == Wide(0)) return result;
  }
  const int64_t n = middle.rows;
  const long double g = 4 * static_cast<long double>(n + 1) * u;
  const WideMatrix inverse = InverseMagnitudes(middle, lower);
  WideMatrix grown;
  if (!FixedPoint(Product(inverse, radius), inverse, grown)) return result;
  const WideMatrix reach = Plus(AbsoluteValues(middle), radius);
  const WideMatrix again = Plus(WideMatrix::Zero(n, n), Product(grown, reach), g);
  WideMatrix inverted;
  if (!FixedPoint(again, grown, inverted)) return result;
  const WideMatrix blocks = Plus(WideMatrix::Identity(n, n), Product(reach, inverted));
  result.middle = b.middle;
  SolveTriangular(middle, lower, /*unit=*/false, result.middle);
  const WideMatrix of_b = Radii(b), x = AbsoluteValues(result.middle);
  const WideMatrix from_x = Plus(radius, Product(blocks, reach), g);
  WideMatrix rest = Plus(of_b, Product(blocks, Plus(AbsoluteValues(b.middle), of_b)), g);
  rest = Plus(rest, Product(from_x, x));
  for (Wide& r : rest.at) r += underflow * (1 + OneNorm(reach)) * (1 + OneNorm(x));
  WideMatrix z;
  if (!FixedPoint(Product(inverse, from_x), Product(inverse, rest), z)) return result;
  for (const Wide& off : z.at) result.radius.push_back(off.real() * kLapackSlack + underflow);
  result.known = true;
  return result;
}

namespace {

// Computes `grown`, a bound of |T'^-1| for every T' in the enclosure, and `inverted`, the Y of
// triangular_inverse.h. Returns false if there is no bound.
bool GrownInverses(const EnclosedMatrix& t, const WideMatrix& reach, long double g,
                   WideMatrix& grown, WideMatrix& inverted) {
  const WideMatrix inverse = InverseMagnitudes(t.middle, /*lower=*/true);
  return FixedPoint(Product(inverse, Radii(t)), inverse, grown) &&
         FixedPoint(Plus(WideMatrix::Zero(grown.rows, grown.rows), Product(grown, reach), g), grown,
                    inverted);
}

WideMatrix Transposed(const WideMatrix& a) { return ConjugateTransposed(a); }

}  // namespace

// Like CholeskyBounds (lemma 42), with |F| <= |L^-1| e |L^-H| for a matrix e, and G = F + F G.
EnclosedMatrix CholeskyBoundsWithin(const WideMatrix& a, const WideMatrix& e) {
  EnclosedMatrix result;
  if (FactorCholesky(a, result.middle) != 0) return result;
  const WideMatrix m = InverseMagnitudes(result.middle, /*lower=*/true);
  const WideMatrix f = Product(Product(m, e), Transposed(m));
  WideMatrix g;
  if (!FixedPoint(f, f, g)) return result;
  for (Wide& x : g.at) x *= kLapackSlack;
  result.radius.assign(result.middle.at.size(), 0);
  const WideMatrix low = TriangleFrom(g, /*lower=*/true, /*unit=*/false, g.rows, g.columns);
  SetRadii(Product(AbsoluteValues(result.middle), low), /*lower=*/true, /*diagonal=*/true, result);
  result.known = true;
  return result;
}

FactorBounds RefinedFactor(const WideMatrix& a, const EnclosedMatrix& l, const WideMatrix& radii,
                           long double own, long double flush, bool blocks) {
  FactorBounds factor = {a, l, radii};
  const WideMatrix reach = Plus(AbsoluteValues(l.middle), Radii(l));
  const WideMatrix square = Product(reach, Transposed(reach));
  WideMatrix added = square;
  if (blocks) {
    WideMatrix grown, inverted;
    factor.l.known = GrownInverses(l, reach, 2 * own, grown, inverted);
    if (!factor.l.known) return factor;
    const WideMatrix size = Plus(AbsoluteValues(a), radii);
    const WideMatrix rows = Product(Product(reach, inverted), Plus(size, square));
    added = Plus(Plus(added, size), Plus(rows, Transposed(rows)));
  }
  factor.e = Plus(factor.e, added, own * kLapackSlack);
  const long double most = 1 + 2 * OneNorm(Transposed(reach));
  for (Wide& x : factor.e.at) x += flush * most;
  const EnclosedMatrix again = CholeskyBoundsWithin(a, factor.e);
  if (again.known && again.RadiusOneNorm() < l.RadiusOneNorm()) factor.l = again;
  return factor;
}

// Lemma. Let L' L'^H = A + E, |E| <= e, |L'| <= M and |L'^-1| <= C. Let g and Y be as in
// SolveBounds, and Y* the Y of L'^H. Let y be the engine's first solution and x its
// second, with residuals r_1 <= g (I + M Y)(|b| + M|y|) and r_2 <= g (I + M^T Y*)(|y| + M^T|x|).
// Then |y| <= M^T|x| + r_2 <= N|x| for a fixed point N = M^T + g (I + M^T Y*)(M^T + N). From (A +
// E) x = b - r_1 - L' r_2, the distance z from A^-1 b satisfies
//   z <= |A^-1| [ s + g (I + M Y)(|b| + s + M N|x|) + g M (I + M^T Y*)(N + M^T)|x| + e|x| ],
// where |x| <= |A^-1 b| + z and s is the uncertainty of b.
EnclosedMatrix FactoredSolveBounds(const FactorBounds& factor, const EnclosedMatrix& b,
                                   long double u, long double underflow) {
  EnclosedMatrix result;
  const WideMatrix& l = factor.l.middle;
  const int64_t n = l.rows;
  const long double g = 4 * static_cast<long double>(n + 1) * u;
  const WideMatrix zero = WideMatrix::Zero(n, n), one = WideMatrix::Identity(n, n);
  const WideMatrix reach = Plus(AbsoluteValues(l), Radii(factor.l)), turned = Transposed(reach);
  WideMatrix grown, inverted, inverted_turned, of_y;
  if (!GrownInverses(factor.l, reach, g, grown, inverted)) return result;
  const WideMatrix grown_turned = Transposed(grown);
  if (!FixedPoint(Plus(zero, Product(grown_turned, turned), g), grown_turned, inverted_turned))
    return result;
  const WideMatrix blocks = Plus(one, Product(reach, inverted));
  const WideMatrix blocks_turned = Plus(one, Product(turned, inverted_turned));
  const WideMatrix first_y = Plus(turned, Product(blocks_turned, turned), g);
  if (!FixedPoint(Plus(zero, blocks_turned, g), first_y, of_y)) return result;
  WideMatrix from_x = Plus(factor.e, Product(blocks, Product(reach, of_y)), g);
  from_x = Plus(from_x, Product(reach, Product(blocks_turned, Plus(of_y, turned))), g);
  WideMatrix inverse = one;
  SolveTriangular(l, /*lower=*/true, /*unit=*/false, inverse);
  inverse = AbsoluteValues(Product(Transposed(inverse), inverse));
  result.middle = b.middle;
  SolveTriangular(l, /*lower=*/true, /*unit=*/false, result.middle);
  SolveTriangular(ConjugateTransposed(l), /*lower=*/false, /*unit=*/false, result.middle);
  const WideMatrix of_b = Radii(b), x = AbsoluteValues(result.middle);
  WideMatrix rest = Plus(of_b, Product(blocks, Plus(AbsoluteValues(b.middle), of_b)), g);
  rest = Plus(rest, Product(from_x, x));
  const long double size = (1 + OneNorm(reach)) * (1 + OneNorm(turned));
  for (Wide& r : rest.at)
    r += underflow * size * size * (1 + OneNorm(x) + OneNorm(Product(of_y, x)));
  WideMatrix z;
  if (!FixedPoint(Product(inverse, from_x), Product(inverse, rest), z)) return result;
  for (const Wide& off : z.at) result.radius.push_back(off.real() * kLapackSlack + underflow);
  result.known = true;
  return result;
}

void SetElementAround(const Wide& middle, long double radius, const SetContext& context,
                      int64_t element, SetArray& array) {
  const double parts[2] = {static_cast<double>(middle.real()), static_cast<double>(middle.imag())};
  const double off = NextUp(static_cast<double>(radius));
  if (!std::isfinite(off)) return;
  std::vector<AcceptanceSet>& sets = array.mutable_sets();
  for (int c = 0; c < array.components(); ++c) {
    sets[element * array.components() + c] = SetAround(parts[c], off, context);
  }
}

}  // namespace hlocts::reference
