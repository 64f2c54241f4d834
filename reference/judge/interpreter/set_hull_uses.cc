// SPDX-License-Identifier: Apache-2.0
// Finds the instructions that read pre-rounding intervals (lemma 5); unread intervals are dropped.

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

// Finds computations that need no sets: on known operands, the plain evaluator yields their value.

bool Certain(PrimitiveType type) { return !IsFloat(type) && !IsComplex(type); }

// Returns true for moves of any type, and for integer operations that are fully defined.
bool CertainOperation(const Instruction& instruction) {
  const OpRow& row = RowOf(instruction.opcode());
  bool sorted = instruction.BoolOr(Attr::kIndicesAreSorted, false);
  switch (row.family) {
    case Family::kMovement:
    case Family::kTuple:
      return true;
    case Family::kIndexing:
      return instruction.opcode() != Opcode::kScatter && !sorted;
    case Family::kLeaf:
      return true;
    case Family::kElementwiseUnary:
    case Family::kElementwiseBinary:
    case Family::kElementwiseOther:
      break;
    default:
      return false;
  }
  if (instruction.opcode() == Opcode::kSelect) return true;
  bool open = row.freedom != Freedom::kNone && instruction.opcode() != Opcode::kConvert;
  if (open || !Certain(instruction.shape().element_type())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!Certain(operand->shape().element_type())) return false;
  }
  return true;
}

// Returns an array with the dimensions of `lanes` whose elements all equal the scalar.
SetValue Spread(const SetValue& scalar, const Shape& lanes) {
  const SetArray& array = scalar.array;
  Shape shape(array.element_type(), lanes.dimensions());
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    for (int c = 0; c < array.components(); ++c) sets.push_back(array.At(0, c));
  }
  return Compress(SetArray(shape, std::move(sets)));
}

Shape LaneShape(const Shape& shape, const Shape& lanes) {
  if (!shape.IsTuple()) return Shape(shape.element_type(), lanes.dimensions());
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(LaneShape(element, lanes));
  return Shape::Tuple(std::move(elements));
}

// Returns true if the instruction reinterprets a scalar as a scalar of the same width. Compilers
// rewrite comparisons in total order to comparisons of such bits.
bool IsBitsOfScalar(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kBitcastConvert && instruction.opcode() != Opcode::kBitcast) {
    return false;
  }
  const Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  return from.IsArray() && to.IsArray() && from.rank() == 0 && to.rank() == 0 &&
         BitWidth(from.element_type()) == BitWidth(to.element_type());
}

// Returns true for operations that return values unchanged, with their pre-rounding intervals.
bool PassesPreRounding(const Instruction& user) {
  const OpRow& row = RowOf(user.opcode());
  switch (row.family) {
    case Family::kMovement:
    case Family::kTuple:
    case Family::kIndexing:
    case Family::kControlFlow:
    case Family::kCollective:
    case Family::kDynamicSize:
    case Family::kAsync:
    case Family::kReduction:
      return true;
    default:
      return ops::IsComponent(user.opcode()) ||
             ops::IsOneOf(user.opcode(),
                          {Opcode::kSelect, Opcode::kNegate, Opcode::kComplex, Opcode::kConvert});
  }
}

uint8_t DirectUse(const Instruction& user) {
  switch (RowOf(user.opcode()).accuracy) {
    case AccuracyRule::kAddSubtract:
    case AccuracyRule::kReduction:
    case AccuracyRule::kScatter:
    case AccuracyRule::kSelectAndScatter:
    case AccuracyRule::kCollectiveReduction:
    case AccuracyRule::kBatchNorm:
      return kHullContract;
    case AccuracyRule::kConvert:
      return kHullWiden;
    default:
      return kHullUnused;
  }
}

}  // namespace

bool SetInterpreter::IsPlain(const Computation& computation) {
  auto [found, inserted] = plain_.try_emplace(&computation, true);
  if (!inserted) return found->second;
  bool plain = true;
  for (const auto& instruction : computation.instructions()) {
    plain = plain && IsPlain(*instruction);
  }
  plain_[&computation] = plain;
  return plain;
}

bool SetInterpreter::IsPlain(const Instruction& instruction) {
  if (!ops::IsCaller(instruction.opcode())) return CertainOperation(instruction);
  for (const Computation* called : instruction.called_computations()) {
    if (!IsPlain(*called)) return false;
  }
  return true;
}

