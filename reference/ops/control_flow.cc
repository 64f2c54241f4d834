// SPDX-License-Identifier: Apache-2.0
// Implements control flow: instructions that run called computations, and the start/done pairs that
// a scheduler creates from them.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "reference/eval_context.h"
#include "spec/ir/opcode.h"

namespace hlocts::reference {
namespace {

std::vector<Literal> MoveAll(absl::Span<Literal> operands) {
  return {std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())};
}

absl::StatusOr<const Computation*> Called(const Instruction& instruction, Attr attr) {
  const Computation* computation = instruction.CalledComputation(attr);
  if (computation == nullptr) {
    return InvalidInput(instruction.name(), ": ", AttrName(attr), " is missing");
  }
  return computation;
}

absl::StatusOr<bool> Holds(const Instruction& loop, const Literal& condition) {
  if (condition.element_type() != PrimitiveType::kPred || condition.element_count() != 1) {
    return InvalidInput(loop.name(), ": condition returns ", condition.shape().ToString(false));
  }
  return condition.data<bool>()[0];
}

const ScalarFunction* ScalarOrNull(EvalContext& context, const Computation& computation) {
  absl::StatusOr<const ScalarFunction*> function = context.Scalar(computation);
  return function.ok() ? *function : nullptr;
}

// Charges one trip. The error for an exhausted budget names the loop.
absl::Status ChargeTrip(EvalContext& context, const Instruction& loop, int64_t trips) {
  const absl::Status charged = context.ChargeSteps(1);
  if (!absl::IsDeadlineExceeded(charged)) return charged;
  return absl::DeadlineExceededError(absl::StrCat(
      "while ", loop.name(), ": its condition holds after ", trips, " trips; ", charged.message()));
}

// Runs a loop over scalars only, which needs no literal per trip.
absl::StatusOr<Literal> RunScalarLoop(EvalContext& context, const Instruction& loop,
                                      const ScalarFunction& condition, const ScalarFunction& body,
                                      const Literal& init) {
  std::vector<Literal> leaves = FlattenLeaves(init);
  std::vector<Slot> state(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    state[i].Load(leaves[i].raw_data(), StorageBytes(leaves[i].element_type()));
  }
  for (int64_t trips = 0;; ++trips) {
    Slot holds;
    condition.Run(state.data(), &holds);
    if (!holds.Get<uint8_t>()) break;
    HLOCTS_RETURN_IF_ERROR(ChargeTrip(context, loop, trips));
    body.Run(state.data(), state.data());
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    state[i].Store(leaves[i].mutable_raw_data(), StorageBytes(leaves[i].element_type()));
  }
  return UnflattenLeaves(init.shape(), std::move(leaves));
}

bool FitsState(const ScalarFunction* condition, const ScalarFunction* body, const Literal& init) {
  if (condition == nullptr || body == nullptr || condition->result_count() != 1) return false;
  int64_t leaves = static_cast<int64_t>(LeafShapes(init.shape()).size());
  return condition->argument_count() == leaves && body->argument_count() == leaves &&
         body->result_count() == leaves;
}

}  // namespace

// call.*, fusion: applies the called computation to the operands.
absl::StatusOr<Literal> EvaluateCall(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal> operands) {
  bool fused = instruction.opcode() == Opcode::kFusion;
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation,
                          Called(instruction, fused ? Attr::kCalls : Attr::kToApply));
  return context.Call(*computation, MoveAll(operands));
}

