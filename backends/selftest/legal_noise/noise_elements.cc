// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "spec/ops/groups.h"

namespace hlocts::backends {
namespace {

double OperandAt(const NoiseJob& job, size_t k, int64_t i) {
  const Literal& operand = job.operands[k];
  return ReadNumber(operand, operand.element_count() == job.result.element_count() ? i : 0);
}

bool AnyOperandNan(const NoiseJob& job, int64_t i) {
  for (size_t k = 0; k < job.operands.size(); ++k) {
    if (std::isnan(OperandAt(job, k, i))) return true;
  }
  return false;
}
bool AllOperandsFinite(const NoiseJob& job, int64_t i) {
  for (size_t k = 0; k < job.operands.size(); ++k) {
    if (!std::isfinite(OperandAt(job, k, i))) return false;
  }
  return true;
}

// Returns a random number in [-1, 1]; the ends are more frequent than in a uniform distribution.
double Deviation(generators::SplitMix64& random) {
  switch (random.Below(4)) {
    case 0:
      return 1;
    case 1:
      return -1;
    default:
      return static_cast<double>(static_cast<int64_t>(random.Below(2001)) - 1000) / 1000;
  }
}

// Returns the error bound, in ulps, of the reference's own value: 0.5 for types that the reference
// computes in double and rounds, 1 for f64.
double OwnError(PrimitiveType type) { return type == PrimitiveType::kF64 ? 1.0 : 0.5; }

// Returns the distance from `value` to the closer of its neighbours in `type`.
double LeastUlp(PrimitiveType type, double value) {
  double inward = std::fabs(value) * (1 - 1e-9);
  return std::fabs(AwayByUlps(inward, type, 1) - inward);
}

// Returns a random value within the rule's ulps and within the function's range.
double RandomWithinUlps(const NoiseJob& job, double value, double x) {
  const Rule& rule = job.rule;
  if (!std::isfinite(value) || value == 0) return value;
  // In a format without infinities and NaN, the largest value may represent an infinity.
  const FloatFormat& format = FormatOf(job.type());
  if (!format.has_nan() && std::fabs(value) >= format.max_finite()) return value;
  double ulps = rule.ulps + (job.operands.size() == 1 ? rule.ulps_per_argument * std::fabs(x) : 0);
  int exponent = std::ilogb(value);
  if (exponent >= rule.big_exponent) ulps = std::max<double>(ulps, rule.big_ulps);
  const double unit = LeastUlp(job.type(), value);
  ulps += (rule.relative * std::fabs(value) + rule.added) / unit;
  // The rounding of the result, unless it is f64, uses half an ulp of the margin.
  double margin = ulps - OwnError(job.type()) - 0.5;
  if (job.type() == PrimitiveType::kF64) margin += 0.5;
  if (margin <= 0) return value;
  double wanted = value + Deviation(job.random()) * margin * unit;
  double stored = RoundTo(job.type(), wanted);
  if (!std::isfinite(stored) || std::signbit(stored) != std::signbit(value)) return value;
  // Rounding across a power of two may exceed half of the smaller ulp.
  double reach = (ulps - OwnError(job.type())) * unit;
  if (std::fabs(stored - value) > reach) return value;
  if (rule.Allows(kNoRangeGuard)) return stored;
  RangeGuard guard = RangeGuardOf(job.opcode());
  return std::clamp(stored, RoundTo(job.type(), guard.lo), RoundTo(job.type(), guard.hi));
}

double FlushedResult(const NoiseJob& job, double value) {
  if (!job.rule.Allows(kFlushResult) || value == 0) return value;
  bool tiny = std::fabs(value) < FormatOf(job.type()).min_normal();
  return tiny && job.state.Once(2) ? std::copysign(0.0, value) : value;
}

// Returns true if the exact value is between the largest finite number and the next power of two.
bool OverflowsByRounding(const NoiseJob& job, int64_t i) {
  if (!AllOperandsFinite(job, i) || job.type() == PrimitiveType::kF64) return false;
  double exact = HUGE_VAL, x = OperandAt(job, 0, i);
  if (job.opcode() == Opcode::kExponential) exact = std::exp(x);
  if (job.opcode() == Opcode::kExponentialMinusOne) exact = std::expm1(x);
  if (job.opcode() == Opcode::kDivide && OperandAt(job, 1, i) != 0) {
    exact = x / OperandAt(job, 1, i);
  }
  int largest = std::ilogb(FormatOf(job.type()).max_finite());
  return std::fabs(exact) < std::ldexp(1.0, largest + 1);
}

// If the quotient exceeds 2^(p + 2), with p bits of precision, the remainder is unspecified.
// Replaces such a remainder by any number below the divisor.
double LongRemainder(const NoiseJob& job, int64_t i, double value) {
  const double x = OperandAt(job, 0, i), y = std::fabs(OperandAt(job, 1, i));
  const int precision = FormatOf(job.type()).mantissa_bits + 1;
  const bool is_long = std::isfinite(x) && y > 0 && std::isfinite(y) &&
                       std::fabs(x) / y > std::ldexp(4.0, precision);
  if (!is_long || !job.state.Once(2)) return value;
  const double left = RoundTo(job.type(), y * static_cast<double>(job.random().Below(1000)) / 1000);
  return std::copysign(left < y ? left : 0, x);
}

double NoisyNumber(const NoiseJob& job, int64_t i, double value) {
  const Rule& rule = job.rule;
  if (rule.Allows(kLongQuotient) && job.opcode() == Opcode::kRemainder) {
    return FlushedResult(job, LongRemainder(job, i, value));
  }
  if (rule.Allows(kDropNan) && job.operands.size() == 2 && std::isnan(value) && job.state.Once(2)) {
    double x = OperandAt(job, 0, i), y = OperandAt(job, 1, i);
    // If an operand was read unrounded, the NaN may be only in its unrounded value; neither x nor y
    // is then a NaN.
    if (ops::IsExtremum(job.opcode()) && std::isnan(x) != std::isnan(y))
      return std::isnan(x) ? y : x;
  }
  if (rule.Allows(kOneIsAnyNan) && job.opcode() == Opcode::kPower && value == 1 &&
      AnyOperandNan(job, i) && job.state.Once(2)) {
    return NAN;
  }
  if (rule.Allows(kClampEither) && job.opcode() == Opcode::kClamp && !AnyOperandNan(job, i) &&
      OperandAt(job, 0, i) > OperandAt(job, 2, i)) {
    return OperandAt(job, job.state.Once(2) ? 0 : 2, i);
  }
  if (rule.Allows(kMaxOrInfinity) && std::isinf(value) && OverflowsByRounding(job, i) &&
      FormatOf(job.type()).has_infinity() && job.state.Once(3)) {
    return std::copysign(FormatOf(job.type()).max_finite(), value);
  }
  if (rule.rule_class == RuleClass::kUlp)
    value = RandomWithinUlps(job, value, OperandAt(job, 0, i));
  return FlushedResult(job, value);
}

bool HandsOn(Opcode opcode) { return ops::MovesElements(opcode) || opcode == Opcode::kSelect; }

// Changes the bits of NaNs: arithmetic may give them any bits, and data movement may quieten them.
void NoisyNans(NoiseJob& job) {
  if (!IsRealFloat(job.result) || BitWidth(job.type()) < 16) return;
  const FloatFormat& format = FormatOf(job.type());
  const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  const bool move = HandsOn(job.opcode()) && job.rule.Allows(kQuietNan);
  const bool arithmetic = job.rule.rule_class == RuleClass::kUlp ||
                          job.rule.rule_class == RuleClass::kCorrectlyRounded ||
                          job.rule.rule_class == RuleClass::kSum;
  if (!move && !arithmetic) return;
  for (int64_t i = 0; i < job.result.element_count(); ++i) {
    uint64_t bits = ReadBits(job.result, i);
    if (!IsNanBits(format, bits) || !job.state.Once(2)) continue;
    if (arithmetic) {
      bits = format.nan_bits() | job.random().Below(quiet);
      if (job.state.Once(2)) bits |= format.sign_mask();
    }
    WriteBits(job.result, i, bits | quiet);
  }
}

// Returns a zero that min(max(a, x), b) may return: either operand if min or max compares two
// zeros. If the result is zero for another reason (a flush, or reversed bounds), returns `zero`.
double ClampedZero(const NoiseJob& job, int64_t i, double zero) {
  const double a = OperandAt(job, 0, i), x = OperandAt(job, 1, i), b = OperandAt(job, 2, i);
  double larger = a == 0 && x == 0 ? (job.state.Once(2) ? a : x) : std::max(a, x);
  if (larger == 0 && b == 0) return job.state.Once(2) ? larger : b;
  if (larger == 0 && b > 0) return larger;
  return larger > 0 && b == 0 ? b : zero;
}

// Changes the sign of zeros where the sign is free.
void NoisyZeros(NoiseJob& job) {
  if (!job.rule.Allows(kZeroSignFree) || !IsRealFloat(job.result)) return;
  if (!FormatOf(job.type()).has_negative_zero()) return;
  for (int64_t i = 0; i < job.result.element_count(); ++i) {
    if (ReadNumber(job.result, i) != 0) continue;
    if (!job.state.Once(2)) continue;
    if (job.opcode() == Opcode::kClamp) {
      WriteNumber(job.result, i, ClampedZero(job, i, ReadNumber(job.result, i)));
    } else if (RowOf(job.opcode()).accuracy == AccuracyRule::kMinMax) {
      // The result may be either of two zeros, but must be an operand.
      double other = OperandAt(job, job.random().Below(job.operands.size()), i);
      if (other == 0) WriteNumber(job.result, i, other);
    } else {
      WriteNumber(job.result, i, job.state.Once(2) ? 0.0 : -0.0);
    }
  }
}

// Draws a format between f64 and a narrow format, to which arithmetic may round first.
PrimitiveType Between(const NoiseJob& job) {
  constexpr PrimitiveType kFormats[] = {PrimitiveType::kF32, PrimitiveType::kF16,
                                        PrimitiveType::kBF16};
  return kFormats[BitWidth(job.type()) <= 8 ? job.random().Below(3) : 0];
}

// Rounds to an intermediate format before rounding to a narrow type. Conversions to 16 bits do so
// only if they start from f64 or a wide integer.
void RoundTwice(NoiseJob& job) {
  if (!job.rule.Allows(kDoubleRounding) || !IsRealFloat(job.result) || BitWidth(job.type()) > 16)
    return;
  if (!FormatOf(job.type()).has_zero) return;
  const PrimitiveType from = job.operands[0].element_type();
  const bool wide = from == PrimitiveType::kF64 || (IsInteger(from) && BitWidth(from) >= 32);
  const bool convert = job.opcode() == Opcode::kConvert;
  if (convert && !wide && BitWidth(job.type()) > 8) return;
  auto exact = job.state.exact.find(&job.instruction);
  if (!convert && exact == job.state.exact.end()) return;
  if (convert && IsComplex(from)) return;
  if (!convert && job.rule.rule_class != RuleClass::kCorrectlyRounded) return;
  for (int64_t i = 0; i < job.result.element_count(); ++i) {
    double value = convert ? ReadNumber(job.operands[0], i) : exact->second.data<double>()[i];
    if (job.state.Once(2)) WriteNumber(job.result, i, RoundTo(Between(job), value));
  }
}

}  // namespace

// Computes a division by one number for all elements as a multiplication by its reciprocal, which
// is rounded to the type (lemma 16).

bool NoisyReciprocal(NoiseJob& job) {
  const bool divides = job.opcode() == Opcode::kDivide && job.rule.rule_class == RuleClass::kUlp;
  if (!divides || !IsRealFloat(job.result) || BitWidth(job.type()) < 16) return false;
  if (BitWidth(job.type()) > 32 || job.result.element_count() == 0) return false;
  const Instruction& divisor = job.instruction.operand(1);
  const bool splat =
      divisor.opcode() == Opcode::kBroadcast && divisor.operand(0).shape().rank() == 0;
  if (!splat || !job.state.Once(2)) return false;
  const FloatFormat& format = FormatOf(job.type());
  const double reciprocal = RoundTo(job.type(), 1 / ReadNumber(job.operands[1], 0));
  if (!std::isfinite(reciprocal) || std::fabs(reciprocal) < format.min_normal()) return false;
  Literal exact(Shape(PrimitiveType::kF64, job.result.shape().dimensions()));
  for (int64_t i = 0; i < exact.element_count(); ++i) {
    const double product = ReadNumber(job.operands[0], i) * reciprocal;
    exact.mutable_data<double>()[i] = product;
    const double stored = RoundTo(job.type(), product);
    // At the ends of the range, a quotient and a product may differ by more than is allowed.
    const bool ordinary =
        std::fabs(stored) > 2 * format.min_normal() && std::fabs(stored) < format.max_finite() / 2;
    if (ordinary) {
      WriteNumber(job.result, i, stored);
    } else {
      exact.mutable_data<double>()[i] = ReadNumber(job.result, i);
    }
  }
  job.state.exact[&job.instruction] = exact;
  job.state.products[&job.instruction] = std::move(exact);
  return true;
}

void NoisyElements(NoiseJob& job) {
  const bool rounds = ops::IsElementwiseFamily(job.opcode()) && IsRealFloat(job.result);
  if (rounds && IsRealFloat(job.operands[0])) {
    RoundTwice(job);
    for (int64_t i = 0; i < job.result.element_count(); ++i) {
      double value = ReadNumber(job.result, i), noisy = NoisyNumber(job, i, value);
      bool same = noisy == value && std::signbit(noisy) == std::signbit(value);
      if (!same && !(std::isnan(value) && std::isnan(noisy))) WriteNumber(job.result, i, noisy);
    }
    NoisyZeros(job);
  } else if (rounds) {
    RoundTwice(job);
  }
  NoisyNans(job);
}

void NoisyFreedoms(NoiseJob& job) {
  if (!IsInteger(job.type()) || job.operands.empty()) return;
  auto any = [&](int64_t i) {
    if (job.state.Once(2)) WriteInteger(job.result, i, static_cast<int64_t>(job.random().Next()));
  };
  const Opcode opcode = job.opcode();
  const int bits = BitWidth(job.type());
  const bool shift = ops::IsShift(opcode), divides = ops::IsDivision(opcode);
  const bool converts = opcode == Opcode::kConvert && IsRealFloat(job.operands[0]);
  // If a fact declares the behaviour, the result is the reference's.
  const bool declared = (shift && job.facts.shift_saturate) ||
                        (divides && job.facts.integer_division) ||
                        (converts && job.facts.convert_saturate);
  if ((!shift && !divides && !converts) || declared) return;
  const double most = std::ldexp(1.0, IsSigned(job.type()) ? bits - 1 : bits);
  const double least = IsSigned(job.type()) ? -most : 0;
  for (int64_t i = 0; i < job.result.element_count(); ++i) {
    if (converts) {
      double x = ReadNumber(job.operands[0], i);
      if (std::isnan(x) || x >= most || std::trunc(x) < least) any(i);
      continue;
    }
    int64_t x = ReadInteger(job.operands[0], i), y = ReadInteger(job.operands[1], i);
    bool outside = shift && (y < 0 || y >= bits) && job.profile != Profile::kStrict;
    bool undefined =
        divides && (y == 0 || (IsSigned(job.type()) && y == -1 &&
                               x == WrapInteger(int64_t{1} << (bits - 1), bits, true)));
    if (outside || undefined) any(i);
  }
}

}  // namespace hlocts::backends
