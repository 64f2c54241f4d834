// SPDX-License-Identifier: Apache-2.0
// Sets of dot, ragged-dot and convolution.
#include <algorithm>
#include <cmath>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/convolution_holes.h"
#include "reference/judge/sums/dot_precision.h"
#include "reference/judge/sums/fast_convolution.h"
#include "reference/judge/sums/sums.h"
#include "spec/judge/integer_sets.h"

namespace hlocts::reference {
namespace {

struct Contraction {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  Shape result;               // f64
  std::vector<Literal> more;  // further operands (group sizes)

  absl::StatusOr<Literal> Run(const Literal& lhs, const Literal& rhs) const {
    std::vector<Literal> operands = {lhs, rhs};
    operands.insert(operands.end(), more.begin(), more.end());
    return interpreter.runner().Run(instruction, result, operands);
  }
};

Literal Ones(const Literal& like) {
  Literal ones = like;
  for (double& x : ones.mutable_data<double>()) x = 1;
  return ones;
}

void AddTo(Literal& sum, const Literal& more, double sign = 1) {
  auto to = sum.mutable_data<double>();
  auto from = more.data<double>();
  for (size_t i = 0; i < to.size(); ++i) to[i] += sign * from[i];
}

// to += sign * from, which becomes `to` where there is none yet.
void Accumulate(Literal from, bool& present, Literal& to, double sign = 1) {
  if (!present) {
    to = std::move(from);
    if (sign < 0) {
      for (double& x : to.mutable_data<double>()) x = -x;
    }
  } else {
    AddTo(to, from, sign);
  }
  present = true;
}

// Marks the results in which an infinity of one operand meets an element of the other that may be
// read as zero: the product is that infinity, or NaN.
absl::Status MarkFlushed(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                         SumParts& parts) {
  auto infinite = [](const Literal& values) {
    Literal result = values;
    for (double& x : result.mutable_data<double>()) x = std::isinf(x) ? 1 : 0;
    return result;
  };
  for (bool left_side : {true, false}) {
    const Linear &special = left_side ? lhs : rhs, &other = left_side ? rhs : lhs;
    if (!special.non_finite || !other.has_maybe_zero) continue;
    const Literal marks = infinite(special.middle);
    HLOCTS_ASSIGN_OR_RETURN(Literal touched, left_side ? contraction.Run(marks, other.maybe_zero)
                                                       : contraction.Run(other.maybe_zero, marks));
    Accumulate(std::move(touched), parts.has_flushed, parts.flushed);
  }
  return absl::OkStatus();
}

Literal Absolute(const Literal& values) {
  Literal result = FiniteOnly(values);
  for (double& x : result.mutable_data<double>()) x = std::fabs(x);
  return result;
}

// |a||b| over the intervals less |a||b| over the middles: how far the products reach.
absl::StatusOr<Literal> Spread(const Contraction& contraction, const Literal& lhs_middle,
                               const Literal& rhs_middle, const Literal& magnitude) {
  HLOCTS_ASSIGN_OR_RETURN(Literal inner,
                          contraction.Run(Absolute(lhs_middle), Absolute(rhs_middle)));
  Literal radius = magnitude;
  AddTo(radius, inner, -1);
  return radius;
}

// The same sums scaled down, for where f64 overflows.
absl::Status AddScaledProducts(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                               double sign, SumParts& parts) {
  constexpr int kHalf = kProductScale / 2;
  const Literal left = ScaledDown(lhs.middle, kHalf), right = ScaledDown(rhs.middle, kHalf);
  HLOCTS_ASSIGN_OR_RETURN(Literal centre, contraction.Run(left, right));
  HLOCTS_ASSIGN_OR_RETURN(Literal magnitude, contraction.Run(ScaledDown(lhs.magnitude, kHalf),
                                                             ScaledDown(rhs.magnitude, kHalf)));
  bool present = parts.scaled_centre.raw_size() != 0;
  if (lhs.has_radius || rhs.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(Literal radius, Spread(contraction, left, right, magnitude));
    bool some = parts.scaled_radius.raw_size() != 0;
    Accumulate(std::move(radius), some, parts.scaled_radius);
  }
  bool again = present;
  Accumulate(std::move(centre), present, parts.scaled_centre, sign);
  Accumulate(std::move(magnitude), again, parts.scaled_magnitude);
  return absl::OkStatus();
}

// Marks the results in which an uncertain infinity or NaN takes part.
absl::Status MarkUncertain(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                           SumParts& parts) {
  for (bool left_side : {true, false}) {
    const Linear& side = left_side ? lhs : rhs;
    if (!side.has_uncertain) continue;
    HLOCTS_ASSIGN_OR_RETURN(Literal touched,
                            left_side ? contraction.Run(side.uncertain, Ones(rhs.middle))
                                      : contraction.Run(Ones(lhs.middle), side.uncertain));
    Accumulate(std::move(touched), parts.has_uncertain, parts.uncertain);
  }
  return absl::OkStatus();
}

void MarkUncertainElement(int64_t i, Linear& linear) {
  if (!linear.has_uncertain) linear.uncertain = Literal(linear.middle.shape());
  linear.has_uncertain = true;
  linear.uncertain.mutable_data<double>()[i] = 1;
  linear.cause = WideningCause::kOverflow;
}

// Operands that may be rounded to a narrower format first: the largest may become infinite, and
// subnormal ones move by half a unit of theirs, which no relative error bounds. Of operands that
// are split the lesser parts may underflow, and an infinity leaves the difference of two.
void RoundFirst(const SumRule& rule, Linear& linear) {
  if (rule.operand_error == 0 || rule.operand_format == nullptr) return;
  const FloatFacts& format = *rule.operand_format;
  const bool split = rule.passes > 1;
  const double overflows = format.max + format.Ulp(format.max) / 2;
  const double least = split ? format.min_normal * 0x1p24 : format.min_normal;
  const double lost = split || format.p == 11 ? format.min_normal : format.tiny / 2;
  for (int64_t i = 0; i < linear.middle.element_count(); ++i) {
    double& magnitude = linear.magnitude.mutable_data<double>()[i];
    if (magnitude == 0) continue;
    if (!std::isfinite(magnitude)) {
      if (split) MarkUncertainElement(i, linear);
    } else if (magnitude >= overflows) {
      MarkUncertainElement(i, linear);
    } else if (magnitude < least) {
      linear.has_radius = true;  // its sums are bounded by magnitudes
      linear.quantum = Linear::kNoQuantum;
      magnitude += lost;
    }
  }
}

// Adds the sums of products lhs x rhs to the parts (with sign -1: subtracts the centre). `first`:
// they are the first ones.
absl::Status AddProducts(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                         double sign, bool first, SumParts& parts) {
  HLOCTS_ASSIGN_OR_RETURN(Literal centre, contraction.Run(lhs.middle, rhs.middle));
  bool special = lhs.non_finite || rhs.non_finite;
  const Literal left = special ? FiniteOnly(lhs.magnitude) : lhs.magnitude;
  const Literal right = special ? FiniteOnly(rhs.magnitude) : rhs.magnitude;
  HLOCTS_ASSIGN_OR_RETURN(Literal magnitude, contraction.Run(left, right));
  if (lhs.has_radius || rhs.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(Literal radius, Spread(contraction, lhs.middle, rhs.middle, magnitude));
    Accumulate(std::move(radius), parts.has_radius, parts.radius);
  }
  HLOCTS_RETURN_IF_ERROR(MarkUncertain(contraction, lhs, rhs, parts));
  if (special) {
    HLOCTS_ASSIGN_OR_RETURN(Literal classes,
                            contraction.Run(ClassesOf(lhs.middle), ClassesOf(rhs.middle)));
    Accumulate(std::move(classes), parts.has_special, parts.special, sign);
  }
  if (parts.scale != 0) {
    HLOCTS_RETURN_IF_ERROR(AddScaledProducts(contraction, lhs, rhs, sign, parts));
  }
  bool known = lhs.quantum != Linear::kNoQuantum && rhs.quantum != Linear::kNoQuantum &&
               (first || parts.quantum != Linear::kNoQuantum);
  int quantum = lhs.quantum + rhs.quantum;
  parts.quantum = !known ? Linear::kNoQuantum : first ? quantum : std::min(parts.quantum, quantum);
  bool has_centre = !first, has_magnitude = !first;
  Accumulate(std::move(centre), has_centre, parts.centre, sign);
  Accumulate(std::move(magnitude), has_magnitude, parts.magnitude);
  HLOCTS_RETURN_IF_ERROR(MarkFlushed(contraction, lhs, rhs, parts));
  parts.bits = std::max({parts.bits, lhs.bits, rhs.bits});
  const Linear& wider = lhs.cause != WideningCause::kPoint ? lhs : rhs;
  if (wider.cause != WideningCause::kPoint) {
    parts.cause = wider.cause;
    parts.origin = wider.origin;
  }
  return absl::OkStatus();
}

// Whether sums of products of these may leave the range of f64.
bool MayLeaveRange(const Linear& lhs, const Linear& rhs) {
  double left = LargestFinite(lhs.magnitude), right = LargestFinite(rhs.magnitude);
  return !(left * right < kLargeTerm);
}

// Terms per result: ask the evaluator with ones.
absl::Status CountTerms(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                        SumParts& parts) {
  if (contraction.instruction.opcode() == Opcode::kDot && !lhs.middle.has_runtime_sizes()) {
    parts.count = 1;
    for (int64_t d : contraction.instruction.IntList(Attr::kLhsContractingDims)) {
      parts.count *= static_cast<double>(lhs.middle.shape().dimension(d));
    }
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(parts.counts, contraction.Run(Ones(lhs.middle), Ones(rhs.middle)));
  return absl::OkStatus();
}

// The type that decides how sums are accumulated: the operands' own, or the result's where they are
// of different types.
PrimitiveType SumType(const SetArray& a, const SetArray& b, const Shape& shape) {
  bool same = a.element_type() == b.element_type() &&
              (IsFloat(a.element_type()) || IsComplex(a.element_type()));
  return same ? a.element_type() : shape.element_type();
}

absl::StatusOr<SetValue> RealContraction(SetInterpreter& interpreter,
                                         const Instruction& instruction, const Shape& shape,
                                         absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  PrimitiveType type = SumType(a, b, shape);
  SetContext context = interpreter.ContextOf(instruction, type, shape.element_type());
  bool hull = context.rule.Allows(kSkipRounding);
  uint32_t permissions = context.rule.permissions & ~uint32_t{kContract};
  Linear lhs = Linearize(a, 0, permissions, hull), rhs = Linearize(b, 0, permissions, hull);
  SumRule rule = ContractionSumRule(interpreter, instruction, context.rule, type);
  for (Linear* operand : {&lhs, &rhs}) RoundFirst(rule, *operand);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts parts;
  parts.products = true;
  if (FactsOf(type).is_f64 && MayLeaveRange(lhs, rhs)) parts.scale = kProductScale;
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, lhs, rhs, 1, true, parts));
  HLOCTS_RETURN_IF_ERROR(CountTerms(contraction, lhs, rhs, parts));
  if (MayBeFast(interpreter, instruction, context.rule)) {
    parts.fast = FastConvolutionErrors(instruction, shape, lhs, rhs, rule);
    parts.has_fast = true;
  }
  std::vector<AcceptanceSet> sets = BoundSums(parts, rule, context, &interpreter.sum_errors());
  if (instruction.opcode() == Opcode::kConvolution) {
    HLOCTS_RETURN_IF_ERROR(AddHoleNans(interpreter, instruction, shape, {&lhs}, {&rhs}, sets));
  }
  SetArray result(shape, std::move(sets));
  if (parts.centre.has_runtime_sizes()) result.runtime_sizes = parts.centre.runtime_sizes();
  result.origin = context.origin;
  return SetValue(std::move(result));
}

absl::StatusOr<SetValue> ComplexContraction(SetInterpreter& interpreter,
                                            const Instruction& instruction, const Shape& shape,
                                            absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  PrimitiveType type = SumType(a, b, shape);
  SetContext context = interpreter.ContextOf(instruction, type, shape.element_type());
  uint32_t permissions = context.rule.permissions & ~uint32_t{kContract};
  bool hull = context.rule.Allows(kSkipRounding);
  Linear ar = Linearize(a, 0, permissions, hull), ai = Linearize(a, 1, permissions, hull);
  Linear br = Linearize(b, 0, permissions, hull), bi = Linearize(b, 1, permissions, hull);
  SumRule rule = ContractionSumRule(interpreter, instruction, context.rule, type);
  for (Linear* part : {&ar, &ai, &br, &bi}) RoundFirst(rule, *part);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts re, im;
  re.products = im.products = true;
  bool wide = FactsOf(type).is_f64 && (MayLeaveRange(ar, br) || MayLeaveRange(ai, bi) ||
                                       MayLeaveRange(ar, bi) || MayLeaveRange(ai, br));
  if (wide) re.scale = im.scale = kProductScale;
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, ar, br, 1, true, re));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, ai, bi, -1, false, re));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, ar, bi, 1, true, im));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, ai, br, 1, false, im));
  HLOCTS_RETURN_IF_ERROR(CountTerms(contraction, ar, br, re));
  re.count *= 2;  // 2k products
  for (double& count : re.counts.mutable_data<double>()) count *= 2;
  im.count = re.count;
  im.counts = re.counts;
  std::vector<AcceptanceSet> re_sets = BoundSums(re, rule, context);
  std::vector<AcceptanceSet> im_sets = BoundSums(im, rule, context);
  std::vector<AcceptanceSet> sets;
  for (size_t i = 0; i < re_sets.size(); ++i) {
    bool special = !re_sets[i].finite() || !im_sets[i].finite();
    // Infinities and NaNs of complex products: the naive formula or Annex G.
    AcceptanceSet open = AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
    if (special) re_sets[i] = im_sets[i] = open;
  }
  if (instruction.opcode() == Opcode::kConvolution) {
    for (std::vector<AcceptanceSet>* part : {&re_sets, &im_sets}) {
      HLOCTS_RETURN_IF_ERROR(
          AddHoleNans(interpreter, instruction, shape, {&ar, &ai}, {&br, &bi}, *part));
    }
  }
  for (size_t i = 0; i < re_sets.size(); ++i) {
    sets.push_back(re_sets[i]);
    sets.push_back(im_sets[i]);
  }
  SetArray result(shape, std::move(sets));
  result.origin = context.origin;
  return SetValue(std::move(result));
}