// while.*: the state starts as init and is replaced by body(state) while condition(state) is true.
// Zero trips yield init (ruling 0015); an infinite loop exceeds the step budget (ruling 0016).
absl::StatusOr<Literal> EvaluateWhile(EvalContext& context, const Instruction& instruction,
                                      absl::Span<Literal> operands) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* condition, Called(instruction, Attr::kCondition));
  HLOCTS_ASSIGN_OR_RETURN(const Computation* body, Called(instruction, Attr::kBody));
  Literal state = std::move(operands[0]);
  const ScalarFunction* scalar_condition = ScalarOrNull(context, *condition);
  const ScalarFunction* scalar_body = scalar_condition ? ScalarOrNull(context, *body) : nullptr;
  if (FitsState(scalar_condition, scalar_body, state)) {
    return RunScalarLoop(context, instruction, *scalar_condition, *scalar_body, state);
  }
  for (int64_t trips = 0;; ++trips) {
    HLOCTS_ASSIGN_OR_RETURN(Literal proceed, context.Call(*condition, {state}));
    HLOCTS_ASSIGN_OR_RETURN(bool holds, Holds(instruction, proceed));
    if (!holds) return state;
    HLOCTS_RETURN_IF_ERROR(ChargeTrip(context, instruction, trips));
    std::vector<Literal> arguments;
    arguments.push_back(std::move(state));
    HLOCTS_ASSIGN_OR_RETURN(state, context.Call(*body, std::move(arguments)));
  }
}

// conditional.*: executes only the selected computation. With N branches, an index outside [0, N)
// selects the last (ruling 0008); with two, a true pred selects the first.
absl::StatusOr<Literal> EvaluateConditional(EvalContext& context, const Instruction& instruction,
                                            absl::Span<Literal> operands) {
  const std::vector<Computation*> branches = instruction.branches();
  size_t count = branches.size();
  if (count == 0 || count + 1 != operands.size() ||
      std::count(branches.begin(), branches.end(), nullptr) > 0) {
    return InvalidInput(instruction.name(), ": expected one operand per branch computation, found ",
                        operands.size() - 1, " for ", count);
  }
  size_t chosen = count - 1;
  if (operands[0].element_type() == PrimitiveType::kPred) {
    chosen = operands[0].data<bool>()[0] ? 0 : 1;
  } else {
    int32_t index = operands[0].data<int32_t>()[0];
    if (index >= 0 && static_cast<size_t>(index) < count) chosen = static_cast<size_t>(index);
  }
  std::vector<Literal> arguments;
  arguments.push_back(std::move(operands[chosen + 1]));
  return context.Call(*branches[std::min(chosen, count - 1)], std::move(arguments));
}

// after_all.*: returns a token that is ordered after the operands.
absl::StatusOr<Literal> EvaluateAfterAll(EvalContext&, const Instruction&, absl::Span<Literal>) {
  return Literal(Shape::Token());
}

// copy-start returns (destination, source, context); copy-done returns the destination.
absl::StatusOr<Literal> EvaluateCopyStart(EvalContext&, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  std::vector<Literal> elements = {operands[0], operands[0]};
  for (size_t i = 2; i < instruction.shape().tuple_shapes().size(); ++i) {
    elements.emplace_back(instruction.shape().tuple_shapes()[i]);
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluateCopyDone(EvalContext&, const Instruction&,
                                         absl::Span<Literal> operands) {
  return operands[0].TakeElement(0);
}

// async-start evaluates immediately and returns (operands, result, contexts...). async-update
// forwards that tuple, and async-done extracts the result.
absl::StatusOr<Literal> EvaluateAsyncStart(EvalContext& context, const Instruction& instruction,
                                           absl::Span<Literal> operands) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(instruction, Attr::kCalls));
  std::vector<Literal> arguments(operands.begin(), operands.end());
  HLOCTS_ASSIGN_OR_RETURN(Literal result, context.Call(*computation, MoveAll(operands)));
  std::vector<Literal> elements = {Literal::Tuple(std::move(arguments)), std::move(result)};
  for (size_t i = 2; i < instruction.shape().tuple_shapes().size(); ++i) {
    elements.emplace_back(instruction.shape().tuple_shapes()[i]);
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluateAsyncUpdate(EvalContext&, const Instruction&,
                                            absl::Span<Literal> operands) {
  return std::move(operands[0]);
}

absl::StatusOr<Literal> EvaluateAsyncDone(EvalContext&, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  if (!operands[0].shape().IsTuple() || operands[0].elements().size() < 2) {
    return InvalidInput(instruction.name(), ": async-done of ",
                        operands[0].shape().ToString(false));
  }
  return operands[0].TakeElement(1);
}

}  // namespace hlocts::reference
