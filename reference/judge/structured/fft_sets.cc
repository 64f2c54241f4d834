// SPDX-License-Identifier: Apache-2.0
// Computes the sets of fft. If the result is an output, a joint predicate judges each transform.
// For instructions that read the result, each element has a bound.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/fft_predicate.h"
#include "spec/ir/instruction.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

// Bounds the effect of rounding on single results of a Fourier transform of 2^t points (lemma 21).
// The bound of a result depends on the lengths of the butterflies from which it is computed.

// The butterflies of transforms of n = 2^t numbers, t >= 1.
class Butterflies {
 public:
  Butterflies(size_t n, bool forward);
  // Returns for each result of the unscaled transform of x the sum of the lengths of its
  // butterflies. The length of a butterfly is the 2-norm of its two results.
  std::vector<double> LengthsOf(absl::Span<const std::complex<double>> x) const;

 private:
  std::vector<std::complex<double>> twiddles_;
};

using Z = std::complex<double>;

// Exceeds the rounding error of the sums in this file, which is less than 2^-53 for each addition,
// relative to the sum of the magnitudes of all parts.
constexpr double kOwnRounding = 0x1p-40;

// Returns exp(-2 pi i k / n) or its conjugate for k < n/2.
std::vector<Z> Twiddles(size_t n, bool forward) {
  std::vector<Z> twiddles(n / 2);
  const double step = (forward ? -2 : 2) * M_PI / static_cast<double>(n);
  for (size_t k = 0; k < twiddles.size(); ++k) {
    twiddles[k] = {std::cos(step * static_cast<double>(k)),
                   std::sin(step * static_cast<double>(k))};
  }
  return twiddles;
}

// One level of a transform: computes 2 * parts transforms of length / 2 residues from `parts`
// transforms of `length` residues. LengthsOf sums the lengths of the butterflies in one of them.
struct Level {
  size_t parts, length;

  double LengthsOf(const Z* from) const {
    const size_t half = length / 2;
    double sum = 0;
    for (size_t r = 0; r < half; ++r) {
      sum += std::sqrt(std::norm(from[r]) + std::norm(from[r + half]));
    }
    return std::sqrt(2.0) * sum;  // |(a + wb, a - wb)| = sqrt(2) |(a, b)|
  }

  void Combine(const std::vector<Z>& from, const std::vector<Z>& twiddles,
               std::vector<Z>& to) const {
    const size_t half = length / 2;
    for (size_t k = 0; k < parts; ++k) {
      const Z w = twiddles[k * half];
      const Z* a = from.data() + k * length;
      Z* sum = to.data() + k * half;
      Z* difference = to.data() + (k + parts) * half;
      for (size_t r = 0; r < half; ++r) {
        const Z b = a[r + half];
        const Z wb(w.real() * b.real() - w.imag() * b.imag(),
                   w.real() * b.imag() + w.imag() * b.real());
        sum[r] = a[r] + wb;
        difference[r] = a[r] - wb;
      }
    }
  }
};

// Returns a power of two that scales the largest part to about 1, so that squares stay in range.
double ScaleOf(absl::Span<const Z> x) {
  double most = 0;
  for (const Z& z : x) most = std::max({most, std::fabs(z.real()), std::fabs(z.imag())});
  int exponent = 0;
  std::frexp(most, &exponent);
  return std::ldexp(1.0, -std::max(exponent, -1000));
}

Butterflies::Butterflies(size_t n, bool forward) : twiddles_(Twiddles(n, forward)) {}

std::vector<double> Butterflies::LengthsOf(absl::Span<const Z> x) const {
  const size_t n = x.size();
  std::vector<Z> from(x.begin(), x.end()), to(n);
  const double scale = ScaleOf(x);
  double magnitudes = 0;
  for (Z& z : from) {
    z *= scale;
    magnitudes += std::fabs(z.real()) + std::fabs(z.imag());
  }
  // Results with indices congruent modulo `parts` have the same butterflies up to that level.
  std::vector<double> behind(n, 0);
  for (Level level = {1, n}; level.length > 1; level = {level.parts * 2, level.length / 2}) {
    for (size_t k = 0; k < level.parts; ++k) {
      const double lengths = level.LengthsOf(from.data() + k * level.length);
      behind[k] += (lengths + kOwnRounding * magnitudes) / scale;
    }
    std::copy_n(behind.begin(), level.parts, behind.begin() + static_cast<int64_t>(level.parts));
    level.Combine(from, twiddles_, to);
    from.swap(to);
  }
  return behind;
}

