// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/dynamic_interpreter.h"

#include "absl/container/flat_hash_map.h"
#include "backends/engine/plan/dynamic_sizes.h"
#include "backends/engine/plan/index_elements.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/native.h"
#include "spec/ops/kinds.h"

namespace hlocts::plan {
namespace {

constexpr int64_t kDepthMax = 200;

// Evaluates a module on one device.
class Interpreter {
 public:
  explicit Interpreter(const DynamicEngine& engine) : engine_(engine) {}

  absl::StatusOr<Literal> Call(const Computation& computation, std::vector<Literal> arguments);

 private:
  absl::StatusOr<Literal> Evaluate(const Instruction& instruction, std::vector<Literal>& operands,
                                   std::vector<Literal>& arguments);
  absl::StatusOr<Literal> Wire(ops::Wiring wiring, const Instruction& instruction,
                               std::vector<Literal>& operands, std::vector<Literal>& arguments);
  absl::StatusOr<Literal> While(const Instruction& instruction, Literal state);
  absl::StatusOr<Literal> Conditional(const Instruction& instruction,
                                      std::vector<Literal>& operands);
  absl::StatusOr<Literal> SetSize(const Instruction& instruction, std::vector<Literal>& operands);
  absl::StatusOr<Literal> DynamicReshape(const Instruction& instruction,
                                         std::vector<Literal>& operands);
  absl::StatusOr<Literal> RunStatic(const Instruction& instruction, std::vector<Literal>& operands);

  const DynamicEngine& engine_;
  int64_t depth_ = 0;
};

absl::StatusOr<Literal> Interpreter::Call(const Computation& computation,
                                          std::vector<Literal> arguments) {
  if (++depth_ > kDepthMax) return absl::ResourceExhaustedError("calls are nested too deep");
  absl::flat_hash_map<const Instruction*, Literal> values;
  for (const auto& instruction : computation.instructions()) {
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(values[operand]);
    HLOCTS_ASSIGN_OR_RETURN(values[instruction.get()], Evaluate(*instruction, operands, arguments));
  }
  --depth_;
  return values[computation.root()];
}

absl::StatusOr<Literal> Interpreter::Evaluate(const Instruction& instruction,
                                              std::vector<Literal>& operands,
                                              std::vector<Literal>& arguments) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kGetDimensionSize) {
    return Literal::Scalar<int32_t>(
        PrimitiveType::kS32,
        static_cast<int32_t>(operands[0].runtime_size(instruction.IntList(Attr::kDimensions)[0])));
  }
  if (opcode == Opcode::kSetDimensionSize) return SetSize(instruction, operands);
  if (opcode == Opcode::kDynamicReshape) return DynamicReshape(instruction, operands);
  const std::optional<ops::Wiring> wiring = ops::WiringOf(opcode);
  return wiring.has_value() ? Wire(*wiring, instruction, operands, arguments)
                            : RunStatic(instruction, operands);
}

absl::StatusOr<Literal> Interpreter::Wire(ops::Wiring wiring, const Instruction& instruction,
                                          std::vector<Literal>& operands,
                                          std::vector<Literal>& arguments) {
  switch (wiring) {
    case ops::Wiring::kParameter:
      return arguments[instruction.parameter_number()];
    case ops::Wiring::kConstant:
      return instruction.literal();
    case ops::Wiring::kTuple:
      return Literal::Tuple(operands);
    case ops::Wiring::kGetTupleElement:
      return operands[0].elements()[instruction.IntOr(Attr::kIndex, 0)];
    case ops::Wiring::kCopy:
    case ops::Wiring::kOptBarrier:
    case ops::Wiring::kAddDependency:
    case ops::Wiring::kDomain:
    case ops::Wiring::kAsyncUpdate:
      return operands[0];
    case ops::Wiring::kCopyStart:
      return Literal::Tuple(
          {operands[0], operands[0], Literal(Shape::Scalar(PrimitiveType::kU32))});
    case ops::Wiring::kCopyDone:
      return operands[0].elements()[0];
    case ops::Wiring::kAsyncDone:
      return operands[0].elements()[1];
    case ops::Wiring::kAfterAll:
      return Literal(Shape::Token());
    case ops::Wiring::kCall:
      return Call(*instruction.CalledComputation(Attr::kToApply), operands);
    case ops::Wiring::kFusion:
      return Call(*instruction.CalledComputation(Attr::kCalls), operands);
    case ops::Wiring::kAsyncStart: {
      HLOCTS_ASSIGN_OR_RETURN(Literal result,
                              Call(*instruction.CalledComputation(Attr::kCalls), operands));
      return Literal::Tuple(
          {Literal::Tuple(operands), result, Literal(Shape::Scalar(PrimitiveType::kU32))});
    }
    case ops::Wiring::kWhile:
      return While(instruction, operands[0]);
    case ops::Wiring::kConditional:
      return Conditional(instruction, operands);
    // The messages between devices require sizes that are known at load time.
    case ops::Wiring::kAllGatherStart:
    case ops::Wiring::kAllGatherDone:
    case ops::Wiring::kAllReduceStart:
    case ops::Wiring::kAllReduceDone:
    case ops::Wiring::kCollectivePermuteStart:
    case ops::Wiring::kCollectivePermuteDone:
      return RunStatic(instruction, operands);
  }
  HLOCTS_UNREACHABLE();
}

