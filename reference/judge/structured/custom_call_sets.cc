// SPDX-License-Identifier: Apache-2.0
// Computes the sets of custom calls.
#include <algorithm>
#include <cmath>

#include "reference/custom_call.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/lapack_bounds.h"
#include "reference/judge/structured/lapack_predicates.h"
#include "reference/lapack/factorizations.h"
#include "reference/lapack/lapack_results.h"
#include "spec/ir/instruction.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {
namespace {

EnclosedMatrix EnclosedOf(const SetArray& array, int64_t first, int64_t rows, int64_t columns) {
  EnclosedMatrix result;
  result.middle = WideMatrix::Zero(rows, columns);
  result.radius.assign(static_cast<size_t>(rows * columns), 0);
  for (int64_t i = 0; i < rows * columns; ++i) {
    long double parts[2] = {0, 0};
    for (int c = 0; c < array.components(); ++c) {
      const AcceptanceSet s = array.At(first + i, c);
      if (!s.finite() || s.integer() || s.unspecified() ||
          s.Has(AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf)) {
        return result;
      }
      parts[c] = (static_cast<long double>(s.lo) + s.hi) / 2;
      result.radius[i] += (static_cast<long double>(s.hi) - s.lo) / 2;
    }
    result.middle.at[i] = {parts[0], parts[1]};
  }
  result.known = true;
  return result;
}

// Returns the scales by which geev balances the matrix: powers of two, after which the norms of row
// i and column i differ by at most a factor of two. Rows that a permutation isolates are not scaled
// (LAPACK Users' Guide, 4.8.1.2).
std::vector<long double> BalancingScales(WideMatrix a) {
  std::vector<long double> scale(a.rows, 1);
  std::vector<bool> isolated(a.rows, false);
  const auto sums = [&](int64_t i) {
    std::pair<long double, long double> column_and_row = {0, 0};
    for (int64_t j = 0; j < a.rows; ++j) {
      if (j == i || isolated[j]) continue;
      column_and_row.first += std::abs(a(j, i)), column_and_row.second += std::abs(a(i, j));
    }
    return column_and_row;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t i = 0; i < a.rows; ++i) {
      if (isolated[i]) continue;
      const auto [column, row] = sums(i);
      if (column == 0 || row == 0) {
        isolated[i] = changed = true;
        continue;
      }
      const int power = static_cast<int>(std::lround(std::log2(row / column) / 2));
      const long double factor = std::ldexp(1.0L, power);
      if (!(column * factor + row / factor < 0.95L * (column + row))) continue;
      changed = true;
      scale[i] *= factor;
      for (int64_t j = 0; j < a.rows; ++j) a(j, i) *= factor, a(i, j) /= factor;
    }
  }
  return scale;
}

class LapackSets {
 public:
  LapackSets(const LapackCall& call, const SetContext& context, const Shape& shape,
             absl::Span<const SetValue> operands)
      : call_(call), context_(context), shape_(shape), operands_(operands) {
    const Shape& a = operands[0].array.shape();
    batches_ = BatchCount(call, a);
    columns_ = a.dimension(-1);
    rows_ = call.routine == LapackRoutine::kTridiagonalSolve ? columns_ : a.dimension(-2);
    u_ = UnitOf(a.element_type()) * (IsComplex(a.element_type()) ? 3 : 1);
    eps_ = 2 * UnitOf(a.element_type());
    underflow_ = 4 * context.result->min_normal;
    const std::vector<Shape> one = {shape};
    for (const Shape& leaf : shape.IsTuple() ? shape.tuple_shapes() : one) {
      leaves_.push_back(SetArray::Unspecified(leaf, WideningCause::kJoint, context.origin));
    }
  }