// Bounds of the errors and intermediate values of one fast Fourier transform (lemma 21).
struct TransformCost {
  double units = 0;    // rounding error, relative to the result's 2-norm
  double flushes = 0;  // loss by flushes and underflow, in units of the least (normal) number
  double reach = 1;    // bound of intermediate values, relative to the sum of magnitudes
};

// All engines transform prime lengths up to kSmoothMax by the definition, some up to kDirectMax.
constexpr int64_t kSmoothMax = 13, kDirectMax = 127;

std::vector<int64_t> PrimeFactors(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// Returns the units of a mixed-radix transform: each step uses twiddles and a direct transform.
double UnitsOfSteps(int64_t n, double level) {
  double units = 0;
  for (int64_t factor : PrimeFactors(n)) {
    const double r = static_cast<double>(factor);
    units += (level - 1) * (factor == 2 ? 1 : 1 + std::sqrt(r)) + (r - 1);
  }
  return units;
}

// Returns the units of a convolution with a chirp: three longer, smooth transforms and products.
double UnitsOfChirp(int64_t n, double level, const Bounds& bounds) {
  const double levels = std::log2(static_cast<double>(n)) + bounds.ChirpPadding();
  const double transforms = 3 * bounds.SmoothSteps() * level * levels;
  return 2 * (level - 1) + bounds.ChirpSpectrum() * (level - 1 + transforms);
}

int64_t LargestPrimeFactor(int64_t n) { return n < 2 ? 1 : PrimeFactors(n).back(); }

double UnitsOfTransform(int64_t n, double level, const Bounds& bounds) {
  const int64_t largest = LargestPrimeFactor(n);
  if (largest <= kSmoothMax) return UnitsOfSteps(n, level);
  if (largest > kDirectMax) return UnitsOfChirp(n, level, bounds);
  return std::max(UnitsOfSteps(n, level), UnitsOfChirp(n, level, bounds));
}

// Returns the cost along axes of these lengths. `level` is the units of a step of length two.
TransformCost CostOf(const std::vector<int64_t>& lengths, double level, const Bounds& bounds) {
  TransformCost cost;
  int64_t largest = 2;
  double points = 1;
  for (int64_t n : lengths) {
    cost.units += UnitsOfTransform(n, level, bounds);
    largest = std::max(largest, LargestPrimeFactor(n));
    points *= static_cast<double>(n);
  }
  cost.flushes = bounds.FftFlushes() * std::sqrt(static_cast<double>(largest)) * points;
  // If there is a large prime factor, the transform is a convolution with a chirp. Before scaling,
  // it has up to 4 * points points, and its products may be larger by a factor of 2 * points.
  if (largest > kSmoothMax) {
    cost.reach = bounds.ChirpReach() * points * points;
    cost.flushes = std::max(cost.flushes, bounds.ChirpFlushes() * points);
  }
  return cost;
}

// Returns true if a plane of an IRFFT's operand has to be Hermitian across outer axes but is not.
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

// Returns the contribution to an IRFFT's result of the imaginary parts of the DC and Nyquist
// entries, which an engine may read (ruling 0061). It is the sum of their magnitudes divided by the
// number of points. It is doubled, because an engine may transform two halves as one complex line.
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
  int64_t points = 1;            // the product of `lengths`
  int64_t in_block = 1, out_block = 1;
  TransformCost cost;
  bool flushed = false;  // flushes lose normal numbers, not only subnormals
  bool inverse = false;
  std::shared_ptr<const Butterflies> butterflies;  // for one transform of 2^t points
  double own = 0;  // the error of the judge's centre, relative to its norm
};

// Rounding units of a step of length two in the reference's f64 transform (lemma 21).
constexpr double kOwnLevel = 8;

// Exact numbers of at most 32 bits are transformed in f64, others in 80 bits and then rounded once.
bool TransformsInF64(const SetArray& operand) {
  return operand.exact() && BitWidth(ComponentType(operand.element_type())) <= 32;
}

