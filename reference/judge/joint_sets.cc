// Sets of fft, cholesky and triangular-solve: a joint predicate over each transform or matrix where
// the result is an output, and a bound per element (where there is one) for what consumes it.
#include <cmath>
#include <complex>

#include "absl/strings/str_format.h"
#include "reference/judge/handlers.h"
#include "spec/judge/joint.h"

namespace hlocts {
namespace {

using Complex = std::complex<double>;

Complex ElementAt(const Literal& literal, int64_t i) {
  if (!IsComplex(literal.element_type())) return RealAt(literal, i);
  return {RealAt(literal, i, 0), RealAt(literal, i, 1)};
}

double UnitOf(PrimitiveType type) { return std::ldexp(1.0, -FactsOf(type).p); }

PrimitiveType WideType(PrimitiveType type) {
  return IsComplex(type) ? PrimitiveType::kC128 : PrimitiveType::kF64;
}

Literal ToWide(const Literal& literal) {
  Literal wide(literal.shape().WithElementType(WideType(literal.element_type())));
  double* out = reinterpret_cast<double*>(wide.mutable_raw_data());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    *out++ = RealAt(literal, i, 0);
    if (IsComplex(literal.element_type())) *out++ = RealAt(literal, i, 1);
  }
  return wide;
}

// What a judge without this program needs of a predicate, as long as it is small.
constexpr int64_t kNumbersInFileMax = 1024;

bool FitsInFile(const Literal& literal) {
  return literal.element_count() * (IsComplex(literal.element_type()) ? 2 : 1) <= kNumbersInFileMax;
}
// `,"name":[numbers in row-major order, a complex one as two, null for what is not finite]`.
std::string NumbersMember(absl::string_view name, const Literal& literal) {
  std::string text;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    for (int c = 0; c < (IsComplex(literal.element_type()) ? 2 : 1); ++c) {
      double x = RealAt(literal, i, c);
      absl::StrAppend(&text, text.empty() ? "" : ",",
                      std::isfinite(x) ? absl::StrFormat("%.17g", x) : "null");
    }
  }
  return absl::StrCat(",\"", name, "\":[", text, "]");
}
std::string FreeMember(const std::vector<bool>& free) {
  std::string text;
  for (bool f : free) absl::StrAppend(&text, text.empty() ? "" : ",", f ? 1 : 0);
  return absl::StrCat(",\"free\":[", text, "]");
}
absl::string_view TrueOrFalse(bool value) { return value ? "true" : "false"; }

// ---------------------------------------------------------------- fft

struct Block {
  double bound = 0;  // of the 2-norm of the error; negative: nothing is asked of this transform
};

// The error of each transform, as one vector, is at most its bound (acceptance-rules 21).
class NormwisePredicate : public JointPredicate {
 public:
  NormwisePredicate(Literal centre, std::vector<Block> blocks, int64_t length)
      : centre_(std::move(centre)), blocks_(std::move(blocks)), length_(length) {}
  std::string kind() const override { return "normwise"; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = slots[0] != nullptr;
    if (!verdict.checked) return verdict;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].bound < 0) continue;
      double sum = 0, worst = -1;
      int64_t at = 0;
      for (int64_t i = b * length_; i < static_cast<int64_t>(b + 1) * length_; ++i) {
        double error = std::norm(ElementAt(*slots[0], i) - ElementAt(centre_, i));
        if (std::isnan(error)) error = HUGE_VAL;
        sum += error;
        if (error > worst) worst = error, at = i;
      }
      if (std::sqrt(sum) <= blocks_[b].bound) continue;
      verdict.ok = false;
      verdict.index = at;
      verdict.expected = absl::StrFormat("2-norm of the transform's error at most %g, found %g",
                                         blocks_[b].bound, std::sqrt(sum));
      return verdict;
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    double least = HUGE_VAL, most = 0;
    for (const Block& block : blocks_) {
      least = std::min(least, block.bound);
      most = std::max(most, block.bound);
    }
    std::string text =
        absl::StrFormat("\"transform_length\":%d,\"bound_least\":%.17g,\"bound_most\":%.17g",
                        length_, std::isinf(least) ? 0 : least, most);
    if (!FitsInFile(centre_)) return text;
    // Of each transform; a negative bound asks nothing.
    std::string bounds;
    for (const Block& block : blocks_) {
      absl::StrAppendFormat(&bounds, "%s%.17g", bounds.empty() ? "" : ",", block.bound);
    }
    return absl::StrCat(text, ",\"bounds\":[", bounds, "]", NumbersMember("centre", centre_));
  }

 private:
  Literal centre_;
  std::vector<Block> blocks_;
  int64_t length_;
};

