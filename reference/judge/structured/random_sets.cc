// SPDX-License-Identifier: Apache-2.0
// Computes the sets of random operations (lemma 18). Each element has a range, and the distribution
// of all elements is tested at alpha 1e-12. Counter-based generators have exact results if an
// engine declares that its layout of bits is XLA's.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_format.h"
#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kSamplesMin = 32;
// The limit in deviations for 64 bit positions together: 64 * 2 exp(-t^2/2) <= 1e-12 (lemma 18).
constexpr double kSigmas = 8.07;

double KolmogorovLimit(int64_t n) {
  // P(D > d) <= 2 exp(-2 n d^2) = 1e-12
  return std::sqrt(std::log(2e12) / (2 * static_cast<double>(n)));
}

// Requires that the elements look like draws with this cumulative distribution function.
class DistributionPredicate : public JointPredicate {
 public:
  enum class Kind { kUniform, kUniformInteger, kNormal };
  // `grain` is the coarseness of draws, as a share of the interval.
  DistributionPredicate(Kind kind, double a, double b, double grain)
      : kind_(kind), a_(a), b_(b), grain_(grain) {}
  // Makes the predicate for [a, b) from distances to a, since doubles may not hold the integers.
  static DistributionPredicate OfIntegers(Int128 a, Int128 b) {
    constexpr double kGrain = 0x1p-52;  // relative error of a distance from a in a double
    DistributionPredicate predicate(Kind::kUniformInteger, 0, static_cast<double>(b - a), kGrain);
    predicate.origin_ = a;
    return predicate;
  }
  std::string kind() const override { return "distribution"; }
  bool draws() const override { return true; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    int64_t n = slots[0] == nullptr ? 0 : slots[0]->element_count();
    if (n < kSamplesMin) return verdict;  // too few draws to test
    verdict.checked = true;
    verdict.bits_per_element = std::max(0.0, -std::log2(KolmogorovLimit(n) + grain_));
    std::vector<double> draws;
    for (int64_t i = 0; i < n; ++i) draws.push_back(DrawAt(*slots[0], i));
    CheckDistance(draws, verdict);
    if (verdict.ok) CheckVariance(draws, verdict);
    if (verdict.ok) CheckNeighbours(draws, verdict);
    return verdict;
  }
  std::string ParametersJson() const override {
    const char* names[] = {"uniform", "uniform_integer", "normal"};
    return absl::StrFormat("\"distribution\":\"%s\",\"a\":%.17g,\"b\":%.17g",
                           names[static_cast<int>(kind_)], a_ + static_cast<double>(origin_),
                           b_ + static_cast<double>(origin_));
  }

 private:
  double DrawAt(const Literal& draws, int64_t i) const {
    if (kind_ != Kind::kUniformInteger) return RealAt(draws, i);
    return static_cast<double>(PointOf(draws, i).ilo - origin_);
  }
  double Cumulative(double x) const {
    if (kind_ == Kind::kNormal) return 0.5 * std::erfc(-(x - a_) / (b_ * std::sqrt(2.0)));
    if (kind_ == Kind::kUniformInteger) return (std::floor(x) + 1 - a_) / (b_ - a_);
    return (x - a_) / (b_ - a_);
  }
  void CheckDistance(std::vector<double> draws, Verdict& verdict) const {
    std::sort(draws.begin(), draws.end());
    double n = static_cast<double>(draws.size()), worst = 0;
    for (size_t i = 0; i < draws.size(); ++i) {
      // Among equal draws, only the last has the full height of the empirical distribution.
      if (i + 1 < draws.size() && draws[i + 1] == draws[i]) continue;
      worst = std::max(worst, std::fabs((static_cast<double>(i) + 1) / n - Cumulative(draws[i])));
    }
    double limit = KolmogorovLimit(static_cast<int64_t>(draws.size())) + grain_;
    if (!(worst > limit)) return;
    verdict.ok = false;
    verdict.expected = absl::StrFormat(
        "distance from the distribution at most %.4f (Kolmogorov-Smirnov, alpha 1e-12), found %.4f",
        limit, worst);
  }
  // Requires that the mean squared distance from the mean is near the variance (lemma 18). The
  // Kolmogorov-Smirnov test detects a wrong scale poorly.
  void CheckVariance(const std::vector<double>& draws, Verdict& verdict) const {
    if (kind_ == Kind::kUniformInteger) return;
    const bool normal = kind_ == Kind::kNormal;
    const double mean = normal ? a_ : a_ / 2 + b_ / 2;
    const double deviation = normal ? b_ : (b_ - a_) / std::sqrt(12.0);
    const double n = static_cast<double>(draws.size()), x = std::log(2e12) / n;
    double sum = 0;
    for (double draw : draws) {
      const double z = (draw - mean) / deviation;
      sum += z * z;
    }
    // For normal draws, uses Laurent and Massart's bound of a sum of squares. For uniform draws,
    // uses Bernstein's bound, since their squares are at most 3 and have variance 0.8.
    double limit = normal ? 2 * std::sqrt(x) + 2 * x : x + std::sqrt(x * x + 2 * 0.8 * x);
    limit += 16 * grain_;
    if (std::fabs(sum / n - 1) <= limit) return;
    verdict.ok = false;
    verdict.expected = absl::StrFormat(
        "variance within %.4f of the distribution's (alpha 1e-12), found %.4f times it", limit,
        sum / n);
  }
  // Requires a small correlation of neighbouring elements, since they are independent.
  void CheckNeighbours(const std::vector<double>& draws, Verdict& verdict) const {
    // If all draws are equal, there is no correlation to test.
    auto [least, largest] = std::minmax_element(draws.begin(), draws.end());
    if (draws.size() < 256 || *least == *largest) return;
    double n = static_cast<double>(draws.size()), mean = 0, variance = 0, product = 0;
    for (double x : draws) mean += x / n;
    for (size_t i = 0; i < draws.size(); ++i) {
      variance += (draws[i] - mean) * (draws[i] - mean);
      if (i > 0) product += (draws[i] - mean) * (draws[i - 1] - mean);
    }
    double correlation = product / variance, limit = (kSigmas + 1) / std::sqrt(n);
    if (std::fabs(correlation) <= limit) return;
    verdict.ok = false;
    verdict.expected = absl::StrFormat(
        "correlation of neighbouring elements at most %.4f, found %.4f", limit, correlation);
  }
  Kind kind_;
  double a_, b_, grain_;
  Int128 origin_ = 0;
};

