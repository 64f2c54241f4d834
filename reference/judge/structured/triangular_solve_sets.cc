// SPDX-License-Identifier: Apache-2.0
// triangular-solve: a joint predicate over each system where the result is an output, and a bound
// per element (where there is one) for what consumes it.
#include <cmath>

#include "absl/strings/str_format.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/solve_within.h"
#include "reference/judge/structured/triangular_inverse.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// T(i, j) of the effective triangular matrix of batch b.
Complex CoefficientAt(const Literal& a, const SolveGeometry& g, int64_t b, int64_t i, int64_t j) {
  bool swap = g.transpose != "NO_TRANSPOSE";
  if (!g.left) swap = !swap;  // x op(A) = b is op(A)^T x^T = b^T
  int64_t row = swap ? j : i, column = swap ? i : j;
  if (g.unit && i == j) return 1;
  bool stated = g.lower ? row >= column : row <= column;
  if (!stated) return 0;
  Complex x = ElementAt(a, b * g.n * g.n + row * g.n + column);
  return g.transpose == "ADJOINT" ? std::conj(x) : x;
}
// What is read of batch b: not the other triangle, nor a diagonal of ones (triangular_solve.16,
// .14).
bool AllFinite(const Literal& a, const SolveGeometry& g, int64_t b) {
  for (int64_t i = 0; i < g.n; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      Complex t = CoefficientAt(a, g, b, i, j);
      if (!std::isfinite(t.real()) || !std::isfinite(t.imag())) return false;
    }
  }
  return true;
}
std::vector<Complex> TriangleOf(const Literal& a, const SolveGeometry& g, int64_t b) {
  std::vector<Complex> t(static_cast<size_t>(g.n * g.n));
  for (int64_t i = 0; i < g.n; ++i) {
    for (int64_t j = 0; j < g.n; ++j) t[i * g.n + j] = CoefficientAt(a, g, b, i, j);
  }
  return t;
}

using Inverses = std::vector<std::shared_ptr<const TriangularInverse>>;

// What flushes and underflows add to the rows of an engine that inverts blocks. An element of the
// inverse, of a sum or of the solution is off by `flush` at most, which the rows of T multiply, and
// an element of the inverse meets all of the right side or all of the solution besides: flush (1 +
// |T|1) (1 + |v|1 + |x|1), to which inversion then does what it does to v.
void AddFlushes(const TriangularInverse& inverse, double flush, double sum_x,
                std::vector<double>& v, std::vector<double>& flushes) {
  double sum = 1 + sum_x;
  for (double x : v) sum += x;
  flushes = inverse.Rows(std::vector<double>(v.size(), 1));
  for (size_t i = 0; i < v.size(); ++i) {
    flushes[i] = flush * (1 + flushes[i]) * sum;
    v[i] += flushes[i];
  }
}

// The most that |b - T x| may be in each row with v = |b| + |T||x|, for engines that substitute and
// for those that invert blocks (triangular_inverse.h).
std::vector<double> AllowedResiduals(const TriangularInverse& inverse, double bound, double flush,
                                     double sum_x, std::vector<double> v) {
  std::vector<double> flushes;
  AddFlushes(inverse, flush, sum_x, v, flushes);
  std::vector<double> allowed = inverse.Residual(v);
  for (size_t i = 0; i < v.size(); ++i) allowed[i] += bound * v[i] + flushes[i];
  return allowed;
}

