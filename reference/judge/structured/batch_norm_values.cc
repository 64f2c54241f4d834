// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/batch_norm_values.h"

#include "spec/accuracy/rules.h"
#include "spec/ir/instruction.h"
#include "spec/judge/float_sets.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

Layout3 LayoutOf(const Shape& shape, int64_t feature) {
  Layout3 layout;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    (d < feature    ? layout.outer
     : d == feature ? layout.features
                    : layout.inner) *= shape.dimension(d);
  }
  return layout;
}

// Returns the error that the profile permits, in units of half an ulp (lemma 26).
double UnitsOf(const SetInterpreter& interpreter, Opcode opcode, PrimitiveType type) {
  const Rule rule = interpreter.TableRule(opcode, type, interpreter.profile());
  return interpreter.options().bounds->UnitsOfUlp() *
         (rule.rule_class == RuleClass::kUlp ? rule.ulps : 0.5);
}

}  // namespace

// Returns the error of 1 / sqrt(variance + epsilon), in units of half an ulp. The addition of
// epsilon contributes half a unit, since the root halves relative errors. A root and a quotient, or
// a reciprocal root, contribute the rest.
double DeviationUnits(const SetInterpreter& interpreter, PrimitiveType type) {
  auto units = [&](Opcode opcode) { return UnitsOf(interpreter, opcode, type); };
  return 0.5 + std::max(units(Opcode::kSqrt) + units(Opcode::kDivide), units(Opcode::kRsqrt));
}

// Sums and differences may read products unrounded (lemma 5). Lost() covers flushes to zero.
Approximate BatchNorm::NumberAt(const SetValue& operand, int64_t i) const {
  if (operand.array.exact()) return {RealAt(operand.array.literal(), i), 0};
  const AcceptanceSet s = operand.array.At(i);
  const bool hull = context.rule.Allows(kSkipRounding) || s.Has(AcceptanceSet::kContractible);
  const View v = ReadSet(s, *context.operand, 0, hull);
  const bool number = v.finite && !v.nan && !v.Infinite() && !s.unspecified() &&
                      !(hull && s.Has(AcceptanceSet::kScaledPreRounding));
  if (!number) return {std::nan(""), 0};
  const double middle = v.lo / 2 + v.hi / 2;
  return {middle, v.lo == v.hi ? 0 : NextUp(std::max(v.hi - middle, middle - v.lo))};
}

BatchNorm MakeBatchNorm(SetInterpreter& interpreter, const Instruction& instruction,
                        const SetArray& operand) {
  BatchNorm norm{interpreter, instruction,
                 interpreter.ContextOf(instruction, operand.element_type(), operand.element_type()),
                 LayoutOf(operand.shape(), instruction.IntOr(Attr::kFeatureIndex, 0))};
  // epsilon is an f32 attribute for every element type. It is then rounded to the element type.
  norm.epsilon = static_cast<double>(static_cast<float>(instruction.FloatOr(Attr::kEpsilon, 0)));
  norm.epsilon = norm.context.result->Round(norm.epsilon);
  norm.u = std::ldexp(1.0, -norm.context.result->p);
  norm.quotient = UnitsOf(interpreter, Opcode::kDivide, operand.element_type());
  norm.deviation = DeviationUnits(interpreter, operand.element_type());
  norm.flush = norm.context.rule.Allows(kFlushResult) ? norm.context.result->min_normal
                                                      : norm.context.result->tiny;
  norm.read = norm.context.rule.Allows(kFlushOperand) ? norm.context.result->min_normal : 0;
  return norm;
}

AcceptanceSet RoundedWithin(const Approximate& x, const SetContext& context) {
  if (!std::isfinite(x.value) || !std::isfinite(x.error)) {
    return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  }
  Image image{
      .finite = true, .lo = {NextDown(x.value - x.error), 0}, .hi = {NextUp(x.value + x.error), 0}};
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  AcceptanceSet s = StoreImage(image, rounding);
  s.cause = WideningCause::kSum;
  s.origin = context.origin;
  return s;
}

SetValue BatchNormResults(const Shape& shape, std::vector<AcceptanceSet> elements,
                          std::vector<AcceptanceSet> first, std::vector<AcceptanceSet> second) {
  return SetValue::Tuple({SetArray(shape.tuple_shapes()[0], std::move(elements)),
                          SetArray(shape.tuple_shapes()[1], std::move(first)),
                          SetArray(shape.tuple_shapes()[2], std::move(second))});
}

bool AnyRuntimeSizes(absl::Span<const SetValue> operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [](const SetValue& operand) { return !operand.array.runtime_sizes.empty(); });
}

}  // namespace hlocts::reference
