// SPDX-License-Identifier: Apache-2.0
// Faults of elementwise float functions: special values, signs of zero, accuracy (as in
// openxla/xla#49174, #44705, #42732, #17324, tensorflow/tensorflow#116992).
#include <cmath>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/accuracy/rules.h"
#include "spec/ir/module.h"
#include "spec/ops/kinds.h"

namespace hlocts::backends {
namespace {

// One number of the result, and the operands' numbers that it was computed from.
struct Number {
  double x, y, z;
  double result;
  int64_t index, count;
  PrimitiveType type;     // type of the result
  PrimitiveType operand;  // type of operand 0
};
using Value = double (*)(const Number&);

struct ValueRow {
  const char* id;
  FaultClass fault_class;
  Opcode opcode;
  const char* what;
  Value value;
};

bool IsNan(double x) { return std::isnan(x); }
bool IsZero(double x) { return x == 0; }

constexpr FaultClass kNaN = FaultClass::kNan;
constexpr FaultClass kZero = FaultClass::kSignedZero;
constexpr FaultClass kError = FaultClass::kNumericError;

double LosesMinusZero(const Number& n) { return n.result == 0 ? 0.0 : n.result; }

constexpr ValueRow kValueRows[] = {
    // Faults of NaN and infinities.
    {"maximum.drops-nan", kNaN, Opcode::kMaximum, "a NaN loses against a number",
     [](const Number& n) { return IsNan(n.x)   ? n.y
                                  : IsNan(n.y) ? n.x
                                               : n.result; }},
    {"minimum.drops-nan", kNaN, Opcode::kMinimum, "a NaN loses against a number",
     [](const Number& n) { return IsNan(n.x)   ? n.y
                                  : IsNan(n.y) ? n.x
                                               : n.result; }},
    {"maximum.second-nan-lost", kNaN, Opcode::kMaximum, "computed as x > y ? x : y",
     [](const Number& n) { return IsNan(n.x) ? n.y : n.result; }},
    {"minimum.first-nan-lost", kNaN, Opcode::kMinimum, "computed as y < x ? y : x the other way",
     [](const Number& n) { return IsNan(n.y) ? n.x : n.result; }},
    {"clamp.nan-becomes-bound", kNaN, Opcode::kClamp, "a NaN operand is clamped to the low bound",
     [](const Number& n) { return IsNan(n.y) && !IsNan(n.x) ? n.x : n.result; }},
    {"sign.of-nan-is-zero", kNaN, Opcode::kSign, "sign of NaN is 0",
     [](const Number& n) { return IsNan(n.x) ? 0 : n.result; }},
    {"is-finite.infinity-is-finite", kNaN, Opcode::kIsFinite, "only NaN is not finite",
     [](const Number& n) { return std::isinf(n.x) ? 1 : n.result; }},
    {"is-finite.nan-is-finite", kNaN, Opcode::kIsFinite, "only infinities are not finite",
     [](const Number& n) { return IsNan(n.x) ? 1 : n.result; }},
    {"sqrt.of-negative-is-zero", kNaN, Opcode::kSqrt, "sqrt of a negative number is 0",
     [](const Number& n) { return n.x < 0 ? 0 : n.result; }},
    {"sqrt.of-infinity-is-nan", kNaN, Opcode::kSqrt, "computed as x * rsqrt(x)",
     [](const Number& n) { return std::isinf(n.x) && n.x > 0 ? NAN : n.result; }},
    {"log.of-negative-is-infinite", kNaN, Opcode::kLog, "log of a negative number is -inf",
     [](const Number& n) { return n.x < 0 ? -INFINITY : n.result; }},
    {"log.of-zero-is-nan", kNaN, Opcode::kLog, "log of 0 is NaN",
     [](const Number& n) { return IsZero(n.x) ? NAN : n.result; }},
    {"rsqrt.of-zero-is-nan", kNaN, Opcode::kRsqrt, "rsqrt of 0 is NaN",
     [](const Number& n) { return IsZero(n.x) ? NAN : n.result; }},
    {"exponential.of-minus-infinity-is-nan", kNaN, Opcode::kExponential, "exp(-inf) is NaN",
     [](const Number& n) { return n.x == -INFINITY ? NAN : n.result; }},
    {"tanh.of-infinity-is-nan", kNaN, Opcode::kTanh, "computed as (e - 1/e) / (e + 1/e)",
     [](const Number& n) { return std::isinf(n.x) ? NAN : n.result; }},
    {"logistic.of-minus-infinity-is-nan", kNaN, Opcode::kLogistic, "computed as e / (1 + e)",
     [](const Number& n) { return n.x == -INFINITY ? NAN : n.result; }},
    {"atan2.of-zeros-is-nan", kNaN, Opcode::kAtan2, "atan2(0, 0) is NaN",
     [](const Number& n) { return IsZero(n.x) && IsZero(n.y) ? NAN : n.result; }},
    {"power.zero-to-zero-is-nan", kNaN, Opcode::kPower, "computed as exp(y * log(x))",
     [](const Number& n) { return IsZero(n.x) && IsZero(n.y) ? NAN : n.result; }},
    {"power.of-negative-is-nan", kNaN, Opcode::kPower, "a negative base yields NaN",
     [](const Number& n) { return n.x < 0 ? NAN : n.result; }},
    {"divide.by-zero-is-largest", kNaN, Opcode::kDivide, "x / 0 saturates",
     [](const Number& n) {
       return IsZero(n.y) && std::isinf(n.result)
                  ? std::copysign(FormatOf(n.type).max_finite(), n.result)
                  : n.result;
     }},
    {"multiply.zero-by-infinity-is-zero", kNaN, Opcode::kMultiply, "0 * inf is 0",
     [](const Number& n) { return IsNan(n.result) && !IsNan(n.x) && !IsNan(n.y) ? 0 : n.result; }},
    {"subtract.infinities-cancel", kNaN, Opcode::kSubtract, "inf - inf is 0",
     [](const Number& n) { return IsNan(n.result) && !IsNan(n.x) && !IsNan(n.y) ? 0 : n.result; }},
    {"remainder.by-infinity-is-nan", kNaN, Opcode::kRemainder, "rem(x, inf) is NaN",
     [](const Number& n) { return std::isinf(n.y) && std::isfinite(n.x) ? NAN : n.result; }},
    {"cbrt.of-negative-is-nan", kNaN, Opcode::kCbrt, "computed as pow(x, 1/3)",
     [](const Number& n) { return n.x < 0 ? NAN : n.result; }},
    {"convert.infinity-saturates", kNaN, Opcode::kConvert, "an infinity becomes the largest number",
     [](const Number& n) {
       return IsFloat(n.type) && std::isinf(n.x) && std::isinf(n.result)
                  ? std::copysign(FormatOf(n.type).max_finite(), n.x)
                  : n.result;
     }},
    {"convert.nan-is-false", kNaN, Opcode::kConvert, "NaN converted to pred is false",
     [](const Number& n) { return n.type == PrimitiveType::kPred && IsNan(n.x) ? 0 : n.result; }},
    {"log-plus-one.of-minus-one-is-nan", kNaN, Opcode::kLogPlusOne, "log1p(-1) is NaN",
     [](const Number& n) { return n.x == -1 ? NAN : n.result; }},
    {"erf.of-infinity-is-nan", kNaN, Opcode::kErf, "a polynomial evaluated at infinity",
     [](const Number& n) { return std::isinf(n.x) ? NAN : n.result; }},
    // Faults of signed zeros.
    {"negate.zero-stays-positive", kZero, Opcode::kNegate, "computed as 0 - x", LosesMinusZero},
    {"abs.of-minus-zero", kZero, Opcode::kAbs, "computed as x < 0 ? -x : x",
     [](const Number& n) { return IsZero(n.x) ? n.x : n.result; }},
    {"sqrt.of-minus-zero", kZero, Opcode::kSqrt, "sqrt(-0) is +0", LosesMinusZero},
    {"ceil.loses-minus-zero", kZero, Opcode::kCeil, "ceil(-0.5) is +0", LosesMinusZero},
    {"floor.loses-minus-zero", kZero, Opcode::kFloor, "floor(-0) is +0", LosesMinusZero},
    {"round-nearest-even.loses-minus-zero", kZero, Opcode::kRoundNearestEven, "-0.3 rounds to +0",
     LosesMinusZero},
    {"round-nearest-afz.loses-minus-zero", kZero, Opcode::kRoundNearestAfz, "-0.3 rounds to +0",
     LosesMinusZero},
    {"sign.loses-minus-zero", kZero, Opcode::kSign, "sign(-0) is +0", LosesMinusZero},
    {"remainder.loses-minus-zero", kZero, Opcode::kRemainder, "rem(-4, 2) is +0", LosesMinusZero},
    {"multiply.loses-minus-zero", kZero, Opcode::kMultiply, "-1 * 0 is +0", LosesMinusZero},
    {"divide.loses-minus-zero", kZero, Opcode::kDivide, "0 / -1 is +0", LosesMinusZero},
    {"atan2.ignores-minus-zero", kZero, Opcode::kAtan2, "atan2(-0, -1) is +pi",
     [](const Number& n) {
       return IsZero(n.x) && std::signbit(n.x) ? std::fabs(n.result) : n.result;
     }},
    {"convert.loses-minus-zero", kZero, Opcode::kConvert, "-0 becomes +0 in another format",
     [](const Number& n) { return IsFloat(n.type) ? LosesMinusZero(n) : n.result; }},
    {"sine.loses-minus-zero", kZero, Opcode::kSine, "sin(-0) is +0", LosesMinusZero},
    {"tanh.loses-minus-zero", kZero, Opcode::kTanh, "tanh(-0) is +0", LosesMinusZero},
    // Faults of accuracy in some elements.
    {"add.truncates", kError, Opcode::kAdd, "rounded toward zero",
     [](const Number& n) {
       double exact = n.x + n.y;
       return std::isfinite(exact) ? TruncateTo(FormatOf(n.type).precision(), exact) : n.result;
     }},
    {"multiply.truncates", kError, Opcode::kMultiply, "rounded toward zero",
     [](const Number& n) {
       double exact = n.x * n.y;
       return std::isfinite(n.result) ? TruncateTo(FormatOf(n.type).precision(), exact) : n.result;
     }},
    {"convert.truncates", kError, Opcode::kConvert, "narrowed by truncation",
     [](const Number& n) {
       if (!IsFloat(n.type) || BitWidth(n.type) > 16 || !std::isfinite(n.result)) return n.result;
       return TruncateTo(FormatOf(n.type).precision(), n.x);
     }},
    {"convert.f8-neighbour", kError, Opcode::kConvert, "an 8-bit result is the neighbour",
     [](const Number& n) {
       if (!IsFloat(n.type) || BitWidth(n.type) > 8 || n.x == n.result) return n.result;
       return RoundTo(n.type, n.x + (n.x - n.result) * 1.5);
     }},
    {"convert.integer-rounded-to-nearest", kError, Opcode::kConvert,
     "a float is rounded to the nearest integer instead of truncated",
     [](const Number& n) {
       bool fraction = IsFloat(n.operand) && IsInteger(n.type) && n.x != std::trunc(n.x);
       return fraction && std::fabs(n.x) < 100 ? std::nearbyint(n.x) : n.result;
     }},
    {"divide.by-rounded-reciprocal", kError, Opcode::kDivide,
     "the reciprocal is rounded to 16 bits first",
     [](const Number& n) {
       return std::isfinite(n.result) && n.y != 0 ? n.x * RoundTo(PrimitiveType::kBF16, 1 / n.y)
                                                  : n.result;
     }},
    {"sine.poor-range-reduction", kError, Opcode::kSine, "arguments reduced by an imprecise pi",
     [](const Number& n) {
       if (std::fabs(n.x) < 8 || !std::isfinite(n.x)) return n.result;
       return std::sin(n.x - std::nearbyint(n.x / 6.2831854820251465) * 6.2831854820251465);
     }},
    {"cosine.poor-range-reduction", kError, Opcode::kCosine, "arguments reduced by an imprecise pi",
     [](const Number& n) {
       if (std::fabs(n.x) < 8 || !std::isfinite(n.x)) return n.result;
       return std::cos(n.x - std::nearbyint(n.x / 6.2831854820251465) * 6.2831854820251465);
     }},
    {"exponential-minus-one.by-exp", kError, Opcode::kExponentialMinusOne, "exp(x) - 1",
     [](const Number& n) {
       return std::isfinite(n.result) ? RoundTo(n.type, std::exp(n.x)) - 1 : n.result;
     }},
    {"log-plus-one.by-log", kError, Opcode::kLogPlusOne, "log(1 + x)",
     [](const Number& n) {
       return std::isfinite(n.result) ? std::log(RoundTo(n.type, 1 + n.x)) : n.result;
     }},
    {"tanh.saturates-early", kError, Opcode::kTanh, "beyond 3 it is 1",
     [](const Number& n) { return std::fabs(n.x) > 3 ? std::copysign(1.0, n.x) : n.result; }},
    {"exponential.overflows-early", kError, Opcode::kExponential, "beyond 80 it is infinite",
     [](const Number& n) { return n.x > 80 ? INFINITY : n.result; }},
    {"rsqrt.12-bits", kError, Opcode::kRsqrt, "the hardware's approximation without refinement",
     [](const Number& n) {
       return std::isfinite(n.result) ? n.result * (1 + std::ldexp(1.0, -12)) : n.result;
     }},
    {"power.by-exp-log", kError, Opcode::kPower, "exp(y * log(x)) in the type itself",
     [](const Number& n) {
       if (n.x <= 0 || !std::isfinite(n.result)) return n.result;
       return std::exp(RoundTo(n.type, n.y * RoundTo(n.type, std::log(n.x))));
     }},
    {"logistic.cut-off", kError, Opcode::kLogistic, "0 below -8",
     [](const Number& n) { return n.x < -8 ? 0 : n.result; }},
    {"round-nearest-even.ties-away", kError, Opcode::kRoundNearestEven, "ties round away from zero",
     [](const Number& n) { return std::round(n.x); }},
    {"round-nearest-afz.ties-even", kError, Opcode::kRoundNearestAfz, "ties round to even",
     [](const Number& n) { return std::nearbyint(n.x); }},
    {"floor.truncates", kError, Opcode::kFloor, "floor of negative numbers rounds up",
     [](const Number& n) { return std::trunc(n.x); }},
    {"ceil.truncates", kError, Opcode::kCeil, "ceil of positive numbers rounds down",
     [](const Number& n) { return std::trunc(n.x); }},
    {"remainder.sign-of-divisor", kError, Opcode::kRemainder, "the divisor's sign, as in Python",
     [](const Number& n) {
       return n.result != 0 && std::signbit(n.result) != std::signbit(n.y) ? n.result + n.y
                                                                           : n.result;
     }},
    {"reduce-precision.truncates", kError, Opcode::kReducePrecision, "half an ulp too low at ties",
     [](const Number& n) {
       return n.result != n.x && std::isfinite(n.result) && std::fabs(n.result) > std::fabs(n.x)
                  ? n.result - 2 * (n.result - n.x)
                  : n.result;
     }},
};

void Apply(Value value, FaultSite& site) {
  Literal& result = *site.result;
  const Literal& x = site.operands[0];
  if (!IsRealFloat(x) && !IsRealFloat(result)) return;
  for (const Literal& operand : site.operands) {
    if (operand.shape().IsTuple() || IsComplex(operand.element_type())) return;
  }
  const int64_t count = result.element_count();
  auto read = [&](size_t k, int64_t i) {
    if (k >= site.operands.size()) return 0.0;
    const Literal& operand = site.operands[k];
    return ReadNumber(operand, operand.element_count() == count ? i : 0);
  };
  for (int64_t i = 0; i < count; ++i) {
    Number number{read(0, i),
                  read(1, i),
                  read(2, i),
                  ReadNumber(result, i),
                  i,
                  count,
                  result.element_type(),
                  x.element_type()};
    double wrong = value(number);
    bool same = wrong == number.result && std::signbit(wrong) == std::signbit(number.result);
    if (!same && !(IsNan(wrong) && IsNan(number.result))) WriteNumber(result, i, wrong);
  }
}

// Changes one element by twice the error that the rule allows, plus one ulp.
void TwiceTheBound(FaultSite& site) {
  Literal& result = *site.result;
  if (!IsRealFloat(result) || result.element_count() == 0) return;
  PrimitiveType type = result.element_type();
  Rule rule = RuleFor(site.opcode(), type, Profile::kDefault);
  int64_t i = result.element_count() / 2;
  double x = std::fabs(ReadNumber(site.operands[0], 0));
  if (!std::isfinite(x)) x = 0;  // use an argument that yields a finite bound
  double value = ReadNumber(result, i);
  double bound = rule.rule_class == RuleClass::kUlp ? rule.ulps + rule.ulps_per_argument * x : 0.5;
  if (!std::isfinite(value)) return;
  WriteNumber(result, i, AwayByUlps(value, type, value < 0 ? -(2 * bound + 1) : 2 * bound + 1));
}

// Changes one element of a result by the factor 1 + 2^-8.
void RelativeError(FaultSite& site) {
  Literal& result = *site.result;
  if (!IsArrayType(result.element_type()) || result.element_count() == 0) return;
  if (!IsFloat(NumberType(result))) return;
  for (int64_t i = NumberCount(result) / 2; i < NumberCount(result); ++i) {
    double value = ReadNumber(result, i);
    if (value == 0 || !std::isfinite(value)) continue;
    WriteNumber(result, i, value * (1 + 1.0 / 256));
    return;
  }
}

// Replaces NaN elements by the neutral number before they are reduced.
void ReduceDropsNan(Opcode opcode, double neutral, FaultSite& site) {
  const Computation* body = site.instruction.CalledComputation(Attr::kToApply);
  if (body == nullptr || body->root() == nullptr || body->root()->opcode() != opcode) return;
  Literal& operand = site.operands[0];
  if (!IsRealFloat(operand)) return;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    if (IsNan(ReadNumber(operand, i))) WriteNumber(operand, i, neutral);
  }
}

}  // namespace