int64_t LargestPrimeFactor(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) largest = p, n /= p;
  }
  return std::max(largest, n);
}

// The planes of an IRFFT that have to be Hermitian across the outer axes, and are not.
bool NonHermitian(const Literal& operand, int64_t first, const std::vector<int64_t>& sizes,
                  int64_t full_last) {
  if (sizes.size() < 2) return false;
  int64_t last = sizes.back(), outer = 1;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) outer *= sizes[d];
  auto mirrored = [&](int64_t o) {
    int64_t result = 0, stride = 1;
    for (size_t d = sizes.size() - 1; d-- > 0;) {
      int64_t k = o % sizes[d];
      result += (k == 0 ? 0 : sizes[d] - k) * stride;
      o /= sizes[d];
      stride *= sizes[d];
    }
    return result;
  };
  std::vector<int64_t> planes = {0};
  if (full_last % 2 == 0 && last > full_last / 2) planes.push_back(full_last / 2);
  for (int64_t k : planes) {
    for (int64_t o = 0; o < outer; ++o) {
      Complex a = ElementAt(operand, first + o * last + k);
      Complex b = ElementAt(operand, first + mirrored(o) * last + k);
      if (a != std::conj(b)) return true;
    }
  }
  return false;
}

// What the imaginary parts of the DC and Nyquist entries add to the elements of an IRFFT's result
// where they are read (ruling 0061): their magnitudes over the number of points, and twice that
// where two halves are transformed as one complex line.
double IgnoredParts(const Literal& operand, int64_t first, int64_t size, int64_t full) {
  double sum = std::fabs(ElementAt(operand, first).imag());
  if (full % 2 == 0 && size > full / 2) {
    sum += std::fabs(ElementAt(operand, first + full / 2).imag());
  }
  return 2 * sum / static_cast<double>(std::max<int64_t>(full, 1));
}

struct FftPlan {
  std::string type;
  std::vector<int64_t> lengths;  // fft_length
  int64_t points = 1;            // their product
  int64_t in_block = 1, out_block = 1;
  double factor = 8;  // ulps * log2(points), Bluestein included
  double reach = 1;   // intermediate values are at most so many times the sum of magnitudes
};

FftPlan PlanOf(const Instruction& instruction, const Shape& in, const Shape& out,
               const Rule& rule) {
  FftPlan plan;
  plan.type = std::string(instruction.WordOr(Attr::kFftType, "FFT"));
  plan.lengths = instruction.IntList(Attr::kFftLength);
  bool bluestein = false;
  for (size_t k = 0; k < plan.lengths.size(); ++k) {
    int64_t back = static_cast<int64_t>(plan.lengths.size() - k);
    plan.points *= plan.lengths[k];
    plan.in_block *= in.dimension(-back);
    plan.out_block *= out.dimension(-back);
    bluestein = bluestein || LargestPrimeFactor(plan.lengths[k]) > 13;
  }
  // Half of a Hermitian input counts twice; Bluestein's convolution, before it is scaled, is longer
  // than twice the points and of length times them.
  double points = static_cast<double>(plan.points);
  plan.reach = (plan.type == "IRFFT" ? 2 : 1) * (bluestein ? 16 * points * points : 1);
  double ulps = rule.ulps * (bluestein ? 3 : 1);
  plan.factor =
      ulps * std::max(1.0, std::log2(static_cast<double>(std::max<int64_t>(plan.points, 1))));
  return plan;
}