// Requires that every bit is set in about half of the elements.
class UniformBitsPredicate : public JointPredicate {
 public:
  std::string kind() const override { return "distribution"; }
  bool draws() const override { return true; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    int64_t n = slots[0] == nullptr ? 0 : slots[0]->element_count();
    if (n < 2 * kSamplesMin || IsComplex(slots[0]->element_type())) return verdict;
    verdict.checked = true;
    const int bits = BitWidth(slots[0]->element_type());
    const auto bytes = static_cast<size_t>(StorageBytes(slots[0]->element_type()));
    // bits_per_element follows from the permitted distance of a bit's frequency from one half.
    verdict.bits_per_element =
        std::max(0.0, std::log2(std::sqrt(static_cast<double>(n)) / kSigmas));
    for (int bit = 0; bit < bits; ++bit) {
      int64_t ones = 0;
      for (int64_t i = 0; i < n; ++i) {
        uint64_t stored = 0;
        std::memcpy(&stored, slots[0]->raw_data() + static_cast<size_t>(i) * bytes, bytes);
        ones += static_cast<int64_t>((stored >> bit) & 1);
      }
      double sigmas =
          std::fabs(static_cast<double>(2 * ones - n)) / std::sqrt(static_cast<double>(n));
      if (sigmas <= kSigmas) continue;
      verdict.ok = false;
      verdict.expected =
          absl::StrFormat("bit %d is set in half of the elements, found %d of %d", bit, ones, n);
      return verdict;
    }
    return verdict;
  }
  std::string ParametersJson() const override { return "\"distribution\":\"uniform_bits\""; }
};

// Returns true if subnormal bounds or draws may be flushed.
bool Flushes(PrimitiveType type, Profile profile) {
  return (ArithmeticPermissions(type, profile) & (kFlushResult | kFlushOperand)) != 0;
}

// Returns the distance from zero within which draws of a float type may become zero: the least
// normal number if subnormals may be flushed, else the least number.
double NearZero(PrimitiveType type, const SetContext& context, Profile profile) {
  return Flushes(type, profile) ? context.result->min_normal : context.result->tiny;
}

// Returns the values that one random element may have.
AcceptanceSet RangeOf(DistributionPredicate::Kind kind, PrimitiveType type, double a, double b,
                      const SetContext& context, Profile profile, bool rounds_up) {
  const FloatFacts& facts = *context.result;
  bool normal = kind == DistributionPredicate::Kind::kNormal;
  // The interval is [a, b). In the relaxed profile, or if the engine declares this fact, a draw may
  // be rounded to b (ruling 0029).
  bool closed = profile == Profile::kRelaxed || rounds_up;
  AcceptanceSet s = normal ? AcceptanceSet::Interval(-facts.max, facts.max)
                           : AcceptanceSet::Interval(a, closed ? b : facts.Previous(b));
  return Flushes(type, profile) ? WithFlushes(s, facts) : s;
}

