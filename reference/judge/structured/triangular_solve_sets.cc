// SPDX-License-Identifier: Apache-2.0
// Computes the sets of triangular-solve. If the result is an output, a joint predicate judges each
// system. For instructions that read the result, each element has a bound if one exists.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/solve_within.h"
#include "reference/judge/structured/triangular_inverse.h"
#include "spec/ir/instruction.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// One inverse per batch; null if blocks are not inverted.
using Inverses = std::vector<std::shared_ptr<const TriangularInverse>>;

// The bound of a residual: `relative` times (|b| + |T||x|), or times |T||x| if right_side is false,
// plus a multiple of `flush`.
struct ResidualBound {
  double relative = 0, flush = 0;
  bool right_side = true;
};
// By system: `free` if any result is permitted, `overflow` if infinities and NaNs are permitted.
struct OpenSystems {
  std::vector<bool> free, overflow;
};

// Returns T(i, j) of the effective triangular matrix of batch b.
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

// Adds the residual that flushes and underflows cause if blocks are inverted. An element of the
// inverse, of a sum or of the solution is off by at most `flush`. Rows of T multiply this error,
// and the whole right side or solution multiplies an error of the inverse: in total flush (1 + row
// sum of |T|) (1 + sum of v + sum of |x|). The inverse then amplifies this total like v.
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

// Returns the largest permitted |b - T x| of each row for v = |b| + |T||x|, for engines that
// substitute and for engines that invert blocks (triangular_inverse.h).
std::vector<double> AllowedResiduals(const TriangularInverse& inverse, double bound, double flush,
                                     double sum_x, std::vector<double> v) {
  std::vector<double> flushes;
  AddInverseFlushes(inverse, flush, sum_x, v, flushes);
  std::vector<double> allowed = inverse.Residual(v);
  for (size_t i = 0; i < v.size(); ++i) allowed[i] += bound * v[i] + flushes[i];
  return allowed;
}

// Requires |b - T x| <= bound (|T||x| + |b|) + flush (1 + |T| e) for a vector e of ones, or the
// same without |b| (ResidualBound). The elements of the engine's solution x may have underflowed
// only when they were stored. If blocks may be inverted, AllowedResiduals returns the bound.
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

std::shared_ptr<const JointPredicate> MakeSolvePredicate(Literal a, Literal b, SolveGeometry g,
                                                         ResidualBound bound, OpenSystems open,
                                                         Inverses inverses) {
  return std::make_shared<SolvePredicate>(std::move(a), std::move(b), std::move(g), bound,
                                          std::move(open), std::move(inverses));
}

// Returns true if all elements of batch b that are read are finite. The other triangle and a unit
// diagonal are not read (triangular_solve.16, .14).
bool AllFinite(const Literal& a, const SolveGeometry& g, int64_t b) {
  for (int64_t i = 0; i < g.n; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      Complex t = KnownCoefficient(a, g, b, i, j);
      if (!std::isfinite(t.real()) || !std::isfinite(t.imag())) return false;
    }
  }
  return true;
}

// Bounds the distance of x from the engine's x^: |x - x^| <= M^-1 (bound |T||x|), where M is T's
// comparison matrix. If the residual's bound includes |b|, `bound` is doubled, since |b| <= |T||x|.
// M^-1 is applied by substituting magnitudes.
void ForwardBounds(const Literal& a, const Literal& x, const SolveGeometry& g,
                   const ResidualBound& residual, int64_t b, std::vector<double>& spread) {
  const double bound = residual.relative, flush = residual.flush;
  const double magnitudes = residual.right_side ? 2 : 1;
  // The diagonal puts an unknown's error on both sides of the inequality: divides by 1 - bound.
  const double own = bound < 0.5 ? (1 + 0x1p-30) / (1 - bound) : HUGE_VAL;
  for (int64_t c = 0; c < g.columns; ++c) {
    for (int64_t step = 0; step < g.n; ++step) {
      int64_t i = EffectiveLower(g) ? step : g.n - 1 - step;
      double rhs = flush, carried = 0;
      for (int64_t j = 0; j < g.n; ++j) {
        double t = std::abs(KnownCoefficient(a, g, b, i, j));
        if (t == 0) continue;
        rhs += bound * magnitudes * t * std::abs(ElementAt(x, UnknownAt(g, b, j, c)));
        if (j != i) carried += t * spread[UnknownAt(g, b, j, c)];
      }
      double diagonal = std::abs(KnownCoefficient(a, g, b, i, i));
      spread[UnknownAt(g, b, i, c)] = (rhs + carried * (1 + 2 * bound)) / diagonal * own + flush;
    }
  }
}