void AddValueFaults(std::vector<Fault>& faults) {
  for (const ValueRow& row : kValueRows) {
    faults.push_back(AfterFault(row.id, row.fault_class, row.opcode, row.what,
                                [value = row.value](FaultSite& site) { Apply(value, site); }));
  }
  auto twice_the_bound = [&](Opcode opcode) {
    faults.push_back(AfterFault(absl::StrCat(OpcodeName(opcode), ".twice-the-bound"), kError,
                                opcode, "one element off by twice the permitted error",
                                TwiceTheBound));
  };
  for (Opcode opcode : ops::kRealFunctionOpcodes) twice_the_bound(opcode);
  for (Opcode opcode : {Opcode::kSqrt, Opcode::kDivide, Opcode::kAdd, Opcode::kMultiply}) {
    twice_the_bound(opcode);
  }
  for (Opcode opcode : {Opcode::kDot, Opcode::kConvolution, Opcode::kReduce, Opcode::kReduceWindow,
                        Opcode::kFft, Opcode::kCholesky, Opcode::kTriangularSolve}) {
    faults.push_back(AfterFault(absl::StrCat(OpcodeName(opcode), ".element-off-by-1-in-256"),
                                kError, opcode, "one element off by 1/256 of itself",
                                RelativeError));
  }
  for (Opcode opcode : {Opcode::kReduce, Opcode::kReduceWindow}) {
    faults.push_back(BeforeFault(absl::StrCat(OpcodeName(opcode), ".maximum-drops-nan"), kNaN,
                                 opcode, "a NaN loses against a number", [](FaultSite& s) {
                                   ReduceDropsNan(Opcode::kMaximum, -INFINITY, s);
                                 }));
    faults.push_back(BeforeFault(absl::StrCat(OpcodeName(opcode), ".minimum-drops-nan"), kNaN,
                                 opcode, "a NaN loses against a number", [](FaultSite& s) {
                                   ReduceDropsNan(Opcode::kMinimum, INFINITY, s);
                                 }));
  }
}

}  // namespace hlocts::backends
