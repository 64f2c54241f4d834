// SPDX-License-Identifier: Apache-2.0
// cholesky: a joint predicate over each matrix where the result is an output, and a bound per
// element (where there is one) for what consumes it.
#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_format.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/triangular_inverse.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// A square matrix of complex doubles.
struct Matrix {
  int64_t n = 0;
  std::vector<Complex> at;
  Complex& operator()(int64_t i, int64_t j) { return at[i * n + j]; }
  const Complex& operator()(int64_t i, int64_t j) const { return at[i * n + j]; }
};
Matrix Zero(int64_t n) { return {n, std::vector<Complex>(n * n)}; }

// The stated triangle of batch `b`, mirrored to the other side as the Hermitian matrix it stands
// for.
Matrix HermitianOf(const Literal& a, int64_t b, int64_t n, bool lower) {
  Matrix m = Zero(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex x = lower ? ElementAt(a, b * n * n + i * n + j)
                        : std::conj(ElementAt(a, b * n * n + j * n + i));
      if (i == j) x = x.real();
      m(i, j) = x;
      m(j, i) = std::conj(x);
    }
  }
  return m;
}

// A diagonal with imaginary parts is no Hermitian matrix's (cholesky.14, ruling 0031).
bool RealDiagonal(const Literal& a, int64_t b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (ElementAt(a, b * n * n + i * n + i).imag() != 0) return false;
  }
  return true;
}

// Lower factor; false when a pivot is not positive, or may be flushed to zero: below `least`.
bool Factor(const Matrix& a, double least, Matrix& l) {
  l = Zero(a.n);
  for (int64_t j = 0; j < a.n; ++j) {
    double pivot = a(j, j).real();
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(l(j, k));
    if (!(pivot > 0) || pivot < least || std::isinf(pivot)) return false;
    l(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < a.n; ++i) {
      Complex x = a(i, j);
      for (int64_t k = 0; k < j; ++k) x -= l(i, k) * std::conj(l(j, k));
      l(i, j) = x / l(j, j);
    }
  }
  return true;
}