absl::StatusOr<Literal> Interpreter::While(const Instruction& instruction, Literal state) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(const Literal holds, Call(condition, {state}));
    if (!holds.data<bool>()[0]) return state;
    HLOCTS_RETURN_IF_ERROR(engine_.charge_step());
    HLOCTS_ASSIGN_OR_RETURN(state, Call(body, {state}));
  }
}

absl::StatusOr<Literal> Interpreter::Conditional(const Instruction& instruction,
                                                 std::vector<Literal>& operands) {
  std::vector<Computation*> branches;
  if (const auto* listed = instruction.Get<std::vector<Computation*>>(Attr::kBranchComputations)) {
    branches = *listed;
  } else {
    branches = {instruction.CalledComputation(Attr::kTrueComputation),
                instruction.CalledComputation(Attr::kFalseComputation)};
  }
  size_t chosen = branches.size() - 1;
  if (operands[0].element_type() == PrimitiveType::kPred) {
    if (operands[0].data<bool>()[0]) chosen = 0;
  } else {
    const int32_t index = operands[0].data<int32_t>()[0];
    if (index >= 0 && static_cast<size_t>(index) < branches.size()) chosen = index;
  }
  return Call(*branches[chosen], {operands[chosen + 1]});
}

// Sets the run-time size of a dimension. If the size equals the bound, the dimension becomes static
// again.
absl::StatusOr<Literal> Interpreter::SetSize(const Instruction& instruction,
                                             std::vector<Literal>& operands) {
  const int64_t dimension = instruction.IntList(Attr::kDimensions)[0];
  const int64_t size = IndexAt(operands[1].element_type(), operands[1].raw_data(), 0);
  const int64_t bound = operands[0].shape().dimension(dimension);
  if (size < 0 || size > bound) {
    return InvalidInput(instruction.name(), ": expected a size up to ", bound, ", found ", size);
  }
  Literal result = operands[0];
  std::vector<int64_t> sizes = result.runtime_sizes();
  sizes[dimension] = size;
  result.ClearRuntimeSizes();
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    if (sizes[d] < result.shape().dimensions()[d] || instruction.shape().is_dynamic_dimension(d)) {
      result.SetRuntimeSize(d, sizes[d]);
    }
  }
  return result;
}

absl::StatusOr<Literal> Interpreter::DynamicReshape(const Instruction& instruction,
                                                    std::vector<Literal>& operands) {
  const Literal dense = Cut(operands[0]);
  std::vector<int64_t> sizes;
  for (size_t k = 1; k < operands.size(); ++k) {
    for (int64_t i = 0; i < operands[k].element_count(); ++i) {
      sizes.push_back(IndexAt(operands[k].element_type(), operands[k].raw_data(), i));
    }
  }
  const Shape& bounds = instruction.shape();
  bool fits = sizes.size() == bounds.dimensions().size();
  int64_t elements = 1;
  for (size_t d = 0; fits && d < sizes.size(); ++d) {
    fits = sizes[d] >= 0 && sizes[d] <= bounds.dimensions()[d];
    elements *= sizes[d];
  }
  if (!fits || elements != dense.element_count()) {
    return InvalidInput(instruction.name(), ": ", dense.element_count(),
                        " elements do not fit the given sizes");
  }
  return Uncut(dense.WithShape(Shape(dense.element_type(), sizes)), bounds);
}

// Runs the instruction for the actual sizes, and pads each result to the bounds of its shape.
absl::StatusOr<Literal> Interpreter::RunStatic(const Instruction& instruction,
                                               std::vector<Literal>& operands) {
  for (Literal& operand : operands) operand = Cut(operand);
  HLOCTS_ASSIGN_OR_RETURN(const CutInstruction cut, CutFor(instruction, operands));
  // An operand that occurs twice becomes one parameter.
  absl::flat_hash_map<const Instruction*, bool> seen;
  std::vector<Literal> leaves;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!seen.emplace(&cut.instruction->operand(k), true).second) continue;
    for (Literal& leaf : FlattenLeaves(operands[k])) leaves.push_back(std::move(leaf));
  }
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> results,
                          engine_.run(*cut.instruction, std::move(leaves)));
  HLOCTS_ASSIGN_OR_RETURN(const Literal dense,
                          UnflattenLeaves(cut.instruction->shape(), std::move(results)));
  return Uncut(dense, instruction.shape());
}

}  // namespace

absl::StatusOr<std::vector<Literal>> RunDynamic(const Module& module,
                                                const std::vector<Literal>& arguments,
                                                const DynamicEngine& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested, NestArguments(module, arguments));
  Interpreter interpreter(engine);
  HLOCTS_ASSIGN_OR_RETURN(const Literal root, interpreter.Call(*module.entry(), std::move(nested)));
  return OutputLeaves(module, root);
}

}  // namespace hlocts::plan
