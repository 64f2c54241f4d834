// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/solve_predicate.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlocts::reference {

Complex KnownCoefficient(const Literal& a, const SolveGeometry& g, int64_t b, int64_t i,
                         int64_t j) {
  bool swap = g.transpose != "NO_TRANSPOSE";
  if (!g.left) swap = !swap;  // x op(A) = b is op(A)^T x^T = b^T
  int64_t row = swap ? j : i, column = swap ? i : j;
  if (g.unit && i == j) return 1;
  bool stated = g.lower ? row >= column : row <= column;
  if (!stated) return 0;
  Complex x = ElementAt(a, b * g.n * g.n + row * g.n + column);
  return g.transpose == "ADJOINT" ? std::conj(x) : x;
}

std::vector<Complex> TriangleOf(const Literal& a, const SolveGeometry& g, int64_t b) {
  std::vector<Complex> t(static_cast<size_t>(g.n * g.n));
  for (int64_t i = 0; i < g.n; ++i) {
    for (int64_t j = 0; j < g.n; ++j) t[i * g.n + j] = KnownCoefficient(a, g, b, i, j);
  }
  return t;
}

namespace {

// Adds the residual that flushes and underflows cause in an engine that inverts blocks. An element
// of the inverse, of a sum or of the solution has an error of at most `flush`. Rows of T multiply
// it, and for the inverse also the whole right side or solution: flush (1 + |T|1) (1 + |v|1 +
// |x|1). The inverse then amplifies this sum as it does v.
void AddInverseFlushes(const TriangularInverse& inverse, double flush, double sum_x,
                       std::vector<double>& v, std::vector<double>& flushes) {
  double sum = 1 + sum_x;
  for (double x : v) sum += x;
  flushes = inverse.Rows(std::vector<double>(v.size(), 1));
  for (size_t i = 0; i < v.size(); ++i) {
    flushes[i] = flush * (1 + flushes[i]) * sum;
    v[i] += flushes[i];
  }
}

}  // namespace

std::vector<double> AllowedResiduals(const TriangularInverse& inverse, double bound, double flush,
                                     double sum_x, std::vector<double> v) {
  std::vector<double> flushes;
  AddInverseFlushes(inverse, flush, sum_x, v, flushes);
  std::vector<double> allowed = inverse.Residual(v);
  for (size_t i = 0; i < v.size(); ++i) allowed[i] += bound * v[i] + flushes[i];
  return allowed;
}

namespace {

// Requires |b - T x| <= bound (|T||x| + |b|) + flush (1 + |T|1) in every element, or the same
// without |b|. x is the engine's solution, whose elements may have underflowed only when they were
// stored. If blocks may be inverted, AllowedResiduals gives the bound.
class SolvePredicate : public JointPredicate {
 public:
  SolvePredicate(Literal a, Literal b, SolveGeometry geometry, ResidualBound bound,
                 OpenSystems open, Inverses inverses)
      : a_(std::move(a)),
        b_(std::move(b)),
        geometry_(std::move(geometry)),
        bound_(bound.relative),
        flush_(bound.flush),
        right_side_(bound.right_side),
        free_(std::move(open.free)),
        overflow_(std::move(open.overflow)),
        inverses_(std::move(inverses)) {}
  std::string kind() const override { return "residual"; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = slots[0] != nullptr;
    if (!verdict.checked) return verdict;
    verdict.bits_per_element = std::max(1.0, -std::log2(bound_) - 1);
    const SolveGeometry& g = geometry_;
    for (int64_t b = 0; b < g.batches; ++b) {
      if (free_[b]) continue;
      for (int64_t c = 0; c < g.columns; ++c) {
        if (!Holds(*slots[0], b, c, verdict)) return verdict;
      }
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    std::string text = absl::StrFormat(
        "\"of\":\"triangular_solve\",\"bound\":%.17g,\"flush\":%.17g,\"lower\":%s,\"left\":%s,"
        "\"unit\":%s,\"transpose\":\"%s\",\"right_side\":%s,\"block_inverse\":%s",
        bound_, flush_, TrueOrFalse(geometry_.lower), TrueOrFalse(geometry_.left),
        TrueOrFalse(geometry_.unit), geometry_.transpose, TrueOrFalse(right_side_),
        TrueOrFalse(BlocksMayBeInverted()));
    if (!FitsInFile(a_) || !FitsInFile(b_)) return text;
    return absl::StrCat(text, FreeJsonMember(free_), NumbersMember("matrix", a_),
                        NumbersMember("right", b_));
  }

 private:
  bool BlocksMayBeInverted() const {
    for (const auto& inverse : inverses_) {
      if (inverse) return true;
    }
    return false;
  }
  // Judges one system by its residuals and the magnitude |b| + |T||x| (or |T||x|) of each row.
  bool Holds(const Literal& x, int64_t b, int64_t c, Verdict& verdict) const {
    const SolveGeometry& g = geometry_;
    std::vector<double> residual(g.n), magnitude(g.n), allowed(g.n);
    double sum_x = 0;
    for (int64_t i = 0; i < g.n; ++i) {
      const Complex rhs = ElementAt(b_, UnknownAt(g, b, i, c));
      Complex left = rhs;
      double row = 0;
      magnitude[i] = right_side_ ? std::abs(rhs) : 0;
      for (int64_t j = 0; j < g.n; ++j) {
        const Complex t = KnownCoefficient(a_, g, b, i, j);
        if (t == 0.0) continue;
        const Complex xj = ElementAt(x, UnknownAt(g, b, j, c));
        left -= t * xj;
        magnitude[i] += std::abs(t) * std::abs(xj);
        row += std::abs(t);
      }
      residual[i] = std::abs(left);
      allowed[i] = bound_ * magnitude[i] + flush_ * (1 + row);
      sum_x += std::abs(ElementAt(x, UnknownAt(g, b, i, c)));
    }
    if (overflow_[b] && !std::isfinite(sum_x)) return true;
    if (inverses_[b]) allowed = AllowedResiduals(*inverses_[b], bound_, flush_, sum_x, magnitude);
    for (int64_t i = 0; i < g.n; ++i) {
      if (residual[i] <= allowed[i] && std::isfinite(residual[i])) continue;
      verdict.ok = false;
      verdict.index = UnknownAt(g, b, i, c);
      verdict.expected = absl::StrFormat("|b - T x| at most %g in row %d, column %d, found %g",
                                         allowed[i], i, c, residual[i]);
      return false;
    }
    return true;
  }
  Literal a_, b_;
  SolveGeometry geometry_;
  double bound_, flush_;
  bool right_side_;
  std::vector<bool> free_, overflow_;
  Inverses inverses_;  // one per batch; null if blocks are not inverted
};

}  // namespace

std::shared_ptr<const JointPredicate> MakeSolvePredicate(Literal a, Literal b, SolveGeometry g,
                                                         ResidualBound bound, OpenSystems open,
                                                         Inverses inverses) {
  return std::make_shared<SolvePredicate>(std::move(a), std::move(b), std::move(g), bound,
                                          std::move(open), std::move(inverses));
}

}  // namespace hlocts::reference
