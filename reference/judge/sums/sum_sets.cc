// SPDX-License-Identifier: Apache-2.0
// Computes the sets of dot, ragged-dot and convolution.
#include <algorithm>
#include <cmath>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/contraction.h"
#include "reference/judge/sums/convolution_holes.h"
#include "reference/judge/sums/dot_precision.h"
#include "reference/judge/sums/fast_convolution.h"
#include "reference/judge/sums/sums.h"
#include "spec/ir/instruction.h"
#include "spec/judge/integer_sets.h"

namespace hlocts::reference {
namespace {

// Returns the type that determines how sums are accumulated: the operands' type, or the result's
// type if they differ.
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
  ConvertFirst(a.element_type(), FactsOf(type), lhs);
  ConvertFirst(b.element_type(), FactsOf(type), rhs);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts parts;
  parts.products = true;
  if (FactsOf(type).is_f64 && MayLeaveRange(lhs, rhs)) parts.scale = kProductScale;
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, lhs, rhs, 1, true, parts));
  HLOCTS_RETURN_IF_ERROR(CountTerms(contraction, lhs, rhs, parts));
  if (MayBeFast(interpreter, instruction, context.rule)) {
    parts.fast = FastConvolutionErrors(instruction, shape, lhs, rhs, rule, *context.bounds);
    parts.has_fast = true;
  }
  std::vector<double> errors;
  std::vector<AcceptanceSet> sets = BoundSums(parts, rule, context, &errors);
  if (instruction.opcode() == Opcode::kConvolution) {
    HLOCTS_RETURN_IF_ERROR(AddHoleNans(interpreter, instruction, shape, {&lhs}, {&rhs}, sets));
  }
  SetArray result(shape, std::move(sets));
  if (parts.centre.has_runtime_sizes()) result.runtime_sizes = parts.centre.runtime_sizes();
  result.origin = context.origin;
  SetValue value(std::move(result));
  value.sum_errors = std::move(errors);
  return value;
}

// The parts of (ar + i ai)(br + i bi), which is computed by four products.
struct ComplexOperands {
  Linear ar, ai, br, bi;
};

absl::Status AddComplexProducts(const Contraction& contraction, const ComplexOperands& x,
                                SumParts& re, SumParts& im) {
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ar, x.br, 1, true, re));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ai, x.bi, -1, false, re));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ar, x.bi, 1, true, im));
  HLOCTS_RETURN_IF_ERROR(AddProducts(contraction, x.ai, x.br, 1, false, im));
  HLOCTS_RETURN_IF_ERROR(CountTerms(contraction, x.ar, x.br, re));
  re.count *= 2;  // 2k products
  for (double& count : re.counts.mutable_data<double>()) count *= 2;
  im.count = re.count;
  im.counts = re.counts;
  return absl::OkStatus();
}

// Makes complex elements unspecified that may contain an infinity or a NaN, since an engine may use
// the naive formula or Annex G. A possible overflow has the same effect as a certain one.
void OpenSpecials(std::vector<AcceptanceSet>& re, std::vector<AcceptanceSet>& im, uint32_t origin) {
  constexpr uint16_t kSpecial =
      AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf;
  for (size_t i = 0; i < re.size(); ++i) {
    const bool special = re[i].Has(kSpecial) || im[i].Has(kSpecial);
    if (re[i].finite() && im[i].finite() && !special) continue;
    re[i] = im[i] = AcceptanceSet::Unspecified(WideningCause::kFreedom, origin);
  }
}

absl::StatusOr<SetValue> ComplexContraction(SetInterpreter& interpreter,
                                            const Instruction& instruction, const Shape& shape,
                                            absl::Span<const SetValue> operands) {
  const SetArray &a = operands[0].array, &b = operands[1].array;
  PrimitiveType type = SumType(a, b, shape);
  SetContext context = interpreter.ContextOf(instruction, type, shape.element_type());
  uint32_t permissions = context.rule.permissions & ~uint32_t{kContract};
  bool hull = context.rule.Allows(kSkipRounding);
  ComplexOperands x = {Linearize(a, 0, permissions, hull), Linearize(a, 1, permissions, hull),
                       Linearize(b, 0, permissions, hull), Linearize(b, 1, permissions, hull)};
  SumRule rule = ContractionSumRule(interpreter, instruction, context.rule, type);
  for (Linear* part : {&x.ar, &x.ai, &x.br, &x.bi}) RoundFirst(rule, *part);
  ConvertFirst(a.element_type(), FactsOf(type), x.ar);
  ConvertFirst(b.element_type(), FactsOf(type), x.br);
  Contraction contraction{interpreter, instruction, shape.WithElementType(PrimitiveType::kF64), {}};
  for (size_t i = 2; i < operands.size(); ++i) contraction.more.push_back(ToLiteral(operands[i]));
  SumParts re, im;
  re.products = im.products = true;
  bool wide = FactsOf(type).is_f64 && (MayLeaveRange(x.ar, x.br) || MayLeaveRange(x.ai, x.bi) ||
                                       MayLeaveRange(x.ar, x.bi) || MayLeaveRange(x.ai, x.br));
  if (wide) re.scale = im.scale = kProductScale;
  HLOCTS_RETURN_IF_ERROR(AddComplexProducts(contraction, x, re, im));
  std::vector<AcceptanceSet> re_sets = BoundSums(re, rule, context);
  std::vector<AcceptanceSet> im_sets = BoundSums(im, rule, context);
  OpenSpecials(re_sets, im_sets, context.origin);
  if (instruction.opcode() == Opcode::kConvolution) {
    for (std::vector<AcceptanceSet>* part : {&re_sets, &im_sets}) {
      HLOCTS_RETURN_IF_ERROR(
          AddHoleNans(interpreter, instruction, shape, {&x.ar, &x.ai}, {&x.br, &x.bi}, *part));
    }
  }
  SetArray result(shape, Interleaved(re_sets, im_sets));
  result.origin = context.origin;
  return SetValue(std::move(result));
}

// Returns element `i` of a sum of integers within [least, most].
AcceptanceSet IntegerSum(const SumParts& parts, int64_t i, Int128 least, Int128 most) {
  if (parts.has_uncertain && parts.uncertain.data<double>()[i] > 0)
    return AcceptanceSet::Unspecified(parts.cause, parts.origin);
  const double centre = parts.centre.data<double>()[i];
  const double magnitude = parts.magnitude.data<double>()[i];
  const double radius = parts.has_radius ? parts.radius.data<double>()[i] + 2 : 0;
  const bool small = magnitude < 0x1p52 && centre - radius >= static_cast<double>(least) &&
                     centre + radius <= static_cast<double>(most);
  if (!small) return AcceptanceSet::Integers(least, most);
  return AcceptanceSet::Integers(static_cast<Int128>(std::floor(centre - radius)),
                                 static_cast<Int128>(std::ceil(centre + radius)));
}

// Computes integer contractions: exact modulo 2^w, or intervals if nothing can wrap.
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
    AcceptanceSet s = IntegerSum(parts, i, least, most);
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
