// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/lapack_predicates.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "reference/lapack/factorizations.h"

namespace hlocts::reference {
namespace {

// A requirement that a number `found` is at most a number `allowed`, with its description.
struct Demand {
  const char* what;
  int slot;
  long double found, allowed;
};
using DemandList = std::vector<Demand>;

// The factor by which a residual in the balanced matrix may grow if an engine stops one power of
// two sooner or later at each end of the scales. The ratio of the largest scale to the least grows
// by a factor of 4, and so does the norm.
constexpr long double kBalancingRatio = 16;

long double DepartureFromUnitary(const WideMatrix& q) {
  const WideMatrix product = Product(ConjugateTransposed(q), q);
  return OneNorm(Difference(product, WideMatrix::Identity(q.columns, q.columns)));
}

// Returns the largest excess of an element over the next one; negative if the row is sorted.
long double OutOfOrder(const WideMatrix& row, int sign) {
  long double most = -1;
  for (int64_t i = 0; i + 1 < row.columns; ++i) {
    most = std::max(most, sign * (row(0, i).real() - row(0, i + 1).real()));
  }
  return most;
}

WideMatrix ScaledColumns(WideMatrix a, const WideMatrix& row) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) a(i, j) *= j < row.columns ? row(0, j) : Wide(0);
  }
  return a;
}

class LapackResiduals : public JointPredicate {
 public:
  LapackResiduals(const LapackCall& call, int slots, double eps, double flush,
                  std::vector<LapackBatch> batches)
      : call_(call), slots_(slots), eps_(eps), flush_(flush), batches_(std::move(batches)) {}