// Bound of one transform from its operand's 2-norm and the norm of the operand's own uncertainty.
Block BoundTransform(const FftPlan& plan, const Literal& middle, const SetArray& operand,
                     int64_t first, const FloatFacts& facts) {
  double norm = 0, sum = 0, spread = 0;
  const int components = operand.components();
  const double* parts = reinterpret_cast<const double*>(middle.raw_data());
  for (int64_t i = first; i < first + plan.in_block; ++i) {
    const double re = parts[i * components], im = components == 2 ? parts[i * 2 + 1] : 0;
    const double square = re * re + im * im;
    norm += square;
    sum += square > 0x1p-900 && square < 0x1p900 ? std::sqrt(square) : std::hypot(re, im);
    for (int c = 0; c < components; ++c) {
      double part = operand.exact() ? parts[i * components + c] : 0;  // 0: not finite
      if (std::fabs(part) >= facts.min_normal && std::fabs(part) <= facts.max) continue;
      AcceptanceSet s = operand.At(i, c);
      if (s.unspecified() || !s.finite() ||
          s.Has(AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf)) {
        return {-1};
      }
      double radius =
          (s.hi - s.lo) / 2 + (std::fabs(s.lo) < facts.min_normal ? facts.min_normal : 0);
      spread += radius * radius;
    }
  }
  if (!(sum * plan.reach < facts.max)) return {-1};
  bool inverse = plan.type == "IFFT" || plan.type == "IRFFT";
  double n = static_cast<double>(plan.points);
  double gain = inverse ? 1 / std::sqrt(n) : std::sqrt(n);
  if (plan.type == "IRFFT") gain *= std::sqrt(2.0);
  double u = std::ldexp(1.0, -facts.p);
  double roundoff = plan.factor * u + 64 * plan.factor * 0x1p-53 / 8;
  return {gain * (std::sqrt(norm) * roundoff + std::sqrt(spread)) * (1 + 1e-6) +
          n * facts.min_normal};
}

// [x - bound, x + bound], rounded.
AcceptanceSet Around(double x, double bound, const SetContext& rounding) {
  const FloatFacts& facts = *rounding.result;
  Image image;
  image.finite = true;
  image.lo = {NextDown(x - bound), 0};
  image.hi = {NextUp(x + bound), 0};
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  AcceptanceSet s;
  double least = std::min(std::fabs(image.lo.value), std::fabs(image.hi.value));
  double most = std::max(std::fabs(image.lo.value), std::fabs(image.hi.value));
  if (!image.pos_zero && least > 2 * facts.min_normal && most < facts.max / 2) {
    s.flags = AcceptanceSet::kFinite;
    s.lo = facts.Round(image.lo);
    s.hi = facts.Round(image.hi);
    s.rlo = std::min(image.lo.value, s.lo);
    s.rhi = std::max(image.hi.value, s.hi);
    if (s.rlo != s.lo || s.rhi != s.hi) s.flags |= AcceptanceSet::kHull;
  } else {
    s = StoreImage(image, rounding);
  }
  s.term = Term::kJoint;
  s.origin = rounding.origin;
  return s;
}

}  // namespace

