// SPDX-License-Identifier: Apache-2.0
// Computes the sets of cholesky. If the result is an output, a joint predicate judges each matrix.
// For instructions that read the result, each element has a bound if one exists.
#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_format.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/cholesky_bounds.h"
#include "reference/judge/structured/triangular_inverse.h"
#include "spec/ir/instruction.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// Computes from the engine's factor the residual that inverted diagonal blocks add to each row
// (lemma 9). Row i without its last element is the solution x of a system with the rows above it: L
// x = b, where b is the conjugate of row i of A.
class BlockResiduals {
 public:
  // `size` contains the largest magnitude of each element of A.
  BlockResiduals(const Matrix& size, const Matrix& l, double bound)
      : size_(size), l_(l), n_(l.rows - 1), inverse_(n_, Leading(l), /*lower=*/true, bound) {}

  bool bounded() const { return inverse_.bounded(); }
  std::vector<double> OfRow(int64_t i) const {
    std::vector<double> x(n_, 0), b(n_, 0);
    for (int64_t j = 0; j < i; ++j) x[j] = std::abs(l_(i, j)), b[j] = size_(i, j).real();
    const std::vector<double> rows = inverse_.Rows(x);
    for (int64_t j = 0; j < i; ++j) b[j] += rows[j];
    return inverse_.Residual(b);
  }

 private:
  static std::vector<Complex> Leading(const Matrix& l) {
    std::vector<Complex> t;
    for (int64_t i = 0; i + 1 < l.rows; ++i) {
      for (int64_t j = 0; j + 1 < l.rows; ++j) t.push_back(j <= i ? l(i, j) : 0);
    }
    return t;
  }
  const Matrix &size_, &l_;
  int64_t n_;
  TriangularInverse inverse_;
};

// Requires |A - L L^H| <= bound |L| |L^H| + flush (1 + |row of L| + |row of L^H|) + radius of A in
// the triangle that is read. L is the engine's factor, whose small elements may have underflowed.
class CholeskyPredicate : public JointPredicate {
 public:
  // a.free[b]: matrix b has no requirements. breaks[b]: matrix b may have no finite factor; if the
  // engine found one, its residual is checked. Inverted diagonal blocks add to the permitted
  // residual.
  CholeskyPredicate(CholeskyOperand a, const CholeskyBound& bound, std::vector<bool> breaks,
                    std::vector<FactorBounds> factors)
      : factors_(std::move(factors)),
        a_(std::move(a)),
        n_(a_.middle.shape().dimension(-1)),
        bound_(bound.own),
        flush_(bound.flush),
        blocks_(bound.blocks),
        vanishes_(bound.vanishes),
        breaks_(std::move(breaks)) {}
  const FactorBounds* Factor(bool lower, int64_t b) const {
    return a_.lower == lower && factors_[b].l.known ? &factors_[b] : nullptr;
  }
  std::string kind() const override { return "residual"; }
  int slot_count() const override { return 1; }
  bool Reads(int, int64_t index) const override {
    const int64_t row = index / n_ % n_, column = index % n_;
    return a_.lower ? column <= row : row <= column;
  }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = slots[0] != nullptr;
    if (!verdict.checked) return verdict;
    verdict.bits_per_element = std::max(1.0, -std::log2(bound_) - 1);
    for (size_t b = 0; b < breaks_.size(); ++b) {
      if (a_.free[b] || (breaks_[b] && BrokeDown(*slots[0], b))) continue;
      if (!Holds(*slots[0], b, verdict)) return verdict;
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    std::string text =
        absl::StrFormat("\"of\":\"cholesky\",\"bound\":%.17g,\"flush\":%.17g,\"lower\":%s", bound_,
                        flush_, TrueOrFalse(a_.lower));
    if (!FitsInFile(a_.middle)) return text;
    text += absl::StrFormat(",\"block_inverse\":%s", TrueOrFalse(blocks_));
    // Programs that check certificates do not check a matrix that may have no factor.
    std::vector<bool> free = a_.free;
    for (size_t b = 0; b < free.size(); ++b) free[b] = free[b] || breaks_[b];
    absl::StrAppend(&text, FreeJsonMember(free), NumbersMember("matrix", a_.middle));
    if (a_.radius.element_count() > 0) text += NumbersMember("radius", a_.radius);
    return text;
  }