  std::string kind() const override { return "residual"; }
  int slot_count() const override { return IsQr() ? kQrTriangleSlot + 1 : slots_; }
  bool IsQr() const { return call_.routine == LapackRoutine::kQr; }
  bool Reads(int slot, int64_t index) const override {
    if (slot != kQrTriangleSlot || !IsQr()) return true;
    const WideMatrix& a = batches_[0].operands[0];
    return index / a.columns % a.rows <= index % a.columns;
  }
  int SlotOfPart(int slot) const override { return IsQr() && slot == 0 ? kQrTriangleSlot : -1; }

  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = true;
    for (int slot : Needed(slots)) verdict.checked = verdict.checked && slots[slot] != nullptr;
    if (!verdict.checked) return verdict;
    const LapackBatch* some = nullptr;
    for (size_t b = 0; b < batches_.size() && verdict.ok; ++b) {
      if (batches_[b].free) continue;
      some = &batches_[b];
      CheckBatch(batches_[b], Given(slots, static_cast<int64_t>(b)), static_cast<int64_t>(b), slots,
                 verdict);
    }
    if (some != nullptr) {
      const WideMatrix& a = some->operands[0];
      verdict.bits_per_element =
          std::max(1.0, -std::log2(LapackTolerance(a.rows, a.columns, eps_)));
    }
    return verdict;
  }

  std::string ParametersJson() const override {
    static constexpr const char* kOf[] = {"cholesky",
                                          "lu",
                                          "triangular_solve",
                                          "qr",
                                          "qr_product",
                                          "hermitian_eigen",
                                          "singular_values",
                                          "pivoted_qr",
                                          "qr_apply",
                                          "hessenberg",
                                          "tridiagonal",
                                          "tridiagonal_solve",
                                          "schur",
                                          "eigen"};
    return absl::StrFormat("\"of\":\"lapack_%s\",\"ratio\":%g,\"eps\":%.17g,\"flush\":%.17g",
                           kOf[static_cast<int>(call_.routine)], kLapackRatio, eps_, flush_);
  }

 private:
  std::vector<int> Needed(absl::Span<const Literal* const> slots) const {
    switch (call_.routine) {
      case LapackRoutine::kCholesky:
      case LapackRoutine::kTriangularSolve:
      case LapackRoutine::kQrProduct:
      case LapackRoutine::kQrApply:
        return {0};
      case LapackRoutine::kQr:
        if (slots[kQrProductSlot] != nullptr)
          return {kQrProductSlot, slots[0] != nullptr ? 0 : kQrTriangleSlot};
        return {0, 1};
      case LapackRoutine::kLu:
      case LapackRoutine::kHermitianEigen:
        return {0, 1};
      case LapackRoutine::kSingularValues:
        return {1, 2, 3};
      case LapackRoutine::kHessenberg:
        return {0, 1};
      case LapackRoutine::kPivotedQr:
        return {0, 1, 2};
      case LapackRoutine::kTridiagonal:
        return {0, 1, 2, 3};
      case LapackRoutine::kTridiagonalSolve:
        return {3};
      case LapackRoutine::kSchur:
        return call_.job == 'N' ? std::vector<int>{0} : std::vector<int>{0, 1};
      case LapackRoutine::kEigen: {
        std::vector<int> needed = {0};
        const int left = call_.complex ? 1 : 2;
        if (!call_.complex) needed.push_back(1);
        if (call_.left_vectors) needed.push_back(left);
        if (call_.job == 'V') needed.push_back(left + 1);
        return needed;
      }
    }
    return {};
  }

  std::vector<WideMatrix> Given(absl::Span<const Literal* const> slots, int64_t b) const {
    std::vector<WideMatrix> given(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      const Literal* leaf = slots[i];
      if (leaf == nullptr) continue;
      const int64_t count = leaf->element_count() / static_cast<int64_t>(batches_.size());
      const int64_t columns = leaf->shape().rank() == 0 ? 1 : leaf->shape().dimension(-1);
      if (leaf->element_type() != PrimitiveType::kS32) {
        given[i] = MatrixOf(*leaf, b * count, columns == 0 ? 0 : count / columns, columns);
        continue;
      }
      given[i] = WideMatrix::Zero(1, count);
      for (int64_t k = 0; k < count; ++k) {
        given[i](0, k) = static_cast<long double>(leaf->data<int32_t>()[b * count + k]);
      }
    }
    return given;
  }

  void CheckBatch(const LapackBatch& batch, const std::vector<WideMatrix>& given, int64_t b,
                  absl::Span<const Literal* const> slots, Verdict& verdict) const {
    for (const Demand& demand : DemandsOn(batch, given)) {
      if (demand.found <= demand.allowed) continue;  // false for a NaN
      verdict.ok = false;
      verdict.slot = demand.slot;
      verdict.index =
          b * (slots[demand.slot]->element_count() / static_cast<int64_t>(batches_.size()));
      verdict.expected = absl::StrFormat("%s at most %g in matrix %d, found %g", demand.what,
                                         static_cast<double>(demand.allowed), b,
                                         static_cast<double>(demand.found));
      return;
    }
  }

  DemandList DemandsOn(const LapackBatch& batch, const std::vector<WideMatrix>& given) const {
    const WideMatrix& a = batch.operands[0];
    switch (call_.routine) {
      case LapackRoutine::kCholesky:
        return OnCholesky(batch, a, given[0]);
      case LapackRoutine::kLu:
        return OnLu(batch, a, given[0], given[1]);
      case LapackRoutine::kTriangularSolve:
        return {};  // each element has its own bound
      case LapackRoutine::kQr:
        if (!given[kQrProductSlot].at.empty()) {
          const WideMatrix& packed = given[given[0].at.empty() ? kQrTriangleSlot : 0];
          return OnQrFactors(batch, a, given[kQrProductSlot], packed);
        }
        return OnQr(batch, a, given[0], given[1]);
      case LapackRoutine::kQrProduct:
        return {{"|Q - H_1 ... H_k|", 0,
                 OneNorm(Difference(
                     given[0], ProductOfReflectors(a, batch.operands[1].at, given[0].columns))),
                 Tolerance(a)}};
      case LapackRoutine::kHermitianEigen:
        return OnEigen(batch, HermitianFrom(a, call_.lower), given[0], given[1]);
      case LapackRoutine::kQrApply:
        return OnQrApply(batch, a, given[0]);
      case LapackRoutine::kPivotedQr:
        return OnPivotedQr(batch, a, given[0], given[1], given[2]);
      case LapackRoutine::kHessenberg:
        return OnHessenberg(batch, a, given[0], HessenbergOf(given[0]), given[1]);
      case LapackRoutine::kTridiagonal:
        return OnTridiagonal(batch, HermitianFrom(a, call_.lower), given);
      case LapackRoutine::kTridiagonalSolve:
        return OnTridiagonalSolve(batch, given[3]);
      case LapackRoutine::kSchur:
        return OnSchur(batch, a, given);
      case LapackRoutine::kEigen:
        return OnGeneralEigen(batch, a, given);
      case LapackRoutine::kSingularValues:
        return OnSingular(batch, a, given[1], given[2], given[3]);
    }
    return {};
  }

  long double Tolerance(const WideMatrix& a) const {
    return LapackTolerance(a.rows, a.columns, eps_);
  }
  // Returns the permitted residual: the tolerance for the engine's operand, the operand's
  // uncertainty batch.off times the norm `beside` of the other factor, and underflow.
  long double Allowed(const LapackBatch& batch, const WideMatrix& a, long double size,
                      long double beside = 1) const {
    const long double most = size + batch.off;
    return Tolerance(a) * most + batch.off * beside +
           flush_ * static_cast<long double>(a.rows) * (1 + most);
  }

  DemandList OnCholesky(const LapackBatch& batch, const WideMatrix& stated,
                        const WideMatrix& found) const {
    const WideMatrix a = HermitianFrom(stated, call_.lower);
    const WideMatrix t = TriangleFrom(found, call_.lower, /*unit=*/false, a.rows, a.rows);
    const WideMatrix l = call_.lower ? t : ConjugateTransposed(t);
    const WideMatrix rest = Difference(a, Product(l, ConjugateTransposed(l)));
    return {{"|A - L L^H|", 0, OneNorm(rest), Allowed(batch, a, OneNorm(a))}};
  }

  DemandList OnLu(const LapackBatch& batch, WideMatrix a, const WideMatrix& lu,
                  const WideMatrix& pivots) const {
    const int64_t k = std::min(a.rows, a.columns);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t row = static_cast<int64_t>(pivots(0, i).real()) - 1;
      if (row < i || row >= a.rows) {
        return {{"the number of pivot rows outside the remaining ones", 1, 1, 0}};
      }
      for (int64_t j = 0; j < a.columns; ++j) std::swap(a(i, j), a(row, j));
    }
    const WideMatrix l = TriangleFrom(lu, /*lower=*/true, /*unit=*/true, a.rows, k);
    const WideMatrix u = TriangleFrom(lu, /*lower=*/false, /*unit=*/false, k, a.columns);
    long double most = 0;
    for (const Wide& x : l.at) most = std::max(most, std::abs(x));
    const long double size =
        std::max(OneNorm(a), OneNorm(Product(AbsoluteValues(l), AbsoluteValues(u))));
    // A multiplier is a quotient by the element of its column with the largest |re| + |im|, so its
    // magnitude is at most the square root of two. The multipliers in the stored factor may differ
    // by the residual from those that the engine compared.
    return {{"|P A - L U|", 0, OneNorm(Difference(a, Product(l, u))), Allowed(batch, a, size)},
            {"the largest multiplier", 0, most, std::sqrt(2.0L) * (1 + Tolerance(a))}};
  }

  DemandList OnQr(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& packed,
                  const WideMatrix& tau) const {
    const WideMatrix q = ProductOfReflectors(packed, tau.at, a.rows);
    const WideMatrix r = TriangleFrom(packed, /*lower=*/false, /*unit=*/false, a.rows, a.columns);
    return {{"|Q^H Q - I|", 1, DepartureFromUnitary(q), Tolerance(a)},
            {"|A - Q R|", 0, OneNorm(Difference(a, Product(q, r))), Allowed(batch, a, OneNorm(a))}};
  }

  // Q is within the tolerance of some Q1 that satisfies OnQr with R. With E = Q - Q1, Q^H Q differs
  // from Q1^H Q1 by Q^H E + E^H Q - E^H E, and Q R from Q1 R by E R (lemma 42).
  DemandList OnQrFactors(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& q,
                         const WideMatrix& packed) const {
    const int64_t k = std::min(a.rows, a.columns);
    const WideMatrix r = TriangleFrom(packed, /*lower=*/false, /*unit=*/false, k, a.columns);
    WideMatrix first = WideMatrix::Zero(a.rows, k);
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t j = 0; j < k; ++j) first(i, j) = q(i, j);
    }
    const long double e = Tolerance(a), of_rows = e * static_cast<long double>(q.columns);
    const long double off = e + OneNorm(ConjugateTransposed(q)) * e + of_rows * (OneNorm(q) + e);
    const WideMatrix rest = Difference(a, Product(first, r));
    return {{"|Q^H Q - I|", kQrProductSlot, DepartureFromUnitary(q), off},
            {"|A - Q R|", kQrProductSlot, OneNorm(rest),
             Allowed(batch, a, OneNorm(a)) + e * OneNorm(r)}};
  }

  DemandList OnEigen(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& v,
                     const WideMatrix& values) const {
    DemandList demands = {{"a value's excess over the one after", 1, OutOfOrder(values, 1), 0}};
    if (call_.job == 'N') return demands;
    const WideMatrix rest = Difference(Product(a, v), ScaledColumns(v, values));
    demands.push_back({"|V^H V - I|", 0, DepartureFromUnitary(v), Tolerance(a)});
    demands.push_back({"|A V - V W|", 0, OneNorm(rest), Allowed(batch, a, OneNorm(a), OneNorm(v))});
    return demands;
  }

  DemandList OnSingular(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& values,
                        const WideMatrix& u, const WideMatrix& vh) const {
    long double least = 0;
    for (const Wide& x : values.at) least = std::min(least, x.real());
    DemandList demands = {{"a value's excess over the one before", 1, OutOfOrder(values, -1), 0},
                          {"the size of a negative value", 1, -least, 0}};
    if (call_.job == 'N') return demands;
    const int64_t k = values.columns;
    WideMatrix left = WideMatrix::Zero(a.rows, k), right = WideMatrix::Zero(k, a.columns);
    for (int64_t j = 0; j < k; ++j) {
      for (int64_t i = 0; i < a.rows; ++i) left(i, j) = u(i, j);
      for (int64_t i = 0; i < a.columns; ++i) right(j, i) = vh(j, i);
    }
    const WideMatrix product = Product(ScaledColumns(left, values), right);
    demands.push_back({"|U^H U - I|", 2, DepartureFromUnitary(u), Tolerance(a)});
    demands.push_back(
        {"|V^H V - I|", 3, DepartureFromUnitary(ConjugateTransposed(vh)), Tolerance(a)});
    demands.push_back(
        {"|A - U S V^H|", 2, OneNorm(Difference(a, product)), Allowed(batch, a, OneNorm(a))});
    return demands;
  }

  DemandList OnQrApply(const LapackBatch& batch, const WideMatrix& a,
                       const WideMatrix& found) const {
    const WideMatrix& c = batch.operands[2];
    const WideMatrix rest = Difference(found, ApplyQ(call_, a, batch.operands[1], c));
    // Q acts on the columns of C, or on the rows.
    return {{"|op(Q) C - result|", 0, OneNorm(call_.left ? rest : ConjugateTransposed(rest)),
             Allowed(batch, a, OneNorm(call_.left ? c : ConjugateTransposed(c)))}};
  }

  // The pivot column is the longest of the remaining columns. LAPACK updates the lengths as long as
  // they exceed the square root of eps times their first value (LAPACK Working Note 176).
  DemandList OnPivotedQr(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& packed,
                         const WideMatrix& pivots, const WideMatrix& tau) const {
    WideMatrix permuted = a;
    std::vector<bool> seen(a.columns, false);
    for (int64_t j = 0; j < a.columns; ++j) {
      const int64_t from = static_cast<int64_t>(pivots(0, j).real()) - 1;
      if (from < 0 || from >= a.columns || seen[from]) {
        return {{"the number of columns outside the remaining ones", 1, 1, 0}};
      }
      seen[from] = true;
      for (int64_t i = 0; i < a.rows; ++i) permuted(i, j) = a(i, from);
    }
    const WideMatrix r = TriangleFrom(packed, /*lower=*/false, /*unit=*/false, a.rows, a.columns);
    long double most = 0;
    for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
      for (int64_t j = k + 1; j < a.columns; ++j) {
        long double squares = 0;
        for (int64_t i = k; i <= std::min(j, a.rows - 1); ++i) squares += std::norm(r(i, j));
        most = std::max(most, std::sqrt(squares) - std::abs(r(k, k)));
      }
    }
    DemandList demands = OnQr(batch, permuted, packed, tau);
    demands[0].slot = 2;
    demands.push_back({"the excess of a column over the pivot before", 1, most,
                       (LapackTolerance(a.rows, a.columns, std::sqrt(eps_)) + Tolerance(a)) *
                           (OneNorm(a) + batch.off)});
    return demands;
  }

  static WideMatrix HessenbergOf(WideMatrix a) {
    for (int64_t i = 2; i < a.rows; ++i) {
      for (int64_t j = 0; j + 1 < i; ++j) a(i, j) = 0;
    }
    return a;
  }

  DemandList OnHessenberg(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& packed,
                          const WideMatrix& h, const WideMatrix& tau) const {
    return OnSimilarity(batch, a, h, HessenbergVectors(packed, tau.at), "|A - Q H Q^H|", 1);
  }

  DemandList OnSimilarity(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& t,
                          const WideMatrix& q, const char* residual, int slot_of_q) const {
    const WideMatrix rest = Difference(a, Product(Product(q, t), ConjugateTransposed(q)));
    return {{"|Q^H Q - I|", slot_of_q, DepartureFromUnitary(q), Tolerance(a)},
            {residual, 0, OneNorm(rest), Allowed(batch, a, OneNorm(a))}};
  }

  DemandList OnTridiagonal(const LapackBatch& batch, WideMatrix a,
                           std::vector<WideMatrix> given) const {
    if (!call_.lower) {
      a = Reversed(a);
      for (WideMatrix& x : given) x = Reversed(x);
    }
    WideMatrix beside = WideMatrix::Zero(1, a.rows);
    std::copy(given[2].at.begin(), given[2].at.end(), beside.at.begin() + 1);
    WideMatrix above = beside;
    std::rotate(above.at.begin(), above.at.begin() + 1, above.at.end());
    DemandList demands =
        OnHessenberg(batch, a, given[0], TridiagonalMatrix(beside, given[1], above), given[3]);
    demands[0].slot = 3, demands[1].slot = 1;
    WideMatrix apart = WideMatrix::Zero(1, 2 * a.rows);  // the overwritten A contains T as well
    for (int64_t i = 0; i < a.rows; ++i) {
      apart(0, i) = given[0](i, i) - given[1](0, i);
      if (i > 0) apart(0, a.rows + i) = given[0](i, i - 1) - beside(0, i);
    }
    demands.push_back({"the distance of the diagonals of A and T", 0, OneNorm(apart),
                       Allowed(batch, a, OneNorm(a))});
    return demands;
  }

  DemandList OnTridiagonalSolve(const LapackBatch& batch, const WideMatrix& x) const {
    const std::vector<WideMatrix>& of = batch.operands;
    const WideMatrix a = TridiagonalMatrix(of[0], of[1], of[2]);
    DemandList demands;
    for (int64_t j = 0; j < x.columns; ++j) {
      WideMatrix b = WideMatrix::Zero(a.rows, 1), column = b;
      for (int64_t i = 0; i < a.rows; ++i) b(i, 0) = of[3](i, j), column(i, 0) = x(i, j);
      demands.push_back({"|B - A X| of a column", 3, OneNorm(Difference(b, Product(a, column))),
                         Allowed(batch, a, OneNorm(a) * OneNorm(column))});
    }
    return demands;
  }

  // Requires zeros below the diagonal blocks, and nearly equal diagonal elements of each block.
  DemandList OnSchurForm(const LapackBatch& batch, const WideMatrix& a, const WideMatrix& t) const {
    long double below = 0, apart = 0;
    for (int64_t j = 0; j < t.rows; ++j) {
      for (int64_t i = j + 2; i < t.rows; ++i) below = std::max(below, std::abs(t(i, j)));
      if (j + 1 == t.rows || t(j + 1, j) == Wide(0)) continue;
      const bool block = !call_.complex && (j == 0 || t(j, j - 1) == Wide(0)) &&
                         t(j, j + 1).real() * t(j + 1, j).real() < 0;
      if (!block) below = std::max(below, std::abs(t(j + 1, j)));
      if (block) apart = std::max(apart, std::abs(t(j, j) - t(j + 1, j + 1)));
    }
    return {{"an element below the blocks of the diagonal", 0, below, 0},
            {"the difference of a block's diagonal", 0, apart, Allowed(batch, a, OneNorm(a))}};
  }

  DemandList OnSchur(const LapackBatch& batch, const WideMatrix& a,
                     const std::vector<WideMatrix>& given) const {
    const WideMatrix& t = given[0];
    DemandList demands = OnSchurForm(batch, a, t);
    for (int part = 0; part < (call_.complex ? 1 : 2); ++part) {
      const int slot = 2 + part;
      if (given[slot].at.empty()) continue;  // this slot is not an output
      WideMatrix expected = DiagonalEigenvalues(t);
      for (Wide& x : expected.at) x = call_.complex ? x : part == 0 ? x.real() : x.imag();
      demands.push_back({"the distance of an eigenvalue from that of T's diagonal", slot,
                         OneNorm(Difference(expected, given[slot])),
                         Allowed(batch, a, OneNorm(a))});
    }
    if (call_.job == 'N') {
      demands.push_back(
          {"| |A| - |T| | in Frobenius' norm", 0, std::abs(FrobeniusNorm(a) - FrobeniusNorm(t)),
           std::sqrt(static_cast<long double>(a.rows)) * Allowed(batch, a, OneNorm(a))});
      return demands;
    }
    const DemandList rest = OnSimilarity(batch, a, t, given[1], "|A - Z T Z^H|", 1);
    demands.insert(demands.end(), rest.begin(), rest.end());
    return demands;
  }

  static long double FrobeniusNorm(const WideMatrix& a) {
    long double squares = 0;
    for (const Wide& x : a.at) squares += std::norm(x);
    return std::sqrt(squares);
  }

  // The matrix D^-1 A D with D = diag(scales), which is similar to A, and the residual permitted
  // for it. The engine computed with A itself, or with A as LAPACK balances it.
  struct Frame {
    WideMatrix a;
    std::vector<long double> scales;
    long double allowed;
  };

  std::vector<Frame> FramesOf(const LapackBatch& batch, const WideMatrix& a) const {
    const long double root = std::sqrt(static_cast<long double>(a.rows));
    Frame balanced = {a, batch.scales, 0};
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t j = 0; j < a.rows; ++j) balanced.a(i, j) *= batch.scales[j] / batch.scales[i];
    }
    LapackBatch there = batch;
    const auto [least, most] = std::minmax_element(batch.scales.begin(), batch.scales.end());
    there.off *= *most / *least;
    balanced.allowed = kBalancingRatio * root * Allowed(there, balanced.a, OneNorm(balanced.a));
    return {{a, std::vector<long double>(a.rows, 1), root * Allowed(batch, a, OneNorm(a))},
            balanced};
  }

  DemandList OnGeneralEigen(const LapackBatch& batch, const WideMatrix& a,
                            const std::vector<WideMatrix>& given) const {
    const int left = call_.complex ? 1 : 2;
    const std::vector<Frame> frames = FramesOf(batch, a);
    WideMatrix values = given[0];
    Wide rest = 0;
    long double unpaired = 0, apart = 0;
    for (int64_t j = 0; j < a.rows; ++j) {
      if (!call_.complex) values(0, j) = {given[0](0, j).real(), given[1](0, j).real()};
      if (!std::isfinite(std::abs(values(0, j)))) return {{"the size of an eigenvalue", 0, NAN, 0}};
      rest += values(0, j) - a(j, j);
      apart = std::max(apart, LeastRatio(frames, [&](const Frame& frame) {
                         WideMatrix shifted = frame.a;
                         for (int64_t i = 0; i < a.rows; ++i) shifted(i, i) -= values(0, j);
                         const WideMatrix inverse = Inverse(shifted);
                         return inverse.at.empty() ? 0 : 1 / FrobeniusNorm(inverse);
                       }));
    }
    for (int64_t j = 0; !call_.complex && j < a.rows; ++j) {
      if (values(0, j).imag() == 0) continue;
      const bool pair = j + 1 < a.rows && values(0, j).imag() > 0;
      const Wide off = pair ? values(0, j + 1) - std::conj(values(0, j)) : values(0, j);
      unpaired = std::max(unpaired, std::abs(off));
      ++j;
    }
    const long double most = std::max(frames[0].allowed, frames[1].allowed);
    DemandList demands = {
        {"the distance of the next eigenvalue from the conjugate", left - 1, unpaired, 0},
        {"the distance of a matrix with that eigenvalue, as a part of the permitted one", 0, apart,
         1},
        {"|sum of eigenvalues - trace|", 0, std::abs(rest),
         static_cast<long double>(a.rows) * most}};
    if (call_.left_vectors) AddVectors(left, true, frames, values, given[left], demands);
    if (call_.job == 'V') AddVectors(left + 1, false, frames, values, given[left + 1], demands);
    return demands;
  }

  template <class Distance>
  static long double LeastRatio(const std::vector<Frame>& frames, const Distance& distance) {
    long double least = HUGE_VALL;
    for (const Frame& frame : frames) {
      const long double found = distance(frame);
      least = std::min(least, found == 0 ? 0 : found / frame.allowed);
    }
    return least;
  }

  void AddVectors(int slot, bool left, const std::vector<Frame>& frames, const WideMatrix& values,
                  const WideMatrix& v, DemandList& demands) const {
    long double length = 0, off = 0;
    for (int64_t j = 0; j < v.columns; ++j) {
      WideMatrix x = WideMatrix::Zero(v.rows, 1);
      for (int64_t i = 0; i < v.rows; ++i) x(i, 0) = v(i, j);
      if (!x.AllFinite()) return demands.push_back({"the size of an element", slot, NAN, 0});
      length = std::max(length, std::abs(FrobeniusNorm(x) - 1));
      off = std::max(off, LeastRatio(frames, [&](const Frame& frame) {
                       WideMatrix y = x;
                       for (int64_t i = 0; i < v.rows; ++i) {
                         y(i, 0) *= left ? frame.scales[i] : 1 / frame.scales[i];
                       }
                       WideMatrix image = Product(left ? ConjugateTransposed(frame.a) : frame.a, y);
                       const Wide value = left ? std::conj(values(0, j)) : values(0, j);
                       for (int64_t i = 0; i < v.rows; ++i) image(i, 0) -= value * y(i, 0);
                       return FrobeniusNorm(image) / FrobeniusNorm(y);
                     }));
    }
    demands.push_back({"| |v| - 1 | of an eigenvector", slot, length, Tolerance(frames[0].a)});
    demands.push_back({"|A v - v w| as a part of the permitted residual", slot, off, 1});
  }

  LapackCall call_;
  int slots_;
  double eps_, flush_;
  std::vector<LapackBatch> batches_;
};

}  // namespace