absl::StatusOr<SetValue> FftSets(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  SetContext context =
      interpreter.ContextOf(instruction, operand.element_type(), shape.element_type());
  // Middles of the operand's sets in f64.
  Literal middle(operand.shape().WithElementType(WideType(operand.element_type())));
  double* data = reinterpret_cast<double*>(middle.mutable_raw_data());
  // The parts of an exact operand, where they are f32 or f64.
  const uint8_t* raw = operand.exact() ? operand.literal().raw_data() : nullptr;
  const PrimitiveType part_type = ComponentType(operand.element_type());
  const float* floats =
      part_type == PrimitiveType::kF32 ? reinterpret_cast<const float*>(raw) : nullptr;
  const double* doubles =
      part_type == PrimitiveType::kF64 ? reinterpret_cast<const double*>(raw) : nullptr;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    for (int c = 0; c < operand.components(); ++c) {
      if (floats != nullptr || doubles != nullptr) {
        int64_t at = i * operand.components() + c;
        double part = floats != nullptr ? static_cast<double>(floats[at]) : doubles[at];
        *data++ = std::isfinite(part) ? part : 0;
        continue;
      }
      AcceptanceSet s = operand.At(i, c);
      *data++ = s.finite() && !s.unspecified() ? s.lo / 2 + s.hi / 2 : 0;
    }
  }
  Shape wide = shape.WithElementType(WideType(shape.element_type()));
  HLOCTS_ASSIGN_OR_RETURN(Literal centre, interpreter.runner().Run(instruction, wide, {middle}));
  FftPlan plan = PlanOf(instruction, operand.shape(), shape, context.rule);
  int64_t blocks = plan.in_block == 0 ? 0 : operand.element_count() / plan.in_block;
  std::vector<Block> bounds;
  std::vector<int64_t> in_sizes(operand.shape().dimensions().end() - plan.lengths.size(),
                                operand.shape().dimensions().end());
  for (int64_t b = 0; b < blocks; ++b) {
    Block block = BoundTransform(plan, middle, operand, b * plan.in_block, *context.result);
    if (plan.type == "IRFFT" &&
        NonHermitian(middle, b * plan.in_block, in_sizes, plan.lengths.back())) {
      block.bound = -1;
    }
    if (plan.type == "IRFFT" && block.bound >= 0 && in_sizes.size() == 1) {
      block.bound +=
          std::sqrt(static_cast<double>(plan.out_block)) *
          IgnoredParts(middle, b * plan.in_block, plan.in_block, plan.lengths.back());
    }
    bounds.push_back(block);
  }
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  std::vector<AcceptanceSet> sets;
  int components = IsComplex(shape.element_type()) ? 2 : 1;
  const double* centres = reinterpret_cast<const double*>(centre.raw_data());
  sets.reserve(static_cast<size_t>(shape.ElementCount() * components));
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    double bound = plan.out_block == 0 ? -1 : bounds[i / plan.out_block].bound;
    for (int c = 0; c < components; ++c) {
      if (bound < 0) {
        sets.push_back(AcceptanceSet::Unspecified(Term::kFreedom, context.origin));
        continue;
      }
      sets.push_back(Around(centres[i * components + c], bound, rounding));
    }
  }
  SetArray result(shape, std::move(sets));
  result.joint = std::make_shared<NormwisePredicate>(centre, bounds, plan.out_block);
  result.origin = context.origin;
  return SetValue(std::move(result));
}

