// SPDX-License-Identifier: Apache-2.0
// Computes the sets of element-wise operations. Exact operands are first evaluated by the plain
// evaluator, and ordinary numbers as columns; set arithmetic computes the other elements.
#include <algorithm>
#include <optional>

#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/moved_joint.h"
#include "spec/ir/instruction.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/choices.h"
#include "spec/judge/complex_sets.h"
#include "spec/judge/equal_operands.h"
#include "spec/judge/float_images.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {

void DropUnreadPreRounding(AcceptanceSet& s, UnroundedUse hull) {
  if (hull == kHullAny) return;
  if (hull == kHullUnused || (!(hull & kHullWiden) && !s.Has(AcceptanceSet::kContractible))) {
    s.flags &= ~(AcceptanceSet::kPreRounding | AcceptanceSet::kContractible);
    s.rlo = s.lo;
    s.rhi = s.hi;
  }
}

bool IsElementwiseSetOpcode(Opcode opcode) {
  return ops::IsElementwiseFamily(opcode) &&
         !ops::IsOneOf(opcode, {Opcode::kBitcastConvert, Opcode::kStochasticConvert});
}

namespace {

// Passes joint predicates of the selected arrays to the result of a select if the mask is known. In
// JAX a mask selects the triangle of a factor, a whole factorization, or NaNs if the factorization
// failed.
void CarryJoints(const SetArray& mask, const SetArray& on_true, const SetArray& on_false,
                 SetArray& result) {
  if (!mask.exact()) return;
  const bool scalar = mask.shape().rank() == 0;
  for (const SetArray* arm : {&on_true, &on_false}) {
    if (arm->joint == nullptr || arm->shape().dimensions() != result.shape().dimensions()) continue;
    std::vector<int64_t> from(result.element_count(), -1);
    for (int64_t i = 0; i < result.element_count(); ++i) {
      const bool first = mask.literal().raw_data()[scalar ? 0 : i] != 0;
      if (first == (arm == &on_true)) from[i] = i;
    }
    PropagateJoint(*arm, from, result);
  }
}

// Returns each element of the operand that the predicate selects, or of both operands if the
// predicate may be true or false. A scalar predicate applies to all elements.
SetArray SelectArrays(const SetArray& pred, const SetArray& on_true, const SetArray& on_false,
                      const Shape& shape, uint32_t origin) {
  std::vector<AcceptanceSet> sets;
  ChoiceMap map;
  int components = on_true.components();
  sets.reserve(shape.ElementCount() * components);
  bool scalar = pred.shape().rank() == 0;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    AcceptanceSet p = pred.At(scalar ? 0 : i);
    bool may_true = p.unspecified() || p.ihi == 1, may_false = p.unspecified() || p.ilo == 0;
    for (int c = 0; c < components; ++c) {
      const int64_t at = i * components + c;
      const SetArray& arm = may_true ? on_true : on_false;
      std::vector<AcceptanceSet> choices;
      if (may_true && may_false) {
        AcceptanceSet joined = Join(on_true.At(i, c), on_false.At(i, c));
        if (joined.cause == WideningCause::kPoint && !joined.IsPoint()) {
          joined.cause = WideningCause::kJump;
          joined.origin = p.origin != 0 ? p.origin : origin;
        }
        sets.push_back(joined);
        const bool more = on_true.choices != nullptr || on_false.choices != nullptr;
        if (more || HaveGapBetween(on_true.At(i, c), on_false.At(i, c))) {
          choices = ChoicesOfBothOperands(on_true, on_false, at);
        }
      } else {
        sets.push_back(arm.At(i, c));
        if (arm.choices != nullptr) choices = ChoicesAt(arm, at);
      }
      if (choices.size() > 1) map.Put(at, std::move(choices));
    }
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  SetChoices(std::move(map), result);
  result = Compress(std::move(result));
  CarryJoints(pred, on_true, on_false, result);
  return result;
}

AcceptanceSet ConvertElement(const ElementOp& op, const AcceptanceSet& a) {
  if (IsFloat(op.operand_type) && IsFloat(op.result_type))
    return ConvertFloatToFloat(a, op.context);
  if (IsFloat(op.operand_type)) {
    return ConvertFloatToInteger(a, op.result_type, op.saturate, op.context);
  }
  if (IsFloat(op.result_type)) return ConvertIntegerToFloat(a, op.operand_type, op.context);
  return ConvertInteger(a, op.operand_type, op.result_type, op.context.origin);
}

std::optional<AcceptanceSet> WithItself(const ElementOp& op, const AcceptanceSet& a) {
  if (op.opcode == Opcode::kCompare) {
    return IsFloat(op.operand_type)
               ? CompareWithItselfFloat(op.direction, op.total_order, a, op.context)
               : CompareWithItselfInteger(op.direction, a, op.context.origin);
  }
  return IsFloat(op.operand_type) ? WithItselfFloat(op.opcode, a, op.context)
                                  : WithItselfInteger(op.opcode, a, op.integers);
}

// Returns the set that element i of the result reads.
AcceptanceSet ReadAt(const SetArray& array, int64_t i) { return array.At(ElementOf(array, i)); }

AcceptanceSet ClampElement(const ElementOp& op, absl::Span<const SetArray* const> operands,
                           int64_t i) {
  const AcceptanceSet lo = ReadAt(*operands[0], i), x = operands[1]->At(i),
                      hi = ReadAt(*operands[2], i);
  if (IsFloat(op.operand_type)) return ClampFloat(lo, x, hi, op.context);
  const AcceptanceSet low = BinaryInteger(Opcode::kMaximum, lo, x, op.integers);
  return BinaryInteger(Opcode::kMinimum, low, hi, op.integers);
}

// Returns nullopt for operations that other files handle.
std::optional<AcceptanceSet> TypedElement(ops::TypedOperation operation, const ElementOp& op,
                                          absl::Span<const SetArray* const> operands, int64_t i,
                                          const AcceptanceSet& a) {
  switch (operation) {
    case ops::TypedOperation::kConvert:
      return ConvertElement(op, a);
    case ops::TypedOperation::kReducePrecision:
      return ReducePrecisionFloat(a, op.exponent_bits, op.mantissa_bits, op.context);
    case ops::TypedOperation::kClamp:
      return ClampElement(op, operands, i);
    case ops::TypedOperation::kCompare:
      if (!IsFloat(op.operand_type))
        return CompareInteger(op.direction, a, operands[1]->At(i), op.context.origin);
      return CompareFloat(op.direction, op.total_order, a, operands[1]->At(i), op.context);
    case ops::TypedOperation::kSelect:
    case ops::TypedOperation::kBitcastConvert:
    case ops::TypedOperation::kStochasticConvert:
      return std::nullopt;
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

AcceptanceSet RealElement(const ElementOp& op, absl::Span<const SetArray* const> operands,
                          int64_t i) {
  const AcceptanceSet a = ReadAt(*operands[0], i);
  if (op.equal_operands) {
    if (std::optional<AcceptanceSet> same = WithItself(op, a)) return *same;
  }
  if (const std::optional<ops::TypedOperation> typed = ops::TypedOperationOf(op.opcode)) {
    if (std::optional<AcceptanceSet> s = TypedElement(*typed, op, operands, i, a)) return *s;
  }
  if (op.opcode == Opcode::kIsFinite) return IsFiniteFloat(a, op.context);
  if (const std::optional<ops::Component> component = ops::ComponentOf(op.opcode)) {
    // In a type without a zero, the imaginary part is unspecified (ruling 0035).
    const bool real = *component == ops::Component::kReal;
    return real ? a : InFormat(AcceptanceSet::Float(0.0), op.context);
  }
  const bool integer = !IsFloat(op.operand_type);
  if (operands.size() == 1) {
    return integer ? UnaryInteger(op.opcode, a, op.integers) : UnaryFloat(op.opcode, a, op.context);
  }
  AcceptanceSet b = operands[1]->At(i);
  return integer ? BinaryInteger(op.opcode, a, b, op.integers)
                 : BinaryFloat(op.opcode, a, b, op.context);
}

namespace {

ComplexSet ComplexAt(const SetArray& array, int64_t i) {
  const int64_t read = ElementOf(array, i);
  return {array.At(read, 0), array.At(read, 1)};
}

AcceptanceSet ProjectedElement(ops::Projection projection, const ElementOp& op,
                               const ComplexSet& a) {
  switch (projection) {
    case ops::Projection::kAbs:
      return ComplexAbs(a, op.context);
    case ops::Projection::kReal:
      return a.re;
    case ops::Projection::kImag:
      return a.im;
  }
  HLOCTS_UNREACHABLE();
}

// If an operation on a complex operand `a` has a real result, returns that result, else nullopt.
std::optional<AcceptanceSet> NumberOfComplex(const ElementOp& op, const ComplexSet& a,
                                             absl::Span<const SetArray* const> operands,
                                             int64_t i) {
  if (const std::optional<ops::Projection> projection = ops::ProjectionOf(op.opcode))
    return ProjectedElement(*projection, op, a);
  if (op.opcode == Opcode::kCompare)
    return ComplexCompare(op.direction, a, ComplexAt(*operands[1], i), op.context);
  if (op.opcode != Opcode::kConvert || IsComplex(op.result_type)) return std::nullopt;
  ElementOp real = op;
  real.operand_type = ComponentType(op.operand_type);
  return ConvertElement(real, a.re);
}

ComplexSet ComplexOf(const ElementOp& op, absl::Span<const SetArray* const> operands, int64_t i) {
  if (op.opcode == Opcode::kComplex) return {operands[0]->At(i), operands[1]->At(i)};
  if (!IsComplex(op.operand_type)) {  // converts real numbers to complex
    ElementOp real = op;
    real.result_type = ComponentType(op.result_type);
    return {RealElement(real, operands, i), AcceptanceSet::Float(0.0)};
  }
  const ComplexSet a = ComplexAt(*operands[0], i);
  if (op.opcode == Opcode::kConvert)
    return {ConvertFloatToFloat(a.re, op.context), ConvertFloatToFloat(a.im, op.context)};
  if (op.opcode == Opcode::kClamp) {
    return ComplexClamp(a, ComplexAt(*operands[1], i), ComplexAt(*operands[2], i), op.context);
  }
  if (operands.size() == 1) return ComplexUnary(op.opcode, a, op.context);
  return ComplexBinary(op.opcode, a, ComplexAt(*operands[1], i), op.context);
}

// Appends the components of a result that is complex or has a complex operand.
void ComplexElement(const ElementOp& op, absl::Span<const SetArray* const> operands, int64_t i,
                    std::vector<AcceptanceSet>& out) {
  if (IsComplex(op.operand_type)) {
    const ComplexSet a = ComplexAt(*operands[0], i);
    if (std::optional<AcceptanceSet> number = NumberOfComplex(op, a, operands, i)) {
      out.push_back(*number);
      return;
    }
  }
  const ComplexSet z = ComplexOf(op, operands, i);
  out.push_back(z.re);
  out.push_back(z.im);
}

ElementOp MakeElementOp(SetInterpreter& interpreter, const Instruction& instruction,
                        PrimitiveType operand, PrimitiveType result) {
  ElementOp op{.instruction = &instruction,
               .opcode = instruction.opcode(),
               .operand_type = operand,
               .result_type = result,
               .context = interpreter.ContextOf(instruction, operand, result)};
  op.integers.type = operand;
  op.integers.facts = interpreter.options().facts;
  // In the strict profile, a shift by the width or more has its mathematical result (ruling 0005).
  op.integers.facts.shift_saturate |= interpreter.profile() == Profile::kStrict;
  op.integers.origin = op.context.origin;
  op.direction = instruction.WordOr(Attr::kDirection, "EQ");
  op.total_order = instruction.WordOr(Attr::kType, "FLOAT") == "TOTALORDER";
  constexpr int64_t kMost = 64;  // more bits than 64 have the same effect
  op.exponent_bits = static_cast<int>(std::min(instruction.IntOr(Attr::kExponentBits, 8), kMost));
  op.mantissa_bits = static_cast<int>(std::min(instruction.IntOr(Attr::kMantissaBits, 23), kMost));
  op.saturate = interpreter.options().facts.convert_saturate;
  op.equal_operands =
      instruction.operand_count() == 2 && &instruction.operand(0) == &instruction.operand(1);
  return op;
}

std::vector<int64_t> RuntimeSizesOf(absl::Span<const SetArray* const> arrays, const Shape& shape) {
  for (const SetArray* array : arrays) {
    if (!array->runtime_sizes.empty() && array->shape().rank() == shape.rank()) {
      return array->runtime_sizes;
    }
  }
  return {};
}

// Returns false if operands other than scalars have different run-time sizes.
bool SizesAgree(absl::Span<const SetArray* const> arrays) {
  std::vector<int64_t> first;
  for (const SetArray* array : arrays) {
    if (array->shape().rank() == 0) continue;
    const std::vector<int64_t>& sizes =
        array->runtime_sizes.empty() ? array->shape().dimensions() : array->runtime_sizes;
    if (!first.empty() && first != sizes) return false;
    first = sizes;
  }
  return true;
}

std::vector<AcceptanceSet> ElementByElement(const ElementOp& op, const Shape& shape,
                                            absl::Span<const SetArray* const> operands) {
  bool complex = IsComplex(op.operand_type) || IsComplex(op.result_type);
  std::vector<AcceptanceSet> sets;
  int64_t count = shape.ElementCount();
  sets.reserve(count * (IsComplex(op.result_type) ? 2 : 1));
  for (int64_t i = 0; i < count; ++i) {
    if (complex) {
      ComplexElement(op, operands, i, sets);
    } else {
      sets.push_back(RealElement(op, operands, i));
    }
  }
  for (AcceptanceSet& s : sets) {
    if (!s.integer()) DropUnreadPreRounding(s, op.hull);
  }
  return sets;
}

SetValue Selected(const std::vector<const SetArray*>& arrays, const Shape& shape, uint32_t origin) {
  SetArray result = SelectArrays(*arrays[0], *arrays[1], *arrays[2], shape, origin);
  result.runtime_sizes = RuntimeSizesOf(arrays, shape);
  return SetValue(std::move(result));
}

// Computes ordinary numbers by columns and the other elements by set arithmetic.
SetArray WideSets(const ElementOp& op, const Shape& shape,
                  const std::vector<const SetArray*>& arrays) {
  const bool jumps = HasFewDiscontinuities(arrays), choices = jumps || AnyChoices(arrays);
  if (std::optional<SetArray> columns = ElementwiseColumns(op, shape, arrays)) {
    columns->origin = op.context.origin;
    if (choices) MapChoices(op, arrays, jumps, *columns);
    return *std::move(columns);
  }
  SetArray result(shape, ElementByElement(op, shape, arrays));
  result.origin = op.context.origin;
  result.runtime_sizes = RuntimeSizesOf(arrays, shape);
  if (choices) MapChoices(op, arrays, jumps, result);
  return Compress(std::move(result));
}

}  // namespace

absl::StatusOr<SetValue> ElementwiseSets(SetInterpreter& interpreter,
                                         const Instruction& instruction, const Shape& shape,
                                         absl::Span<const SetValue> operands) {
  std::vector<const SetArray*> arrays;
  bool exact = true;
  for (const SetValue& operand : operands) {
    arrays.push_back(&operand.array);
    exact = exact && operand.array.exact();
  }
  if (!SizesAgree(arrays))
    return InvalidInput(instruction.name(), ": expected operands of equal run-time sizes");
  PrimitiveType operand_type = arrays[0]->element_type();
  if (instruction.opcode() == Opcode::kSelect) {
    const uint32_t origin =
        interpreter.OriginOf(instruction, interpreter.RuleOf(Opcode::kSelect, operand_type));
    if (exact) return PlainResult(interpreter, instruction, shape, operands);
    return Selected(arrays, shape, origin);
  }
  ElementOp op = MakeElementOp(interpreter, instruction, operand_type, shape.element_type());
  op.hull = interpreter.HullUseOf(instruction);
  KeepIfCompared(interpreter, instruction, operands);
  if (exact) {
    HLOCTS_ASSIGN_OR_RETURN(std::optional<SetValue> points,
                            ElementwisePoints(interpreter, op, shape, operands, arrays));
    if (points.has_value()) {
      KeepFlushesApart(op, arrays, points->array);
      return *std::move(points);
    }
  }
  SetArray result = WideSets(op, shape, arrays);
  if (result.choices == nullptr) KeepFlushesApart(op, arrays, result);
  CompareWithExtremum(interpreter, op, result);
  return SetValue(std::move(result));
}

}  // namespace hlocts::reference