bool IsQrOf(const SetArray& packed, const SetArray& tau) {
  const auto* joint = dynamic_cast<const LapackResiduals*>(packed.joint.get());
  if (joint == nullptr || !joint->IsQr() || packed.joint_slot != 0) return false;
  if (tau.joint != packed.joint || tau.joint_slot != 1 || tau.joint_moved != nullptr) return false;
  if (packed.joint_moved == nullptr) return true;
  const Shape& was = packed.joint_moved->shape;
  if (was.dimension(-2) != packed.shape().dimension(-2)) return false;
  const int64_t columns = was.dimension(-1), now = packed.shape().dimension(-1);
  const std::vector<int64_t>& places = packed.joint_moved->places;
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    if (places[i] != at / columns * now + at % columns) return false;
  }
  return true;
}

double LapackTolerance(int64_t rows, int64_t columns, double eps) {
  return kLapackRatio * static_cast<double>(std::max<int64_t>(std::max(rows, columns), 1)) * eps;
}

std::shared_ptr<const JointPredicate> LapackPredicate(const LapackCall& call, int slots, double eps,
                                                      double flush,
                                                      std::vector<LapackBatch> batches) {
  return std::make_shared<LapackResiduals>(call, slots, eps, flush, std::move(batches));
}

}  // namespace hlocts::reference