FftPlan PlanOf(const Instruction& instruction, const SetArray& operand, const Shape& out,
               const Rule& rule, const Bounds& bounds) {
  const Shape& in = operand.shape();
  FftPlan plan{.type = std::string(instruction.WordOr(Attr::kFftType, "FFT")),
               .lengths = instruction.IntList(Attr::kFftLength)};
  for (size_t k = 0; k < plan.lengths.size(); ++k) {
    int64_t back = static_cast<int64_t>(plan.lengths.size() - k);
    plan.points *= plan.lengths[k];
    plan.in_block *= in.dimension(-back);
    plan.out_block *= out.dimension(-back);
  }
  plan.cost = CostOf(plan.lengths, rule.ulps, bounds);
  plan.own = TransformsInF64(operand)
                 ? (1 + CostOf(plan.lengths, kOwnLevel, bounds).units) * 0x1p-53
                 : (1 + plan.cost.units * 0x1p-11) * 0x1p-53;
  if (plan.type == "IRFFT") plan.cost.reach *= 2;  // the operand is half of a Hermitian array
  plan.flushed = rule.Allows(kFlushResult);
  plan.inverse = plan.type == "IFFT" || plan.type == "IRFFT";
  const bool complex = plan.type == "FFT" || plan.type == "IFFT";
  const bool power_of_two = plan.points > 1 && (plan.points & (plan.points - 1)) == 0;
  if (complex && power_of_two && plan.lengths.size() == 1) {
    plan.butterflies =
        std::make_shared<Butterflies>(static_cast<size_t>(plan.points), !plan.inverse);
  }
  return plan;
}

double Flushes(const FftPlan& plan, const FloatFacts& facts) {
  return plan.cost.flushes * (plan.flushed ? facts.min_normal : facts.tiny);
}

// Bounds the error of one transform by the 2-norms of its operand and the operand's uncertainty.
TransformBound BoundTransform(const FftPlan& plan, const Literal& middle, const SetArray& operand,
                              int64_t first, const FloatFacts& facts) {
  Norm norm, spread;
  double sum = 0, spread_sum = 0;
  const int components = operand.components();
  const double* parts = reinterpret_cast<const double*>(middle.raw_data());
  for (int64_t i = first; i < first + plan.in_block; ++i) {
    const double re = parts[i * components], im = components == 2 ? parts[i * 2 + 1] : 0;
    const double square = re * re + im * im;
    norm.Add(re);
    norm.Add(im);
    sum += square > 0x1p-900 && square < 0x1p900 ? std::sqrt(square) : std::hypot(re, im);
    for (int c = 0; c < components; ++c) {
      double part = operand.exact() ? parts[i * components + c] : 0;  // 0 if not finite
      if (std::fabs(part) >= facts.min_normal && std::fabs(part) <= facts.max) continue;
      AcceptanceSet s = operand.At(i, c);
      if (s.unspecified() || !s.finite() ||
          s.Has(AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf)) {
        return {-1};
      }
      const bool small = plan.flushed && std::fabs(s.lo) < facts.min_normal;
      double radius = (s.hi - s.lo) / 2 + (small ? facts.min_normal : 0);
      spread.Add(radius);
      spread_sum += radius;
    }
  }
  if (!(sum * plan.cost.reach < facts.max)) return {-1};
  double n = static_cast<double>(plan.points);
  double gain = plan.inverse ? 1 / std::sqrt(n) : std::sqrt(n);
  if (plan.type == "IRFFT") gain *= std::sqrt(2.0);
  double u = std::ldexp(1.0, -facts.p);
  double roundoff = plan.cost.units * u + plan.own;
  return {gain * (norm.Value() * roundoff + spread.Value()) * (1 + 1e-6) + Flushes(plan, facts),
          spread_sum, roundoff};
}

// Returns for each result of a transform the smaller of two error bounds: by the norm of all
// results, and by the butterflies of the result. The uncertainty of an inexact operand lengthens
// the butterflies of every level by at most sqrt 2 times its spread.
std::vector<double> ElementBounds(const FftPlan& plan, const TransformBound& block,
                                  const Complex* operand, const FloatFacts& facts) {
  std::vector<double> bounds(static_cast<size_t>(plan.out_block), block.bound);
  if (plan.butterflies == nullptr || block.bound < 0) return bounds;
  const double points = static_cast<double>(plan.points), levels = std::log2(points);
  const std::vector<double> lengths =
      plan.butterflies->LengthsOf({operand, static_cast<size_t>(plan.points)});
  for (size_t k = 0; k < bounds.size(); ++k) {
    const double length = lengths[k] + std::sqrt(2.0) * levels * block.spread;
    const double error = (block.roundoff / levels * length + block.spread) * (1 + 1e-6);
    const double scaled = plan.inverse ? error / points : error;
    bounds[k] = std::min(bounds[k], scaled + Flushes(plan, facts));
  }
  return bounds;
}