// Integers: exact modulo 2^w. Intervals only while nothing can wrap.
absl::StatusOr<SetValue> IntegerContraction(SetInterpreter& interpreter,
                                            const Instruction& instruction, const Shape& shape,
                                            absl::Span<const SetValue> operands) {
  if (IsExact(operands[0]) && IsExact(operands[1])) {
    return PlainResult(interpreter, instruction, shape, operands);
  }
  Rule rule = interpreter.RuleOf(instruction.opcode(), operands[0].array.element_type());
  uint32_t origin = interpreter.OriginOf(instruction, rule);
  if (shape.element_type() == PrimitiveType::kPred) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  Linear lhs = Linearize(operands[0].array, 0, 0, false);
  Linear rhs = Linearize(operands[1].array, 0, 0, false);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts parts;
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, lhs, rhs, 1, true, parts));
  Int128 least, most;
  IntegerLimits(shape.element_type(), least, most);
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < parts.centre.element_count(); ++i) {
    double centre = parts.centre.data<double>()[i];
    double magnitude = parts.magnitude.data<double>()[i];
    double radius = parts.has_radius ? parts.radius.data<double>()[i] + 2 : 0;
    bool touched = parts.has_uncertain && parts.uncertain.data<double>()[i] > 0;
    bool small = magnitude < 0x1p52 && centre - radius >= static_cast<double>(least) &&
                 centre + radius <= static_cast<double>(most);
    AcceptanceSet s = AcceptanceSet::Integers(least, most);
    if (touched) s = AcceptanceSet::Unspecified(parts.cause, parts.origin);
    if (small && !touched) {
      s = AcceptanceSet::Integers(static_cast<Int128>(std::floor(centre - radius)),
                                  static_cast<Int128>(std::ceil(centre + radius)));
    }
    s.cause = parts.cause;
    s.origin = parts.origin != 0 ? parts.origin : origin;
    sets.push_back(s);
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  return SetValue(std::move(result));
}

}  // namespace

absl::StatusOr<SetValue> DotSets(SetInterpreter& interpreter, const Instruction& instruction,
                                 const Shape& shape, absl::Span<const SetValue> operands) {
  for (size_t i = 2; i < operands.size(); ++i) {
    if (!IsExact(operands[i])) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
  }
  PrimitiveType type = shape.element_type();
  auto integral = [](const SetValue& operand) {
    return !IsFloat(operand.array.element_type()) && !IsComplex(operand.array.element_type());
  };
  bool integers = integral(operands[0]) && integral(operands[1]);
  if (integers && !IsFloat(type)) {
    return IntegerContraction(interpreter, instruction, shape, operands);
  }
  if (!IsFloat(type) && !IsComplex(type)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  auto result = IsComplex(type) ? ComplexContraction(interpreter, instruction, shape, operands)
                                : RealContraction(interpreter, instruction, shape, operands);
  if (!result.ok()) return result.status();
  result->array = Compress(std::move(result->array));
  return result;
}

}  // namespace hlocts::reference