// Bounds the error if blocks may be inverted: |x - x^| <= |X| r. r is the residual that is
// permitted for the engine's x^, so it depends on the bound itself. Each round therefore uses the
// previous bound. If the bound still grows in the last round, it becomes infinite.
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

// Returns true if blocks of the inverse, or their products with a right side, may overflow.
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

// Returns a magnitude such that sums of n numbers below it stay in range.
double IntermediateLimit(const SetContext& context, const SolveGeometry& g) {
  return context.result->max / (context.bounds->SolveRange() * static_cast<double>(g.n));
}

// Returns true if an unknown or an intermediate product may leave the range. The products are: a
// coefficient times an unknown and, for complex types, a diagonal element times its dividend and
// times its conjugate. An unknown may be larger than x by `spread` (lemma 9).
bool MayOverflow(const Literal& a, const Literal& x, const SolveGeometry& g, int64_t b,
                 const SetContext& context, const std::vector<double>& spread) {
  const double most = IntermediateLimit(context, g);
  const double root_most = std::sqrt(context.result->max) / context.bounds->DivisorRange();
  const bool squares = IsComplex(a.element_type());
  for (int64_t i = 0; i < g.n; ++i) {
    const double diagonal = std::abs(KnownCoefficient(a, g, b, i, i));
    if (squares && !(diagonal < root_most)) return true;
    for (int64_t j = 0; j < g.n; ++j) {
      double t = std::abs(KnownCoefficient(a, g, b, i, j));
      if (squares && i == j) t *= std::max(1.0, t);
      for (int64_t c = 0; c < g.columns && t != 0; ++c) {
        const int64_t at = UnknownAt(g, b, j, c);
        const double unknown = std::abs(ElementAt(x, at)) + spread[at];
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

// Returns true if system `k` has no requirements: it is not finite, singular, or near overflow.
bool IsOpen(const Literal& a, const Literal& b, const Literal& x, const SolveGeometry& g, int64_t k,
            const SetContext& context) {
  const int64_t per_batch = g.n * g.columns;
  // A type without zero or sign cannot represent the differences that occur.
  if (!context.result->has_zero || !AllFinite(a, g, k) ||
      !reference::AllFinite(b, k * per_batch, per_batch) ||
      !reference::AllFinite(x, k * per_batch, per_batch))
    return true;
  // A system has no requirements if a diagonal element may be read as zero (ruling 0033).
  const double least = LeastDivisor(context, a.element_type());
  for (int64_t i = 0; i < g.n; ++i) {
    const double diagonal = std::abs(KnownCoefficient(a, g, k, i, i));
    if (diagonal == 0 || diagonal < least) return true;
  }
  const std::vector<double> none(static_cast<size_t>(x.element_count()), 0);
  return MayOverflow(a, x, g, k, context, none);
}

// The bounds from which the sets and the predicate of a batch of systems are made.
struct SystemBounds {
  ResidualBound residual;
  std::vector<bool> free;      // by system: any result is permitted
  std::vector<bool> overflow;  // by system: an unknown may overflow by rounding alone
  std::vector<double> spread;  // by element: the error of the solution
  Inverses inverses;
};

// Returns the least magnitude of a diagonal element in a system with requirements, at most 1.
double SmallestDivisor(const Literal& a, const SolveGeometry& g, double least) {
  double smallest = 1;
  for (int64_t k = 0; k < g.batches; ++k) {
    for (int64_t i = 0; i < g.n; ++i) {
      const double diagonal = std::abs(KnownCoefficient(a, g, k, i, i));
      if (diagonal >= least && diagonal > 0) smallest = std::min(smallest, diagonal);
    }
  }
  return smallest;
}

SystemBounds SystemBoundsOf(const Literal& a, const SolveGeometry& g, const Shape& shape,
                            const SetContext& context) {
  const PrimitiveType type = shape.element_type();
  const double u = UnitOf(type) * (IsComplex(type) ? context.bounds->ComplexUnits() : 1);
  const double n = static_cast<double>(g.n);
  const double smallest = SmallestDivisor(a, g, LeastDivisor(context, type));
  return {{context.rule.ulps * n * u + (n + 2) * 0x1p-52,
           FlushesOfRow(context, type, g.n) / (IsComplex(type) ? smallest : 1),
           IsComplex(type) || context.rule.Allows(kBlockInverse)},
          std::vector<bool>(g.batches, false),
          std::vector<bool>(g.batches, false),
          std::vector<double>(shape.ElementCount(), 0),
          Inverses(g.batches)};
}

// If a system may overflow by rounding alone, removes its bounds: its elements are unknown, and
// infinities and NaNs are permitted. Skips a system whose spread is unknown.
void NoteOverflow(const Literal& a, const Literal& x, const SolveGeometry& g, int64_t k,
                  const SetContext& context, SystemBounds& s) {
  const auto first = s.spread.begin() + k * g.n * g.columns, last = first + g.n * g.columns;
  if (std::any_of(first, last, [](double spread) { return !std::isfinite(spread); })) return;
  s.overflow[k] = MayOverflow(a, x, g, k, context, s.spread);
  if (s.overflow[k]) std::fill(first, last, HUGE_VAL);
}

// Bounds the error of each element of system `k`, or marks the system as free of requirements.
void BoundSystem(const Literal& a, const Literal& b, const Literal& x, const SolveGeometry& g,
                 int64_t k, const SetContext& context, SystemBounds& s) {
  s.free[k] = IsOpen(a, b, x, g, k, context);
  if (s.free[k]) return;
  if (!context.rule.Allows(kBlockInverse)) {
    ForwardBounds(a, x, g, s.residual, k, s.spread);
    NoteOverflow(a, x, g, k, context, s);
    return;
  }
  s.inverses[k] = std::make_shared<const TriangularInverse>(g.n, TriangleOf(a, g, k),
                                                            EffectiveLower(g), s.residual.relative);
  s.free[k] = !s.inverses[k]->bounded() ||
              InverseMayOverflow(*s.inverses[k], b, x, g, k, IntermediateLimit(context, g));
  if (s.free[k]) return;
  ForwardBoundsByInverse(b, x, g, s.residual.relative, s.residual.flush, k, *s.inverses[k],
                         s.spread);
  NoteOverflow(a, x, g, k, context, s);
}

void SetSystems(const Literal& x, const SystemBounds& s, int64_t per_system,
                const SetContext& context, SetArray& result) {
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  const int components = result.components();
  for (int64_t i = 0; i < static_cast<int64_t>(s.spread.size()); ++i) {
    if (per_system == 0 || s.free[i / per_system] || !std::isfinite(s.spread[i])) continue;
    for (int c = 0; c < components; ++c) {
      sets[i * components + c] = SetAround(RealAt(x, i, c), s.spread[i], context);
    }
  }
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
    if (!a.runtime_sizes.empty() || !b.runtime_sizes.empty()) return SetValue(std::move(result));
    BoundWithin(a, b, g, context, result);
    if (a.joint != nullptr) interpreter.KeptOperands(instruction) = {a, b};
    const Instruction& before = *instruction.operands()[1];
    if (a.joint == nullptr || before.opcode() != Opcode::kTriangularSolve)
      return SetValue(std::move(result));
    const auto& [factor, right] = interpreter.KeptOperands(before);
    if (factor.joint == a.joint && factor.joint_moved == a.joint_moved)
      BoundFactored(a, right, GeometryOf(before, factor, right.shape()), g, context, result);
    return SetValue(std::move(result));
  }
  std::vector<Literal> wide = {ToWide(a.literal()), ToWide(b.literal())};
  HLOCTS_ASSIGN_OR_RETURN(
      Literal x, interpreter.runner().Run(
                     instruction, shape.WithElementType(WideType(shape.element_type())), wide));
  SystemBounds s = SystemBoundsOf(a.literal(), g, shape, context);
  for (int64_t k = 0; k < g.batches; ++k) {
    BoundSystem(a.literal(), b.literal(), x, g, k, context, s);
  }
  SetSystems(x, s, g.n * g.columns, context, result);
  if (std::find(s.free.begin(), s.free.end(), false) != s.free.end()) {
    result.joint = MakeSolvePredicate(a.literal(), b.literal(), g, s.residual, {s.free, s.overflow},
                                      std::move(s.inverses));
  }
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