  SetValue Make() {
    std::vector<LapackBatch> judged(batches_);
    bool any = false;
    for (int64_t b = 0; b < batches_; ++b) {
      judged[b].free = true;
      const EnclosedMatrix a = Operand(0, b);
      if (!a.known || !InRange(a.middle)) continue;
      MakeBatch(b, a, judged[b]);
      any = any || !judged[b].free;
    }
    if (any) AddPredicate(std::move(judged));
    if (!any && call_.routine == LapackRoutine::kQrProduct) JoinFactorization();
    if (!shape_.IsTuple()) return SetValue(std::move(leaves_[0]));
    std::vector<SetValue> elements;
    for (SetArray& leaf : leaves_) elements.push_back(Compress(std::move(leaf)));
    return SetValue::Tuple(std::move(elements));
  }

 private:
  EnclosedMatrix Operand(int index, int64_t b) const {
    const SetArray& array = operands_[index].array;
    const int64_t count = array.element_count() / batches_;
    const int64_t columns = array.shape().dimension(-1);
    return EnclosedOf(array, b * count, columns == 0 ? 0 : count / columns, columns);
  }

  // Returns true if squares and sums are far from overflow and underflow, or if the matrix is zero.
  bool InRange(const WideMatrix& a) const {
    const long double norm = OneNorm(a);
    const long double most = std::sqrt(static_cast<long double>(context_.result->max));
    const long double least = std::sqrt(static_cast<long double>(context_.result->min_normal));
    return norm == 0 || (norm < most / rows_ && norm > least / eps_);
  }

  long double Tolerance() const { return LapackTolerance(rows_, columns_, eps_); }

  void MakeBatch(int64_t b, const EnclosedMatrix& a, LapackBatch& judged) {
    judged.operands = {a.middle};
    judged.off = a.RadiusOneNorm();
    judged.free = false;
    switch (call_.routine) {
      case LapackRoutine::kCholesky:
        MakeCholesky(b, a, judged);
        break;
      case LapackRoutine::kLu:
        MakeLu(b, a);
        break;
      case LapackRoutine::kTriangularSolve:
        judged.free = true;
        MakeSolve(b, a);
        break;
      case LapackRoutine::kQr:
        break;
      case LapackRoutine::kQrProduct:
        MakeQrProduct(b, a, judged);
        break;
      case LapackRoutine::kHermitianEigen:
        judged.off = a.HermitianRadiusOneNorm(call_.lower);
        MakeValues(b, a);
        break;
      case LapackRoutine::kSingularValues:
        MakeValues(b, a);
        break;
      case LapackRoutine::kPivotedQr:
        MakePivotedQr(b, judged);
        break;
      case LapackRoutine::kQrApply:
        MakeQrApply(b, judged);
        break;
      case LapackRoutine::kTridiagonal:
        judged.off = a.HermitianRadiusOneNorm(call_.lower);
        SetLastInteger(b);
        break;
      case LapackRoutine::kTridiagonalSolve:
        MakeTridiagonalSolve(b, judged);
        break;
      case LapackRoutine::kHessenberg:
        SetLastInteger(b);
        break;
      case LapackRoutine::kSchur:
        SetInteger(static_cast<int>(leaves_.size()) - 2, b, 0, 0);  // no eigenvalues are sorted
        SetLastInteger(b);
        break;
      case LapackRoutine::kEigen:
        judged.scales = BalancingScales(a.middle);
        SetLastInteger(b);
        break;
    }
  }

  void SetLastInteger(int64_t b) { SetInteger(static_cast<int>(leaves_.size()) - 1, b, 0, 0); }