namespace {

// ---------------------------------------------------------------- matrices

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

// Lower factor; false when a pivot is not positive.
bool Factor(const Matrix& a, Matrix& l) {
  l = Zero(a.n);
  for (int64_t j = 0; j < a.n; ++j) {
    double pivot = a(j, j).real();
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(l(j, k));
    if (!(pivot > 0) || std::isinf(pivot)) return false;
    l(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < a.n; ++i) {
      Complex x = a(i, j);
      for (int64_t k = 0; k < j; ++k) x -= l(i, k) * std::conj(l(j, k));
      l(i, j) = x / l(j, j);
    }
  }
  return true;
}

// A lower bound of the least eigenvalue of the matrix scaled to unit diagonal: 1/||L^-1||_F^2.
double LeastEigenvalueBound(const Matrix& a) {
  Matrix h = a, l;
  for (int64_t i = 0; i < a.n; ++i) {
    for (int64_t j = 0; j < a.n; ++j) {
      h(i, j) /= std::sqrt(a(i, i).real()) * std::sqrt(a(j, j).real());
    }
  }
  if (!Factor(h, l)) return 0;
  double norm = 0;
  for (int64_t c = 0; c < a.n; ++c) {
    std::vector<Complex> x(a.n);
    for (int64_t i = c; i < a.n; ++i) {
      Complex r = i == c ? 1 : 0;
      for (int64_t k = c; k < i; ++k) r -= l(i, k) * x[k];
      x[i] = r / l(i, i);
      norm += std::norm(x[i]);
    }
  }
  return 1 / norm;
}

// |A - L L^H| <= bound * |L| |L^H| in every element of the stated triangle, from the engine's own
// L.
class CholeskyPredicate : public JointPredicate {
 public:
  CholeskyPredicate(Literal a, bool lower, double bound, double flush, std::vector<bool> free)
      : a_(std::move(a)), lower_(lower), bound_(bound), flush_(flush), free_(std::move(free)) {}
  std::string kind() const override { return "residual"; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = slots[0] != nullptr;
    if (!verdict.checked) return verdict;
    verdict.bits_per_element = std::max(1.0, -std::log2(bound_) - 1);
    int64_t n = a_.shape().dimension(-1);
    int64_t batches = n == 0 ? 0 : a_.element_count() / (n * n);
    for (int64_t b = 0; b < batches; ++b) {
      if (!free_[b] && !Holds(*slots[0], b, n, verdict)) return verdict;
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    std::string text = absl::StrFormat(
        "\"of\":\"cholesky\",\"bound\":%.17g,\"flush\":%.17g,\"lower\":%s", bound_, flush_,
        TrueOrFalse(lower_));
    if (!FitsInFile(a_)) return text;
    return absl::StrCat(text, FreeMember(free_), NumbersMember("matrix", a_));
  }

 private:
  bool Holds(const Literal& actual, int64_t b, int64_t n, Verdict& verdict) const {
    Matrix a = HermitianOf(a_, b, n, lower_), l = Zero(n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        l(i, j) = lower_ ? ElementAt(actual, b * n * n + i * n + j)
                         : std::conj(ElementAt(actual, b * n * n + j * n + i));
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        Complex product = 0;
        double magnitude = 0;
        for (int64_t k = 0; k <= j; ++k) {
          product += l(i, k) * std::conj(l(j, k));
          magnitude += std::abs(l(i, k)) * std::abs(l(j, k));
        }
        double residual = std::abs(a(i, j) - product);
        double allowed = bound_ * magnitude + flush_;
        bool positive = i != j || l(i, i).real() > 0;
        if (residual <= allowed && positive) continue;
        verdict.ok = false;
        verdict.index = b * n * n + (lower_ ? i * n + j : j * n + i);
        verdict.expected = absl::StrFormat("|A - L L^H| at most %g at row %d, column %d, found %g",
                                           allowed, i, j, residual);
        return false;
      }
    }
    return true;
  }
  Literal a_;
  bool lower_;
  double bound_, flush_;
  std::vector<bool> free_;
};

bool AllFinite(const Literal& literal, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i) {
    Complex x = ElementAt(literal, i);
    if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
  }
  return true;
}

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
  SetArray result = SetArray::Unspecified(shape, Term::kJoint, context.origin);
  if (!operand.exact() || !operand.runtime_sizes.empty()) return SetValue(std::move(result));
  bool lower = instruction.BoolOr(Attr::kLower, false);
  int64_t n = shape.dimension(-1), batches = n == 0 ? 0 : shape.ElementCount() / (n * n);
  double u = UnitOf(shape.element_type()) * (IsComplex(shape.element_type()) ? 3 : 1);
  double gamma = static_cast<double>(n + 1) * u;
  std::vector<bool> free(batches, false);
  for (int64_t b = 0; b < batches; ++b) {
    Matrix a = HermitianOf(operand.literal(), b, n, lower), l;
    // Close to singular an engine may break down, or not (acceptance-rules 9).
    free[b] = !AllFinite(a) || !Factor(a, l) ||
              LeastEigenvalueBound(a) <= 4 * static_cast<double>(n) * gamma;
  }
  double bound = context.rule.ulps * gamma + static_cast<double>(n + 2) * 0x1p-52;
  double flush = 4 * static_cast<double>(n + 1) * context.result->min_normal;
  bool any = false;
  for (bool f : free) any = any || !f;
  if (any) {
    result.joint =
        std::make_shared<CholeskyPredicate>(operand.literal(), lower, bound, flush, free);
  }
  return SetValue(std::move(result));
}