 private:
  bool BrokeDown(const Literal& actual, int64_t b) const {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const Complex x = ElementAt(actual, a_.PlaceOf(b, i, j));
        if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return true;
      }
    }
    return false;
  }
  Matrix FactorOf(const Literal& actual, int64_t b) const {
    Matrix l = Matrix::Zero(n_, n_);
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const Complex x = ElementAt(actual, a_.PlaceOf(b, i, j));
        l(i, j) = a_.lower ? x : std::conj(x);
      }
    }
    return l;
  }
  Matrix SizeOf(const Matrix& a, int64_t b) const {
    Matrix size = a;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) size(i, j) = std::abs(a(i, j)) + a_.RadiusOf(b, i, j);
    }
    return size;
  }
  // Returns true if pivot i is permitted. In a nearly singular matrix the last pivot may be zero.
  // An earlier pivot was a divisor, so it may be zero only if it was small and became zero when it
  // was stored.
  bool IsPivot(const Matrix& l, int64_t i, int64_t b) const {
    const double diagonal = l(i, i).real();
    return diagonal > 0 || (breaks_[b] && diagonal == 0 && (vanishes_ || i + 1 == l.rows));
  }
  bool Holds(const Literal& actual, int64_t b, Verdict& verdict) const {
    const Matrix a = a_.HermitianOf(b), l = FactorOf(actual, b), size = SizeOf(a, b);
    for (int64_t i = 0; i < n_; ++i) {
      if (!IsPivot(l, i, b)) return Refuse(b, i, i, 0, l(i, i).real(), verdict);
    }
    std::optional<BlockResiduals> blocks;
    if (blocks_) blocks.emplace(size, l, bound_);
    if (blocks && !blocks->bounded()) return true;
    for (int64_t i = 0; i < n_; ++i) {
      const std::vector<double> added = blocks ? blocks->OfRow(i) : std::vector<double>();
      for (int64_t j = 0; j <= i; ++j) {
        double more = a_.RadiusOf(b, i, j);
        if (blocks && j < i) more += added[j] + bound_ * size(i, j).real();
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
    const bool finite = std::isfinite(l(i, j).real()) && std::isfinite(l(i, j).imag());
    return (finite && residual <= allowed) || Refuse(b, i, j, allowed, residual, verdict);
  }
  bool Refuse(int64_t b, int64_t i, int64_t j, double allowed, double found,
              Verdict& verdict) const {
    verdict.ok = false;
    verdict.index = a_.PlaceOf(b, i, j);
    verdict.expected = absl::StrFormat("|A - L L^H| at most %g at row %d, column %d, found %g",
                                       allowed, i, j, found);
    return false;
  }
  std::vector<FactorBounds> factors_;
  CholeskyOperand a_;
  int64_t n_;
  double bound_, flush_;
  bool blocks_, vanishes_;
  std::vector<bool> breaks_;
};

}  // namespace

const FactorBounds* FactorBoundsOf(const SetArray& array, bool lower, int64_t b) {
  const auto* joint = dynamic_cast<const CholeskyPredicate*>(array.joint.get());
  if (joint == nullptr) return nullptr;
  if (array.joint_moved != nullptr) {
    if (!(array.joint_moved->shape == array.shape())) return nullptr;
    const std::vector<int64_t>& places = array.joint_moved->places;
    for (size_t i = 0; i < places.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      if (joint->Reads(0, at) && places[i] != at) return nullptr;
    }
  }
  return joint->Factor(lower, b);
}

absl::StatusOr<SetValue> CholeskySets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape& shape, absl::Span<const SetValue> operands) {
  const SetArray& array = operands[0].array;
  const SetContext context =
      interpreter.ContextOf(instruction, array.element_type(), shape.element_type());
  SetArray result = SetArray::Unspecified(shape, WideningCause::kJoint, context.origin);
  // A type without zero or sign cannot represent the differences that occur.
  if (!array.runtime_sizes.empty() || !context.result->has_zero) return SetValue(std::move(result));
  CholeskyOperand operand = CholeskyOperandOf(array, instruction.BoolOr(Attr::kLower, false));
  const CholeskyBound bound = CholeskyBoundOf(context, shape);
  const bool infinities = FormatOf(ComponentType(shape.element_type())).has_infinity();
  std::vector<bool> breaks(operand.free.size(), false);
  std::vector<FactorBounds> factors(operand.free.size());
  bool any = false;
  for (size_t b = 0; b < breaks.size(); ++b) {
    if (operand.free[b]) continue;
    // An engine may or may not break down if the matrix is close to singular.
    const Matrix a = operand.HermitianOf(b);
    bool free = false, broken = false;
    FindBreakdown(a, operand, b, bound, free, broken);
    // Without infinities, a quotient by a zero pivot is finite and the breakdown cannot be seen.
    free = free || (broken && !infinities);
    operand.free[b] = free;
    breaks[b] = broken;
    any = any || !free;
    if (!free && !broken) factors[b] = BoundElements(a, operand, b, bound, context, result);
  }
  if (any) {
    result.joint = std::make_shared<CholeskyPredicate>(std::move(operand), bound, std::move(breaks),
                                                       std::move(factors));
  }
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