// Returns an array whose elements all have the set `one` and together satisfy `joint`.
SetValue Draws(const Shape& shape, AcceptanceSet one, std::shared_ptr<JointPredicate> joint,
               uint32_t origin) {
  one.cause = WideningCause::kJoint;
  one.origin = origin;
  SetArray result(shape, std::vector<AcceptanceSet>(shape.ElementCount(), one));
  result.joint = std::move(joint);
  result.origin = origin;
  return SetValue(std::move(result));
}

// Computes integer draws: a is possible, b is not (ruling 0029). No rule covers an empty interval.
absl::StatusOr<SetValue> IntegerRngSets(SetInterpreter& interpreter, const Instruction& instruction,
                                        const Shape& shape, const Literal& first,
                                        const Literal& end, uint32_t origin) {
  const Int128 a = PointOf(first, 0).ilo, b = PointOf(end, 0).ilo;
  if (instruction.WordOr(Attr::kDistribution, "rng_uniform") == "rng_normal" || a >= b) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  }
  if (shape.element_type() == PrimitiveType::kPred) {
    return Draws(shape, AcceptanceSet::Integers(0, 1), nullptr, origin);
  }
  return Draws(shape, AcceptanceSet::Integers(a, b - 1),
               std::make_shared<DistributionPredicate>(DistributionPredicate::OfIntegers(a, b)),
               origin);
}

}  // namespace

absl::StatusOr<SetValue> RngSets(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands) {
  using Kind = DistributionPredicate::Kind;
  PrimitiveType type = shape.element_type();
  SetContext context;
  context.rule = interpreter.RuleOf(Opcode::kRng, type);
  context.origin = interpreter.OriginOf(instruction, context.rule);
  bool known = operands.size() == 2 && operands[0].array.exact() && operands[1].array.exact() &&
               !IsComplex(type);
  if (!known) return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  if (!IsFloat(type)) {
    return IntegerRngSets(interpreter, instruction, shape, operands[0].array.literal(),
                          operands[1].array.literal(), context.origin);
  }
  context.result = &FactsOf(type);
  double a = RealAt(operands[0].array.literal(), 0), b = RealAt(operands[1].array.literal(), 0);
  bool normal = instruction.WordOr(Attr::kDistribution, "rng_uniform") == "rng_normal";
  bool proper = normal ? b > 0 && FormatOf(type).has_sign : b > a;
  // The product that is added to the first bound or to the mean may overflow.
  constexpr double kTails = 64;
  const double reach = normal ? std::fabs(a) + kTails * b : b - a;
  proper = proper && reach <= FactsOf(type).max;
  if (!proper || !std::isfinite(a) || !std::isfinite(b)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  }
  const Kind kind = normal ? Kind::kNormal : Kind::kUniform;
  const bool rounds_up =
      interpreter.options().facts.rng_end && interpreter.profile() != Profile::kStrict;
  const double step = std::ldexp(1.0, 1 - FactsOf(type).p);
  // Far from zero, few numbers of the type may be between the bounds or near the mean.
  const double far = normal ? std::fabs(a) : std::max(std::fabs(a), std::fabs(b));
  const double width = normal ? b : b - a;
  const double near = NearZero(type, context, interpreter.profile());
  const double grain = std::max({step, far * step / width, near / width});
  return Draws(shape, RangeOf(kind, type, a, b, context, interpreter.profile(), rounds_up),
               std::make_shared<DistributionPredicate>(kind, a, b, grain), context.origin);
}

absl::StatusOr<SetValue> RngBitGeneratorSets(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands) {
  absl::string_view algorithm = instruction.WordOr(Attr::kAlgorithm, "rng_default");
  bool block_cipher = algorithm != "rng_default";
  if (block_cipher && interpreter.options().facts.rng_xla_layout && IsExact(operands[0])) {
    return PlainResult(interpreter, instruction, shape, operands);
  }
  uint32_t origin = interpreter.OriginOf(
      instruction, interpreter.RuleOf(Opcode::kRngBitGenerator, operands[0].array.element_type()));
  if (!shape.IsTuple()) {
    SetArray bits = SetArray::Unspecified(shape, WideningCause::kFreedom, origin);
    bits.joint = std::make_shared<UniformBitsPredicate>();
    return SetValue(std::move(bits));
  }
  SetArray bits = SetArray::Unspecified(shape.tuple_shapes()[1], WideningCause::kFreedom, origin);
  bits.joint = std::make_shared<UniformBitsPredicate>();
  return SetValue::Tuple(
      {SetArray::Unspecified(shape.tuple_shapes()[0], WideningCause::kFreedom, origin),
       std::move(bits)});
}

absl::StatusOr<SetValue> RngStateSets(SetInterpreter& interpreter, const Instruction& instruction,
                                      const Shape& shape, absl::Span<const SetValue>) {
  return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
}

}  // namespace hlocts::reference