namespace {

// One system T x = b with T lower or upper triangular, read from the operands as the attributes
// say.
struct SolveGeometry {
  int64_t n = 0, columns = 0, batches = 0;
  bool left = true, lower = true, unit = false;
  std::string transpose;
};

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
bool EffectiveLower(const SolveGeometry& g) {
  bool swap = (g.transpose != "NO_TRANSPOSE") != !g.left;
  return g.lower != swap;
}
int64_t UnknownAt(const SolveGeometry& g, int64_t b, int64_t i, int64_t c) {
  int64_t size = g.n * g.columns;
  return b * size + (g.left ? i * g.columns + c : c * g.n + i);
}

// |b - T x| <= bound |T||x| in every element, from the engine's own x.
class SolvePredicate : public JointPredicate {
 public:
  SolvePredicate(Literal a, Literal b, SolveGeometry geometry, double bound, double flush,
                 std::vector<bool> free)
      : a_(std::move(a)),
        b_(std::move(b)),
        geometry_(std::move(geometry)),
        bound_(bound),
        flush_(flush),
        free_(std::move(free)) {}
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
        for (int64_t i = 0; i < g.n; ++i) {
          if (!Holds(*slots[0], b, c, i, verdict)) return verdict;
        }
      }
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    std::string text = absl::StrFormat(
        "\"of\":\"triangular_solve\",\"bound\":%.17g,\"flush\":%.17g,\"lower\":%s,\"left\":%s,"
        "\"unit\":%s,\"transpose\":\"%s\"",
        bound_, flush_, TrueOrFalse(geometry_.lower), TrueOrFalse(geometry_.left),
        TrueOrFalse(geometry_.unit), geometry_.transpose);
    if (!FitsInFile(a_) || !FitsInFile(b_)) return text;
    return absl::StrCat(text, FreeMember(free_), NumbersMember("matrix", a_),
                        NumbersMember("right", b_));
  }

 private:
  bool Holds(const Literal& x, int64_t b, int64_t c, int64_t i, Verdict& verdict) const {
    const SolveGeometry& g = geometry_;
    Complex sum = 0;
    double magnitude = 0;
    for (int64_t j = 0; j < g.n; ++j) {
      Complex t = CoefficientAt(a_, g, b, i, j);
      if (t == 0.0) continue;
      Complex xj = ElementAt(x, UnknownAt(g, b, j, c));
      sum += t * xj;
      magnitude += std::abs(t) * std::abs(xj);
    }
    Complex rhs = ElementAt(b_, UnknownAt(g, b, i, c));
    double residual = std::abs(rhs - sum);
    double allowed = bound_ * (magnitude + std::abs(rhs)) +
                     flush_ * (1 + std::abs(CoefficientAt(a_, g, b, i, i)));
    if (residual <= allowed) return true;
    verdict.ok = false;
    verdict.index = UnknownAt(g, b, i, c);
    verdict.expected = absl::StrFormat("|b - T x| at most %g in row %d, column %d, found %g",
                                       allowed, i, c, residual);
    return false;
  }
  Literal a_, b_;
  SolveGeometry geometry_;
  double bound_, flush_;
  std::vector<bool> free_;
};

// |x - x^| <= M^-1 (bound |T||x|) with M the comparison matrix of T: substitution with magnitudes.
void ForwardBounds(const Literal& a, const Literal& x, const SolveGeometry& g, double bound,
                   double flush, int64_t b, std::vector<double>& spread) {
  bool lower = EffectiveLower(g);
  for (int64_t c = 0; c < g.columns; ++c) {
    for (int64_t step = 0; step < g.n; ++step) {
      int64_t i = lower ? step : g.n - 1 - step;
      double rhs = flush, carried = 0;
      for (int64_t j = 0; j < g.n; ++j) {
        double t = std::abs(CoefficientAt(a, g, b, i, j));
        if (t == 0) continue;
        rhs += bound * 2 * t * std::abs(ElementAt(x, UnknownAt(g, b, j, c)));
        if (j != i) carried += t * spread[UnknownAt(g, b, j, c)];
      }
      double diagonal = std::abs(CoefficientAt(a, g, b, i, i));
      spread[UnknownAt(g, b, i, c)] = (rhs + carried * (1 + 2 * bound)) / diagonal * 1.01 + flush;
    }
  }
}