// A lower bound of the least eigenvalue of the matrix scaled to unit diagonal: 1/||L^-1||_2^2, by
// the smaller of two bounds of that norm, Frobenius' and the root of the largest column and row
// sums'.
double LeastEigenvalueBound(const Matrix& a) {
  Matrix h = a, l;
  for (int64_t i = 0; i < a.n; ++i) {
    for (int64_t j = 0; j < a.n; ++j) {
      h(i, j) /= std::sqrt(a(i, i).real()) * std::sqrt(a(j, j).real());
    }
  }
  if (!Factor(h, 0, l)) return 0;
  double squares = 0, column_max = 0;
  std::vector<double> row_sums(a.n);
  for (int64_t c = 0; c < a.n; ++c) {
    double column = 0;
    std::vector<Complex> x(a.n);
    for (int64_t i = c; i < a.n; ++i) {
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
  const double row_max = a.n == 0 ? 0 : *std::max_element(row_sums.begin(), row_sums.end());
  return 1 / std::min(squares, column_max * row_max);
}

// What inverted diagonal blocks add to the residual of each row (RULES 9), from the engine's own
// factor. Row i without its last element is what a solve with the rows before it gives: L x = b, b
// the conjugate row of A.
class BlockResiduals {
 public:
  BlockResiduals(const Matrix& a, const Matrix& l, double bound)
      : a_(a), l_(l), n_(l.n - 1), inverse_(n_, Leading(l), /*lower=*/true, bound) {}

  bool bounded() const { return inverse_.bounded(); }
  std::vector<double> OfRow(int64_t i) const {
    std::vector<double> x(n_, 0), b(n_, 0);
    for (int64_t j = 0; j < i; ++j) x[j] = std::abs(l_(i, j)), b[j] = std::abs(a_(i, j));
    const std::vector<double> rows = inverse_.Rows(x);
    for (int64_t j = 0; j < i; ++j) b[j] += rows[j];
    return inverse_.Residual(b);
  }

 private:
  static std::vector<Complex> Leading(const Matrix& l) {
    std::vector<Complex> t;
    for (int64_t i = 0; i + 1 < l.n; ++i) {
      for (int64_t j = 0; j + 1 < l.n; ++j) t.push_back(j <= i ? l(i, j) : 0);
    }
    return t;
  }
  const Matrix &a_, &l_;
  int64_t n_;
  TriangularInverse inverse_;
};

// |A - L L^H| <= bound |L| |L^H| + flush (1 + |row of L| + |row of L^H|) in every element of the
// stated triangle, from the engine's own L: its small elements may have underflowed.
class CholeskyPredicate : public JointPredicate {
 public:
  // free[b]: nothing is asked of matrix b; breaks[b]: it may have no finite factor, but if it has
  // one, then with that residual, and with what inverted blocks add if there may be such.
  CholeskyPredicate(Literal a, bool lower, double bound, double flush, bool blocks,
                    std::vector<bool> free, std::vector<bool> breaks)
      : a_(std::move(a)),
        lower_(lower),
        bound_(bound),
        flush_(flush),
        blocks_(blocks),
        free_(std::move(free)),
        breaks_(std::move(breaks)) {}
  std::string kind() const override { return "residual"; }
  int slot_count() const override { return 1; }
  // The stated triangle.
  bool Reads(int, int64_t index) const override {
    const int64_t n = a_.shape().dimension(-1), row = index / n % n, column = index % n;
    return lower_ ? column <= row : row <= column;
  }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = slots[0] != nullptr;
    if (!verdict.checked) return verdict;
    verdict.bits_per_element = std::max(1.0, -std::log2(bound_) - 1);
    int64_t n = a_.shape().dimension(-1);
    int64_t batches = n == 0 ? 0 : a_.element_count() / (n * n);
    for (int64_t b = 0; b < batches; ++b) {
      if (free_[b] || (breaks_[b] && BrokeDown(*slots[0], b, n))) continue;
      if (!Holds(*slots[0], b, n, verdict)) return verdict;
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    std::string text =
        absl::StrFormat("\"of\":\"cholesky\",\"bound\":%.17g,\"flush\":%.17g,\"lower\":%s", bound_,
                        flush_, TrueOrFalse(lower_));
    if (!FitsInFile(a_)) return text;
    // A judge without this program asks nothing of a matrix that may have no factor.
    std::vector<bool> free = free_;
    for (size_t b = 0; b < free.size(); ++b) free[b] = free[b] || breaks_[b];
    return absl::StrCat(text, FreeMember(free), NumbersMember("matrix", a_));
  }

 private:
  bool BrokeDown(const Literal& actual, int64_t b, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const Complex x = ElementAt(actual, b * n * n + (lower_ ? i * n + j : j * n + i));
        if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return true;
      }
    }
    return false;
  }
  Matrix FactorOf(const Literal& actual, int64_t b, int64_t n) const {
    Matrix l = Zero(n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        l(i, j) = lower_ ? ElementAt(actual, b * n * n + i * n + j)
                         : std::conj(ElementAt(actual, b * n * n + j * n + i));
      }
    }
    return l;
  }
  // A pivot of zero before the last one would have been divided by; the last one may be zero near
  // to singular.
  bool IsPivot(const Matrix& l, int64_t i, int64_t b) const {
    const double diagonal = l(i, i).real();
    return diagonal > 0 || (breaks_[b] && i + 1 == l.n && diagonal == 0);
  }
  bool Holds(const Literal& actual, int64_t b, int64_t n, Verdict& verdict) const {
    const Matrix a = HermitianOf(a_, b, n, lower_), l = FactorOf(actual, b, n);
    for (int64_t i = 0; i < n; ++i) {
      if (!IsPivot(l, i, b)) return Refuse(b, i, i, 0, l(i, i).real(), n, verdict);
    }
    std::optional<BlockResiduals> blocks;
    if (blocks_ && breaks_[b]) blocks.emplace(a, l, bound_);
    if (blocks && !blocks->bounded()) return true;
    for (int64_t i = 0; i < n; ++i) {
      const std::vector<double> added = blocks ? blocks->OfRow(i) : std::vector<double>();
      for (int64_t j = 0; j <= i; ++j) {
        const double more = blocks && j < i ? added[j] + bound_ * std::abs(a(i, j)) : 0;
        if (!RowHolds(a, l, i, j, more, b, verdict)) return false;
      }
    }
    return true;
  }
  bool RowHolds(const Matrix& a, const Matrix& l, int64_t i, int64_t j, double more, int64_t b,
                Verdict& verdict) const {
    Complex product = 0;
    double magnitude = 0, rows = 0;
    for (int64_t k = 0; k <= j; ++k) {
      product += l(i, k) * std::conj(l(j, k));
      rows += std::abs(l(i, k)) + std::abs(l(j, k));
      magnitude += std::abs(l(i, k)) * std::abs(l(j, k));
    }
    const double residual = std::abs(a(i, j) - product);
    const double allowed = bound_ * magnitude + more + flush_ * (1 + rows);
    return residual <= allowed || Refuse(b, i, j, allowed, residual, a.n, verdict);
  }
  bool Refuse(int64_t b, int64_t i, int64_t j, double allowed, double found, int64_t n,
              Verdict& verdict) const {
    verdict.ok = false;
    verdict.index = b * n * n + (lower_ ? i * n + j : j * n + i);
    verdict.expected = absl::StrFormat("|A - L L^H| at most %g at row %d, column %d, found %g",
                                       allowed, i, j, found);
    return false;
  }
  Literal a_;
  bool lower_;
  double bound_, flush_;
  bool blocks_;
  std::vector<bool> free_, breaks_;
};