  void MakeCholesky(int64_t b, const EnclosedMatrix& a, LapackBatch& judged) {
    const WideMatrix h = HermitianFrom(a.middle, call_.lower);
    const long double off = a.HermitianRadiusOneNorm(call_.lower), most = OneNorm(h) + off;
    const EnclosedMatrix l =
        CholeskyBounds(h, Tolerance() * most + off + underflow_ * rows_ * (1 + most));
    // There is no requirement if the matrix is so close to singular that an engine may break down.
    judged.free = !l.known;
    judged.off = off;
    if (!l.known) return;
    SetInteger(1, b, 0, 0);
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const Wide x = call_.lower ? l.middle(i, j) : std::conj(l.middle(i, j));
        const int64_t place = call_.lower ? i * columns_ + j : j * columns_ + i;
        SetElement(0, b, place, x, l.radius[i * columns_ + j]);
      }
    }
  }

  void MakeLu(int64_t b, const EnclosedMatrix& a) {
    std::vector<int64_t> pivots;
    const EnclosedMatrix lu = LuBounds(a, Tolerance(), underflow_ * rows_, pivots);
    const int64_t k = std::min(rows_, columns_);
    for (int64_t i = 0; i < k; ++i) {
      SetInteger(1, b * k + i, lu.known ? pivots[i] : i + 1, lu.known ? pivots[i] : rows_);
    }
    SetInteger(2, b, 0, lu.known ? 0 : k);
    SetElements(0, b, lu);
  }

  void MakeSolve(int64_t b, const EnclosedMatrix& a) {
    EnclosedMatrix t = a, right = Operand(1, b);
    if (!right.known || !InRange(right.middle)) return;
    bool lower = call_.lower;
    if (call_.transpose != 'N') {
      Transpose(t, call_.transpose == 'C');
      lower = !lower;
    }
    if (!call_.left) {
      Transpose(t, /*conjugate=*/false);
      Transpose(right, /*conjugate=*/false);
      lower = !lower;
    }
    EnclosedMatrix x = SolveBounds(t, lower, call_.unit, right, u_, underflow_);
    if (!x.known || !InRange(x.middle)) return;
    if (!call_.left) Transpose(x, /*conjugate=*/false);
    SetElements(0, b, x);
  }

  static void Transpose(EnclosedMatrix& a, bool conjugate) {
    EnclosedMatrix result = a;
    result.middle = WideMatrix::Zero(a.middle.columns, a.middle.rows);
    for (int64_t i = 0; i < a.middle.rows; ++i) {
      for (int64_t j = 0; j < a.middle.columns; ++j) {
        result.middle(j, i) = conjugate ? std::conj(a.middle(i, j)) : a.middle(i, j);
        result.radius[j * a.middle.rows + i] = a.radius[i * a.middle.columns + j];
      }
    }
    a = std::move(result);
  }

  // Requires known reflectors: bounds of their errors yield no bound of the product's error.
  void MakeQrProduct(int64_t b, const EnclosedMatrix& a, LapackBatch& judged) {
    const EnclosedMatrix tau = Operand(1, b);
    judged.free = !tau.known || a.RadiusOneNorm() > 0 || tau.RadiusOneNorm() > 0;
    if (judged.free) return;
    judged.operands.push_back(tau.middle);
    EnclosedMatrix q;
    q.middle = ProductOfReflectors(a.middle, tau.middle.at, leaves_[0].shape().dimension(-1));
    const WideMatrix gram = Product(ConjugateTransposed(q.middle), q.middle);
    const WideMatrix one = WideMatrix::Identity(gram.rows, gram.rows);
    // If Q is far from unitary, the operands define no reflectors, so products are unbounded.
    judged.free = !(OneNorm(Difference(gram, one)) < 0.5L);
    if (judged.free) return;
    q.radius.assign(q.middle.at.size(), Tolerance());
    q.known = true;
    SetElements(0, b, q);
  }

  // Judges only exactly known operands, like MakeQrProduct.
  void MakeQrApply(int64_t b, LapackBatch& judged) {
    judged.free = !TakeExactOperands(b, judged);
    if (judged.free) return;
    const std::vector<WideMatrix>& of = judged.operands;
    const WideMatrix q = ProductOfReflectors(of[0], of[1].at, rows_);
    const WideMatrix gram = Product(ConjugateTransposed(q), q);
    const WideMatrix one = WideMatrix::Identity(rows_, rows_);
    // As in MakeQrProduct.
    judged.free = !(OneNorm(Difference(gram, one)) < 0.5L);
    if (judged.free) return;
    EnclosedMatrix result;
    result.middle = ApplyQ(call_, of[0], of[1], of[2]);
    const long double norm = OneNorm(call_.left ? of[2] : ConjugateTransposed(of[2]));
    result.radius.assign(result.middle.at.size(),
                         Tolerance() * norm + underflow_ * rows_ * (1 + norm));
    result.known = true;
    SetElements(0, b, result);
  }

  // Judges only calls that let the routine choose all pivot columns.
  void MakePivotedQr(int64_t b, LapackBatch& judged) {
    for (int64_t j = 0; j < columns_; ++j) {
      const AcceptanceSet s = operands_[1].array.At(b * columns_ + j, 0);
      judged.free = judged.free || !s.integer() || s.ilo != 0 || s.ihi != 0;
      if (!judged.free) SetInteger(1, b * columns_ + j, 1, columns_);
    }
  }

  // A residual R of A X = B changes X by A^-1 R. For each column, |R| <= t |A||X| / (1 - t
  // |A||A^-1|), where t is the tolerance.
  void MakeTridiagonalSolve(int64_t b, LapackBatch& judged) {
    judged.free = true;
    if (!TakeExactOperands(b, judged)) return;
    const std::vector<WideMatrix>& of = judged.operands;
    const WideMatrix a = TridiagonalMatrix(of[0], of[1], of[2]), inverse = Inverse(a);
    if (inverse.at.empty() || !InRange(a)) return;
    const long double norm = OneNorm(a), growth = Tolerance() * norm * OneNorm(inverse);
    if (!(growth < 0.5L)) return;
    EnclosedMatrix x;
    x.middle = Product(inverse, of[3]);
    x.radius.assign(x.middle.at.size(), 0);
    for (int64_t j = 0; j < x.middle.columns; ++j) {
      WideMatrix column = WideMatrix::Zero(rows_, 1);
      for (int64_t i = 0; i < rows_; ++i) column(i, 0) = x.middle(i, j);
      if (!InRange(column)) return;
      const long double size = norm * OneNorm(column);
      const long double rest =
          (Tolerance() * size + underflow_ * rows_ * (1 + size)) / (1 - growth) * 1.001L;
      for (int64_t i = 0; i < rows_; ++i) {
        long double most = 0;
        for (int64_t k = 0; k < rows_; ++k) most = std::max(most, std::abs(inverse(i, k)));
        x.radius[i * x.middle.columns + j] = most * rest;
      }
    }
    x.known = true;
    judged.free = false;
    SetElements(3, b, x);
    SetLastInteger(b);
  }

  // Sets judged.operands. Returns false if an operand is not exactly known or out of range.
  bool TakeExactOperands(int64_t b, LapackBatch& judged) const {
    judged.operands.clear();
    for (int i = 0; i < static_cast<int>(operands_.size()); ++i) {
      EnclosedMatrix x = Operand(i, b);
      if (!x.known || x.RadiusOneNorm() > 0 || !InRange(x.middle)) return false;
      judged.operands.push_back(std::move(x.middle));
    }
    return true;
  }

  // Uses the predicate of the geqrf that made the reflectors to judge their product with R.
  void JoinFactorization() {
    const SetArray& packed = operands_[0].array;
    const int64_t columns = leaves_[0].shape().dimension(-1);
    const SetArray& tau = operands_[1].array;
    if (!IsQrOf(packed, tau) || columns < tau.shape().dimension(-1)) return;
    leaves_[0].joint = packed.joint;
    leaves_[0].joint_slot = kQrProductSlot;
  }

  // By Weyl's theorem, eigen- and singular values change by at most the change of `a` in 2-norm.
  void MakeValues(int64_t b, const EnclosedMatrix& a) {
    const bool eigen = call_.routine == LapackRoutine::kHermitianEigen;
    const std::vector<WideMatrix> results = ResultsOf(call_, {a.middle}, shape_);
    const WideMatrix h = eigen ? HermitianFrom(a.middle, call_.lower) : a.middle;
    const long double norm = std::sqrt(OneNorm(h)) * std::sqrt(OneNorm(ConjugateTransposed(h)));
    // Mirroring the triangle counts the squares of the radii twice.
    const long double width = std::sqrt(2.0L) * WidthInTwoNorm(a);
    EnclosedMatrix values;
    values.middle = results[1];
    values.radius.assign(values.middle.at.size(),
                         Tolerance() * (norm + width) + width + underflow_ * rows_);
    values.known = true;
    SetElements(1, b, values);
    SetLastInteger(b);
  }

  // Returns an upper bound of the 2-norm of the radii.
  static long double WidthInTwoNorm(const EnclosedMatrix& a) {
    long double squares = 0;
    for (long double r : a.radius) squares += r * r;
    return std::sqrt(squares);
  }

  void SetElements(int leaf, int64_t b, const EnclosedMatrix& values) {
    if (!values.known) return;
    const int64_t count = static_cast<int64_t>(values.middle.at.size());
    for (int64_t i = 0; i < count; ++i) {
      SetElement(leaf, b, i, values.middle.at[i], values.radius[i]);
    }
  }

  void SetElement(int leaf, int64_t b, int64_t place, const Wide& x, long double radius) {
    SetArray& array = leaves_[leaf];
    const int64_t element = b * (array.element_count() / batches_) + place;
    SetElementAround(x, radius, context_, element, array);
  }

  void SetInteger(int leaf, int64_t element, int64_t lo, int64_t hi) {
    AcceptanceSet s = AcceptanceSet::Integers(lo, hi);
    s.cause = WideningCause::kJoint;
    s.origin = context_.origin;
    leaves_[leaf].mutable_sets()[element] = s;
  }

  void AddPredicate(std::vector<LapackBatch> judged) {
    const int slots = static_cast<int>(leaves_.size());
    const std::shared_ptr<const JointPredicate> joint =
        LapackPredicate(call_, slots, eps_, underflow_, std::move(judged));
    for (int i = 0; i < slots; ++i) {
      if (leaves_[i].element_type() == PrimitiveType::kS32 && !PivotsAreJudged()) {
        continue;  // info has no relation to the other results
      }
      leaves_[i].joint = joint;
      leaves_[i].joint_slot = i;
    }
  }

  bool PivotsAreJudged() const {
    return call_.routine == LapackRoutine::kLu || call_.routine == LapackRoutine::kPivotedQr;
  }

  LapackCall call_;
  SetContext context_;
  Shape shape_;
  absl::Span<const SetValue> operands_;
  int64_t rows_ = 0, columns_ = 0, batches_ = 0;
  double u_ = 0, eps_ = 0;
  long double underflow_ = 0;
  std::vector<SetArray> leaves_;
};