// Whether a product on the way may leave the range: of a coefficient and an unknown, or, where they
// are complex, of a diagonal element with its conjugate, by which a quotient may be computed.
bool MayOverflow(const Literal& a, const Literal& x, const SolveGeometry& g, int64_t b,
                 const FloatFacts& facts) {
  const double most = facts.max / (16 * static_cast<double>(g.n));
  const double root_most = std::sqrt(facts.max) / 4, root_least = 4 * std::sqrt(facts.min_normal);
  const bool squares = IsComplex(a.element_type());
  for (int64_t i = 0; i < g.n; ++i) {
    const double diagonal = std::abs(CoefficientAt(a, g, b, i, i));
    if (squares && !(diagonal > root_least && diagonal < root_most)) return true;
    for (int64_t j = 0; j < g.n; ++j) {
      const double t = std::abs(CoefficientAt(a, g, b, i, j));
      for (int64_t c = 0; c < g.columns && t != 0; ++c) {
        if (!(t * std::abs(ElementAt(x, UnknownAt(g, b, j, c))) < most)) return true;
      }
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<SetValue> TriangularSolveSets(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  SetContext context = interpreter.ContextOf(instruction, b.element_type(), shape.element_type());
  SetArray result = SetArray::Unspecified(shape, Term::kJoint, context.origin);
  if (!a.exact() || !b.exact() || shape.rank() < 2) return SetValue(std::move(result));
  SolveGeometry g;
  g.left = instruction.BoolOr(Attr::kLeftSide, false);
  g.lower = instruction.BoolOr(Attr::kLower, false);
  g.unit = instruction.BoolOr(Attr::kUnitDiagonal, false);
  g.transpose = std::string(instruction.WordOr(Attr::kTransposeA, "NO_TRANSPOSE"));
  g.n = a.shape().dimension(-1);
  g.columns = g.left ? shape.dimension(-1) : shape.dimension(-2);
  g.batches = g.n == 0 ? 0 : a.element_count() / (g.n * g.n);
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
  int64_t per_batch = g.n * g.columns;
  for (int64_t k = 0; k < g.batches; ++k) {
    free[k] = !AllFinite(a.literal(), g, k) || !AllFinite(b.literal(), k * per_batch, per_batch) ||
              !AllFinite(x, k * per_batch, per_batch);
    // A zero on the diagonal, or what may be read as one, leaves the system open (ruling 0033).
    double least = context.rule.Allows(kFlushOperand) ? context.operand->min_normal : 0;
    for (int64_t i = 0; i < g.n; ++i) {
      double diagonal = std::abs(CoefficientAt(a.literal(), g, k, i, i));
      free[k] = free[k] || diagonal == 0 || diagonal < least;
    }
    free[k] = free[k] || MayOverflow(a.literal(), x, g, k, *context.result);
    if (!free[k]) ForwardBounds(a.literal(), x, g, bound, flush, k, spread);
  }
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    if (per_batch == 0 || free[i / per_batch] || !std::isfinite(spread[i])) continue;
    for (int c = 0; c < result.components(); ++c) {
      double middle = RealAt(x, i, c);
      Image image;
      image.finite = true;
      image.lo = {NextDown(middle - spread[i]), 0};
      image.hi = {NextUp(middle + spread[i]), 0};
      if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
      AcceptanceSet s = StoreImage(image, rounding);
      s.term = Term::kJoint;
      s.origin = context.origin;
      sets[i * result.components() + c] = s;
    }
  }
  bool any = false;
  for (bool f : free) any = any || !f;
  if (any) {
    result.joint =
        std::make_shared<SolvePredicate>(a.literal(), b.literal(), g, bound, flush, free);
  }
  return SetValue(std::move(result));
}

}  // namespace hlocts