// |b - T x| <= bound (|T||x| + |b|) + flush (1 + |T|1) in every element, from the engine's own x:
// it may have computed with unknowns that underflowed only when they were stored. Where blocks may
// be inverted, AllowedResiduals.
class SolvePredicate : public JointPredicate {
 public:
  SolvePredicate(Literal a, Literal b, SolveGeometry geometry, double bound, double flush,
                 std::vector<bool> free, Inverses inverses)
      : a_(std::move(a)),
        b_(std::move(b)),
        geometry_(std::move(geometry)),
        bound_(bound),
        flush_(flush),
        free_(std::move(free)),
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
        "\"unit\":%s,\"transpose\":\"%s\",\"block_inverse\":%s",
        bound_, flush_, TrueOrFalse(geometry_.lower), TrueOrFalse(geometry_.left),
        TrueOrFalse(geometry_.unit), geometry_.transpose, TrueOrFalse(BlocksMayBeInverted()));
    if (!FitsInFile(a_) || !FitsInFile(b_)) return text;
    return absl::StrCat(text, FreeMember(free_), NumbersMember("matrix", a_),
                        NumbersMember("right", b_));
  }

 private:
  bool BlocksMayBeInverted() const {
    for (const auto& inverse : inverses_) {
      if (inverse) return true;
    }
    return false;
  }
  // One system: its residuals, and |b| + |T||x| of each row.
  bool Holds(const Literal& x, int64_t b, int64_t c, Verdict& verdict) const {
    const SolveGeometry& g = geometry_;
    std::vector<double> residual(g.n), magnitude(g.n), allowed(g.n);
    double sum_x = 0;
    for (int64_t i = 0; i < g.n; ++i) {
      const Complex rhs = ElementAt(b_, UnknownAt(g, b, i, c));
      Complex left = rhs;
      double row = 0;
      magnitude[i] = std::abs(rhs);
      for (int64_t j = 0; j < g.n; ++j) {
        const Complex t = CoefficientAt(a_, g, b, i, j);
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
  std::vector<bool> free_;
  Inverses inverses_;  // of each batch; null where blocks are not inverted
};

// |x - x^| <= M^-1 (bound |T||x|) with M the comparison matrix of T: substitution with magnitudes.
void ForwardBounds(const Literal& a, const Literal& x, const SolveGeometry& g, double bound,
                   double flush, int64_t b, std::vector<double>& spread) {
  const double own = bound < 0.5 ? (1 + 0x1p-30) / (1 - bound) : HUGE_VAL;  // on both sides
  for (int64_t c = 0; c < g.columns; ++c) {
    for (int64_t step = 0; step < g.n; ++step) {
      int64_t i = EffectiveLower(g) ? step : g.n - 1 - step;
      double rhs = flush, carried = 0;
      for (int64_t j = 0; j < g.n; ++j) {
        double t = std::abs(CoefficientAt(a, g, b, i, j));
        if (t == 0) continue;
        rhs += bound * 2 * t * std::abs(ElementAt(x, UnknownAt(g, b, j, c)));
        if (j != i) carried += t * spread[UnknownAt(g, b, j, c)];
      }
      double diagonal = std::abs(CoefficientAt(a, g, b, i, i));
      spread[UnknownAt(g, b, i, c)] = (rhs + carried * (1 + 2 * bound)) / diagonal * own + flush;
    }
  }
}

// The same where blocks may be inverted: |x - x^| <= |X| r with r the residual that is allowed for
// x itself, which lies off by as much. Each round takes the spread of the one before into account;
// what still grows after them is unbounded.
void ForwardBoundsByInverse(const Literal& b, const Literal& x, const SolveGeometry& g,
                            double bound, double flush, int64_t batch,
                            const TriangularInverse& inverse, std::vector<double>& spread) {
  constexpr int kRounds = 60;
  for (int64_t c = 0; c < g.columns; ++c) {
    std::vector<double> of_x(g.n), of_b(g.n), off(g.n, 0);
    for (int64_t i = 0; i < g.n; ++i) {
      of_x[i] = std::abs(ElementAt(x, UnknownAt(g, batch, i, c)));
      of_b[i] = std::abs(ElementAt(b, UnknownAt(g, batch, i, c)));
    }
    bool settled = false;
    for (int round = 0; round < kRounds && !settled; ++round) {
      std::vector<double> reach = of_x;
      for (int64_t i = 0; i < g.n; ++i) reach[i] += off[i];
      double sum_x = 0;
      for (double r : reach) sum_x += r;
      std::vector<double> v = inverse.Rows(reach);
      for (int64_t i = 0; i < g.n; ++i) v[i] += of_b[i];
      const std::vector<double> next =
          inverse.Forward(AllowedResiduals(inverse, bound, flush, sum_x, v));
      settled = true;
      for (int64_t i = 0; i < g.n; ++i) {
        settled = settled && next[i] <= off[i];
        off[i] = next[i] <= off[i] ? off[i] : next[i] * 1.01;
      }
    }
    for (int64_t i = 0; i < g.n; ++i) {
      spread[UnknownAt(g, batch, i, c)] = settled ? off[i] * 1.01 + flush : HUGE_VAL;
    }
  }
}

// Whether blocks of the inverse, or their products with a right side, may leave the range on the
// way.
bool InverseMayOverflow(const TriangularInverse& inverse, const Literal& b, const Literal& x,
                        const SolveGeometry& g, int64_t batch, double most) {
  if (inverse.MayReach(most)) return true;
  for (int64_t c = 0; c < g.columns; ++c) {
    std::vector<double> v(g.n);
    for (int64_t i = 0; i < g.n; ++i) v[i] = std::abs(ElementAt(x, UnknownAt(g, batch, i, c)));
    v = inverse.Rows(v);
    for (int64_t i = 0; i < g.n; ++i) v[i] += std::abs(ElementAt(b, UnknownAt(g, batch, i, c)));
    for (double product : inverse.Product(v)) {
      if (!(product < most)) return true;
    }
  }
  return false;
}

// Sums of n such numbers stay in the range.
double MostOnTheWay(const FloatFacts& facts, const SolveGeometry& g) {
  return facts.max / (16 * static_cast<double>(g.n));
}

// Whether an unknown, or a product on the way, may leave the range: of a coefficient and an
// unknown, or, where they are complex, of a diagonal element with its conjugate, by which a
// quotient may be computed.
bool MayOverflow(const Literal& a, const Literal& x, const SolveGeometry& g, int64_t b,
                 const FloatFacts& facts) {
  const double most = MostOnTheWay(facts, g);
  const double root_most = std::sqrt(facts.max) / 4, root_least = 4 * std::sqrt(facts.min_normal);
  const bool squares = IsComplex(a.element_type());
  for (int64_t i = 0; i < g.n; ++i) {
    const double diagonal = std::abs(CoefficientAt(a, g, b, i, i));
    if (squares && !(diagonal > root_least && diagonal < root_most)) return true;
    for (int64_t j = 0; j < g.n; ++j) {
      const double t = std::abs(CoefficientAt(a, g, b, i, j));
      for (int64_t c = 0; c < g.columns && t != 0; ++c) {
        const double unknown = std::abs(ElementAt(x, UnknownAt(g, b, j, c)));
        if (!(unknown < most && t * unknown < most)) return true;
      }
    }
  }
  return false;
}

SolveGeometry GeometryOf(const Instruction& solve, const SetArray& a, const Shape& shape) {
  SolveGeometry g;
  g.left = solve.BoolOr(Attr::kLeftSide, false);
  g.lower = solve.BoolOr(Attr::kLower, false);
  g.unit = solve.BoolOr(Attr::kUnitDiagonal, false);
  g.transpose = std::string(solve.WordOr(Attr::kTransposeA, "NO_TRANSPOSE"));
  g.n = a.shape().dimension(-1);
  g.columns = g.left ? shape.dimension(-1) : shape.dimension(-2);
  g.batches = g.n == 0 ? 0 : a.element_count() / (g.n * g.n);
  return g;
}

// A system that is open: not of finite numbers, singular, or near the end of the range.
bool IsOpen(const Literal& a, const Literal& b, const Literal& x, const SolveGeometry& g, int64_t k,
            const SetContext& context) {
  const int64_t per_batch = g.n * g.columns;
  // Without zero and sign no type has what is left of a difference.
  if (!context.result->has_zero || !AllFinite(a, g, k) ||
      !reference::AllFinite(b, k * per_batch, per_batch) ||
      !reference::AllFinite(x, k * per_batch, per_batch))
    return true;
  // A zero on the diagonal, or what may be read as one, leaves the system open (ruling 0033).
  const double least = context.rule.Allows(kFlushOperand) ? context.operand->min_normal : 0;
  for (int64_t i = 0; i < g.n; ++i) {
    const double diagonal = std::abs(CoefficientAt(a, g, k, i, i));
    if (diagonal == 0 || diagonal < least) return true;
  }
  return MayOverflow(a, x, g, k, *context.result);
}

}  // namespace

absl::StatusOr<SetValue> TriangularSolveSets(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  SetContext context = interpreter.ContextOf(instruction, b.element_type(), shape.element_type());
  SetArray result = SetArray::Unspecified(shape, WideningCause::kJoint, context.origin);
  if (shape.rank() < 2) return SetValue(std::move(result));
  const SolveGeometry g = GeometryOf(instruction, a, shape);
  if (!a.exact() || !b.exact()) {
    if (a.runtime_sizes.empty() && b.runtime_sizes.empty()) BoundWithin(a, b, g, context, result);
    return SetValue(std::move(result));
  }
  std::vector<Literal> wide = {ToWide(a.literal()), ToWide(b.literal())};
  HLOCTS_ASSIGN_OR_RETURN(
      Literal x, interpreter.runner().Run(
                     instruction, shape.WithElementType(WideType(shape.element_type())), wide));
  double u = UnitOf(shape.element_type()) * (IsComplex(shape.element_type()) ? 3 : 1);
  double bound =
      context.rule.ulps * static_cast<double>(g.n) * u + static_cast<double>(g.n + 2) * 0x1p-52;
  double flush = context.rule.Allows(kFlushResult)
                     ? 2 * static_cast<double>(g.n + 1) * context.result->min_normal
                     : static_cast<double>(g.n + 1) * context.result->tiny;
  std::vector<bool> free(g.batches, false);
  std::vector<double> spread(shape.ElementCount(), 0);
  Inverses inverses(g.batches);
  int64_t per_batch = g.n * g.columns;
  for (int64_t k = 0; k < g.batches; ++k) {
    free[k] = IsOpen(a.literal(), b.literal(), x, g, k, context);
    if (free[k]) continue;
    if (!context.rule.Allows(kBlockInverse)) {
      ForwardBounds(a.literal(), x, g, bound, flush, k, spread);
      continue;
    }
    inverses[k] = std::make_shared<const TriangularInverse>(g.n, TriangleOf(a.literal(), g, k),
                                                            EffectiveLower(g), bound);
    free[k] = !inverses[k]->bounded() || InverseMayOverflow(*inverses[k], b.literal(), x, g, k,
                                                            MostOnTheWay(*context.result, g));
    if (free[k]) continue;
    ForwardBoundsByInverse(b.literal(), x, g, bound, flush, k, *inverses[k], spread);
  }
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    if (per_batch == 0 || free[i / per_batch] || !std::isfinite(spread[i])) continue;
    for (int c = 0; c < result.components(); ++c) {
      sets[i * result.components() + c] = SetAround(RealAt(x, i, c), spread[i], context);
    }
  }
  if (std::find(free.begin(), free.end(), false) != free.end()) {
    result.joint = std::make_shared<SolvePredicate>(a.literal(), b.literal(), g, bound, flush, free,
                                                    std::move(inverses));
  }
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