// Of the stated triangle: what stands in the other one is not read (cholesky.9).
bool AllFinite(const Matrix& a) {
  for (int64_t i = 0; i < a.n; ++i) {
    for (int64_t j = 0; j < a.n; ++j) {
      if (!std::isfinite(a(i, j).real()) || !std::isfinite(a(i, j).imag())) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<SetValue> CholeskySets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape& shape, absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  SetContext context =
      interpreter.ContextOf(instruction, operand.element_type(), shape.element_type());
  SetArray result = SetArray::Unspecified(shape, WideningCause::kJoint, context.origin);
  if (!operand.exact() || !operand.runtime_sizes.empty()) return SetValue(std::move(result));
  bool lower = instruction.BoolOr(Attr::kLower, false);
  int64_t n = shape.dimension(-1), batches = n == 0 ? 0 : shape.ElementCount() / (n * n);
  double u = UnitOf(shape.element_type()) * (IsComplex(shape.element_type()) ? 3 : 1);
  double gamma = static_cast<double>(n + 1) * u;
  const bool flushes = context.rule.Allows(kFlushOperand) || context.rule.Allows(kFlushResult);
  const double least = flushes ? context.result->min_normal : 0;
  std::vector<bool> free(batches, false), breaks(batches, false);
  const bool blocks = context.rule.Allows(kBlockInverse) || context.rule.ulps > 1;
  const double relative = context.rule.ulps * gamma;
  for (int64_t b = 0; b < batches; ++b) {
    Matrix a = HermitianOf(operand.literal(), b, n, lower), l;
    // Close to singular an engine may break down, or not (RULES 9).
    // Without zero and sign no type has what is left of a difference.
    free[b] = !context.result->has_zero || !AllFinite(a) ||
              !RealDiagonal(operand.literal(), b, n) || !Factor(a, least, l);
    breaks[b] = !free[b] && (relative > 0.75 ||
                             LeastEigenvalueBound(a) <= 4 * static_cast<double>(n) * relative);
  }
  double bound = relative + static_cast<double>(n + 2) * 0x1p-52;
  double flush = 4 * static_cast<double>(n + 1) * context.result->min_normal;
  bool any = false;
  for (bool f : free) any = any || !f;
  if (any) {
    result.joint = std::make_shared<CholeskyPredicate>(operand.literal(), lower, bound, flush,
                                                       blocks, free, breaks);
  }
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