// Computes the sets of the call. Returns InvalidArgument if the shapes do not match the routine.
absl::StatusOr<SetValue> LapackCallSets(SetInterpreter& interpreter, const LapackCall& call,
                                        const Instruction& instruction, const Shape& shape,
                                        absl::Span<const SetValue> operands) {
  HLOCTS_RETURN_IF_ERROR(CheckLapackShapes(call, instruction));
  const PrimitiveType type = operands[0].array.element_type();
  SetContext context = interpreter.ContextOf(instruction, type, type);
  return LapackSets(call, context, shape, operands).Make();
}

}  // namespace

// Computes the sets of a LAPACK routine if the target is one. Runs any other custom call on known
// operands; if operands are uncertain, the result is unknown.
absl::StatusOr<SetValue> CustomCallSets(SetInterpreter& interpreter, const Instruction& instruction,
                                        const Shape& shape, absl::Span<const SetValue> operands) {
  const CustomCallLibrary* library = interpreter.options().custom_calls;
  const std::string* target = instruction.Get<std::string>(Attr::kCustomCallTarget);
  if (library == nullptr || target == nullptr || !library->Has(*target)) {
    if (const std::optional<LapackCall> routine = LapackCallOf(instruction)) {
      return LapackCallSets(interpreter, *routine, instruction, shape, operands);
    }
  }
  for (const SetValue& operand : operands) {
    if (!IsExact(operand)) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
  }
  return PlainResult(interpreter, instruction, shape, operands);
}

}  // namespace hlocts::reference