// Returns [x - bound, x + bound], rounded.
AcceptanceSet Around(double x, double bound, const SetContext& rounding) {
  const FloatFacts& facts = *rounding.result;
  Image image{.finite = true, .lo = {NextDown(x - bound), 0}, .hi = {NextUp(x + bound), 0}};
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
    if (s.rlo != s.lo || s.rhi != s.hi) s.flags |= AcceptanceSet::kPreRounding;
  } else {
    s = StoreImage(image, rounding);
  }
  s.cause = WideningCause::kJoint;
  s.origin = rounding.origin;
  return s;
}

// Returns the midpoints of the operand's sets in f64, with 0 for a set that has none.
Literal MiddlesOf(const SetArray& operand) {
  Literal middle(operand.shape().WithElementType(WideType(operand.element_type())));
  double* data = reinterpret_cast<double*>(middle.mutable_raw_data());
  // The parts of an exact operand, if they are f32 or f64.
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
  return middle;
}

// Returns the error bound of each transform; a negative bound means that none is known.
std::vector<TransformBound> BoundsOf(const FftPlan& plan, const Literal& middle,
                                     const SetArray& operand, const FloatFacts& facts) {
  const int64_t blocks = plan.in_block == 0 ? 0 : operand.element_count() / plan.in_block;
  std::vector<TransformBound> bounds;
  std::vector<int64_t> in_sizes(operand.shape().dimensions().end() - plan.lengths.size(),
                                operand.shape().dimensions().end());
  for (int64_t b = 0; b < blocks; ++b) {
    TransformBound block = BoundTransform(plan, middle, operand, b * plan.in_block, facts);
    if (plan.type == "IRFFT" &&
        NonHermitian(middle, b * plan.in_block, in_sizes, plan.lengths.back())) {
      block.bound = -1;
    }
    if (plan.type == "IRFFT" && block.bound >= 0 && in_sizes.size() == 1) {
      block.bound += std::sqrt(static_cast<double>(plan.out_block)) *
                     IgnoredParts(middle, b * plan.in_block, plan.in_block, plan.lengths.back());
    }
    bounds.push_back(block);
  }
  return bounds;
}

}  // namespace

absl::StatusOr<SetValue> FftSets(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  SetContext context =
      interpreter.ContextOf(instruction, operand.element_type(), shape.element_type());
  const Literal middle = MiddlesOf(operand);
  Shape wide = shape.WithElementType(WideType(shape.element_type()));
  // The evaluator's precision follows from the operand's type, so some exact operands are evaluated
  // in their own type and not as f64 midpoints. A transform with an infinity or a NaN is
  // unspecified.
  const Literal& from = TransformsInF64(operand) ? operand.literal() : middle;
  HLOCTS_ASSIGN_OR_RETURN(Literal centre, interpreter.runner().Run(instruction, wide, {from}));
  FftPlan plan = PlanOf(instruction, operand, shape, context.rule, *context.bounds);
  const std::vector<TransformBound> bounds = BoundsOf(plan, middle, operand, *context.result);
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  std::vector<AcceptanceSet> sets;
  int components = IsComplex(shape.element_type()) ? 2 : 1;
  const double* centres = reinterpret_cast<const double*>(centre.raw_data());
  sets.reserve(static_cast<size_t>(shape.ElementCount() * components));
  std::vector<double> of_block;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    const int64_t block = i / plan.out_block;
    if (i % plan.out_block == 0) {
      const Complex* parts = reinterpret_cast<const Complex*>(middle.raw_data());
      of_block = ElementBounds(plan, bounds[block], parts + block * plan.in_block, *context.result);
    }
    const double bound = of_block[static_cast<size_t>(i % plan.out_block)];
    for (int c = 0; c < components; ++c) {
      if (bound < 0) {
        sets.push_back(AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin));
        continue;
      }
      sets.push_back(Around(centres[i * components + c], bound, rounding));
    }
  }
  SetArray result(shape, std::move(sets));
  result.joint = MakeNormwisePredicate(centre, bounds, plan.out_block);
  result.origin = context.origin;
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