absl::StatusOr<Literal> SetInterpreter::RunElementwise(const Instruction& instruction,
                                                       const Shape& shape,
                                                       absl::Span<const SetValue> operands) {
  bool direct = IsElementwise(instruction.opcode());
  int64_t count = shape.ElementCount();
  const void* data[3] = {};
  for (size_t i = 0; i < operands.size() && direct; ++i) {
    const SetArray& array = operands[i].array;
    direct = i < 3 && array.runtime_sizes.empty() && array.element_count() == count;
    if (direct) data[i] = array.literal().raw_data();
  }
  if (!direct || count == 0) return runner_.Run(instruction, shape, Literals(operands));
  auto found = kernels_.find(&instruction);
  if (found == kernels_.end()) {
    HLOCTS_ASSIGN_OR_RETURN(ElementwiseOp kernel, ResolveElementwise(instruction));
    found = kernels_.emplace(&instruction, kernel).first;
  }
  Literal result(shape);
  found->second(data, result.mutable_raw_data(), count);
  return result;
}

absl::StatusOr<SetValue> SetInterpreter::CallLanes(const Computation& computation,
                                                   absl::Span<const SetValue> arguments,
                                                   const Shape& lanes) {
  std::vector<SetValue> values(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    SetValue& out = values[instruction->index()];
    std::vector<SetValue> operands;
    for (const Instruction* operand : instruction->operands()) {
      operands.push_back(values[operand->index()]);
    }
    Shape shape = LaneShape(instruction->shape(), lanes);
    Opcode opcode = instruction->opcode();
    if (opcode == Opcode::kParameter) {
      out = arguments[instruction->parameter_number()];
    } else if (ops::IsSource(opcode)) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue scalar,
                              SetHandlerOf(opcode)(*this, *instruction, instruction->shape(), {}));
      out = Spread(scalar, lanes);
    } else if (const Computation* body = InlinedBody(*instruction)) {
      HLOCTS_ASSIGN_OR_RETURN(out, CallLanes(*body, operands, lanes));
    } else if (IsElementwiseSetOpcode(opcode) || ops::IsPacking(opcode) ||
               opcode == Opcode::kCopy || IsBitsOfScalar(*instruction)) {
      HLOCTS_ASSIGN_OR_RETURN(out, SetHandlerOf(opcode)(*this, *instruction, shape, operands));
    } else if (opcode == Opcode::kReshape || opcode == Opcode::kBroadcast) {
      out = operands[0];  // the result is a scalar, too
    } else {
      return UnspecifiedResult(*this, *computation.root(),
                               LaneShape(computation.root()->shape(), lanes),
                               WideningCause::kUnknown);
    }
  }
  return values[computation.root()->index()];
}

void SetInterpreter::AnalyzeUnroundedUses(const Computation& computation) {
  const auto& instructions = computation.instructions();
  bool entry = &computation == module_.entry();
  for (const auto& instruction : instructions) hull_use_[instruction.get()] = kHullUnused;
  if (!entry && computation.root() != nullptr) hull_use_[computation.root()] = kHullAny;
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const Instruction& user = **it;
    uint8_t use = DirectUse(user) | (PassesPreRounding(user) ? hull_use_[&user] : 0);
    // How a called computation uses its parameters is not examined.
    if (!user.called_computations().empty()) use = kHullAny;
    for (const Instruction* operand : user.operands()) hull_use_[operand] |= use;
  }
}

bool SetInterpreter::ReadsUnrounded(const Shape& shape) const {
  const PrimitiveType type = shape.element_type();
  if (shape.IsTuple()) return options_.facts.excess_16bit || options_.facts.excess_32bit;
  if (!IsFloat(type) && !IsComplex(type)) return false;
  const int width = BitWidth(ComponentType(type));
  return (options_.facts.excess_16bit && width <= 16) ||
         (options_.facts.excess_32bit && width == 32);
}

UnroundedUse SetInterpreter::HullUseOf(const Instruction& instruction) {
  if (options_.facts.values_once) return kHullUnused;
  if (profile() == Profile::kRelaxed) return kHullAny;
  if (profile() == Profile::kStrict) return kHullUnused;
  if (ReadsUnrounded(instruction.shape())) return kHullAny;
  auto found = hull_use_.find(&instruction);
  if (found == hull_use_.end()) {
    if (instruction.parent() == nullptr) return kHullAny;
    AnalyzeUnroundedUses(*instruction.parent());
    found = hull_use_.find(&instruction);
    if (found == hull_use_.end()) return kHullAny;
  }
  return static_cast<UnroundedUse>(found->second);
}

}  // namespace hlocts::reference
