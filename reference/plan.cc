// SPDX-License-Identifier: Apache-2.0
#include "reference/plan.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "reference/ops/structured.h"
#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/groups.h"
#include "spec/ops/op_facts.h"
#include "spec/ops/op_table.h"

namespace hlocts::reference {

namespace {

struct EvaluatorRow {
  Opcode opcode;
  Evaluator evaluator;
  bool takes_run_time_sizes;
};
constexpr EvaluatorRow kRows[] = {
#define HLOCTS_EVALUATOR(Name, function) {Opcode::k##Name, function, false},
#define HLOCTS_DYNAMIC_EVALUATOR(Name, function) {Opcode::k##Name, function, true},
#include "reference/evaluators.def"
#undef HLOCTS_EVALUATOR
#undef HLOCTS_DYNAMIC_EVALUATOR
};

struct EvaluatorTable {
  EvaluatorRow rows[kOpcodeCount] = {};
  EvaluatorTable() {
    for (const EvaluatorRow& row : kRows) rows[static_cast<int>(row.opcode)] = row;
  }
};

const EvaluatorRow& RowOfEvaluator(Opcode opcode) {
  static const EvaluatorTable* table = new EvaluatorTable();
  return table->rows[static_cast<int>(opcode)];
}

PlannedStep::Kind KindOf(Opcode opcode) {
  if (FactsOf(opcode).Has(trait::kForwardsOperand0)) return PlannedStep::Kind::kPass;
  if (const std::optional<ops::Given> given = ops::GivenOf(opcode)) {
    return *given == ops::Given::kParameter ? PlannedStep::Kind::kParameter
                                            : PlannedStep::Kind::kConstant;
  }
  if (const std::optional<ops::Packing> packing = ops::PackingOf(opcode)) {
    return *packing == ops::Packing::kTuple ? PlannedStep::Kind::kTuple
                                            : PlannedStep::Kind::kGetTupleElement;
  }
  return PlannedStep::Kind::kUnsupported;
}

// Returns true for families whose operations never fail and have no effect except their result.
bool OnlyComputes(Family family) {
  switch (family) {
    case Family::kElementwiseUnary:
    case Family::kElementwiseBinary:
    case Family::kElementwiseOther:
    case Family::kMovement:
    case Family::kContraction:
    case Family::kReduction:
    case Family::kOrdering:
    case Family::kIndexing:
    case Family::kLinearAlgebra:
    case Family::kNormalization:
      return true;
    case Family::kLeaf:
    case Family::kRandom:
    case Family::kTuple:
    case Family::kControlFlow:
    case Family::kCollective:
    case Family::kChannel:
    case Family::kAsync:
    case Family::kDynamicSize:
      return false;
  }
  return false;
}

void Resolve(PlannedStep& step) {
  const Instruction& instruction = *step.instruction;
  Opcode opcode = instruction.opcode();
  step.result_bytes = instruction.shape().StorageSizeBytes();
  const EvaluatorRow& row = RowOfEvaluator(opcode);
  Family family = RowOf(opcode).family;
  if (row.evaluator) {
    step.kind = PlannedStep::Kind::kEvaluator;
    step.evaluator = row.evaluator;
    step.takes_run_time_sizes = row.takes_run_time_sizes;
  } else if (IsElementwise(opcode)) {
    absl::StatusOr<ElementwiseOp> op = ResolveElementwise(instruction);
    step.kind = op.ok() ? PlannedStep::Kind::kElementwise : PlannedStep::Kind::kUnsupported;
    if (op.ok()) step.op = *op;
    step.status = op.status();
  } else if (KindOf(opcode) != PlannedStep::Kind::kUnsupported) {
    step.kind = KindOf(opcode);
  } else if (family == Family::kCollective || family == Family::kChannel ||
             HasSideEffect(instruction)) {
    step.kind = PlannedStep::Kind::kDeviceEnvironment;
  } else {
    step.status = Unsupported(instruction.name(), ": ", OpcodeName(opcode), " has no evaluator");
  }
  if (step.kind != PlannedStep::Kind::kUnsupported && NothingToCompute(instruction)) {
    step.kind = PlannedStep::Kind::kNoElements;
  }
  const bool makes_result = step.kind == PlannedStep::Kind::kElementwise ||
                            step.kind == PlannedStep::Kind::kTuple ||
                            step.kind == PlannedStep::Kind::kNoElements;
  if (makes_result) step.shape = std::make_shared<const Shape>(instruction.shape());
}

// Returns, by index, which instructions the root, the parameters and the side effects need.
std::vector<bool> LiveInstructions(const Computation& computation,
                                   const absl::flat_hash_set<const Computation*>& side_effects) {
  std::vector<const Instruction*> stack = {computation.root()};
  for (const auto& instruction : computation.instructions()) {
    bool effect = HasSideEffect(*instruction);
    for (const Computation* callee : instruction->called_computations()) {
      effect = effect || side_effects.contains(callee);
    }
    if (effect || instruction->IsParameter()) stack.push_back(instruction.get());
  }
  std::vector<bool> live(computation.instructions().size(), false);
  while (!stack.empty()) {
    const Instruction* instruction = stack.back();
    stack.pop_back();
    if (live[instruction->index()]) continue;
    live[instruction->index()] = true;
    for (const Instruction* operand : instruction->operands()) stack.push_back(operand);
  }
  return live;
}

void PushBefore(const Instruction& instruction, const std::vector<bool>& live,
                std::vector<const Instruction*>& stack) {
  for (const Instruction* operand : instruction.operands()) stack.push_back(operand);
  if (auto* before = instruction.Get<std::vector<Instruction*>>(Attr::kControlPredecessors)) {
    for (const Instruction* predecessor : *before) {
      if (live[predecessor->index()]) stack.push_back(predecessor);
    }
  }
}

// Orders live instructions: operands and control predecessors before users, otherwise as in the
// text. Uses an explicit stack, since a chain can be too long for the C++ stack.
absl::Status CollectLive(const Computation& computation,
                         const absl::flat_hash_set<const Computation*>& side_effects,
                         std::vector<const Instruction*>& order) {
  enum State : uint8_t { kNew, kOpen, kDone };
  const std::vector<bool> live = LiveInstructions(computation, side_effects);
  std::vector<State> states(live.size(), kNew);
  for (const auto& start : computation.instructions()) {
    if (!live[start->index()]) continue;
    std::vector<const Instruction*> stack = {start.get()};
    while (!stack.empty()) {
      const Instruction* instruction = stack.back();
      State& state = states[instruction->index()];
      if (state != kNew) stack.pop_back();
      if (state == kOpen) order.push_back(instruction);
      if (state != kNew) {
        state = kDone;
        continue;
      }
      state = kOpen;
      const size_t own = stack.size();
      PushBefore(*instruction, live, stack);
      for (size_t i = own; i < stack.size(); ++i) {
        if (states[stack[i]->index()] != kOpen) continue;
        return InvalidInput(instruction->name(), ": depends on itself through ", stack[i]->name());
      }
    }
  }
  return absl::OkStatus();
}

// Finds the last uses in a backward pass, which sees the last use of a value first. An operand that
// occurs twice in a step dies at its last occurrence.
void FindLastUses(Plan& plan) {
  std::vector<bool> used(plan.steps.size(), false), read_whole(plan.steps.size(), false);
  used[plan.root] = read_whole[plan.root] = true;
  absl::flat_hash_set<std::pair<int32_t, int64_t>> elements;  // (step, element) of later reads
  for (size_t s = plan.steps.size(); s-- > 0;) {
    PlannedStep& step = plan.steps[s];
    step.unused = !used[s];
    step.dies.resize(step.operands.size());
    for (size_t k = step.operands.size(); k-- > 0;) {
      int32_t operand = step.operands[k];
      step.dies[k] = !used[operand];
      used[operand] = true;
      if (step.kind == PlannedStep::Kind::kGetTupleElement) {
        bool first = elements.insert({operand, step.instruction->IntOr(Attr::kIndex, 0)}).second;
        step.takes_element = first && !read_whole[operand];
      } else {
        read_whole[operand] = true;
      }
    }
  }
}

}  // namespace

// Shapes with run-time sizes are excluded: their evaluators compute the sizes.
bool NothingToCompute(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  if (!shape.IsArray() || shape.is_dynamic() || shape.ElementCount() != 0) return false;
  if (!OnlyComputes(RowOf(instruction.opcode()).family) && instruction.opcode() != Opcode::kIota) {
    return false;
  }
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().is_dynamic()) return false;
  }
  return true;
}

Evaluator EvaluatorOf(Opcode opcode) { return RowOfEvaluator(opcode).evaluator; }

absl::flat_hash_set<const Computation*> ComputationsWithSideEffects(const Module& module) {
  absl::flat_hash_set<const Computation*> result;
  for (const Computation* computation : module.CallOrder()) {
    for (const auto& instruction : computation->instructions()) {
      bool effect = HasSideEffect(*instruction);
      for (const Computation* callee : instruction->called_computations()) {
        effect = effect || result.contains(callee);
      }
      if (effect) result.insert(computation);
    }
  }
  return result;
}

absl::StatusOr<std::unique_ptr<Plan>> MakePlan(
    const Computation& computation, const absl::flat_hash_set<const Computation*>& side_effects) {
  if (computation.root() == nullptr) {
    return InvalidInput("computation ", computation.name(), " has no root");
  }
  std::vector<const Instruction*> order;
  HLOCTS_RETURN_IF_ERROR(CollectLive(computation, side_effects, order));
  auto plan = std::make_unique<Plan>();
  plan->computation = &computation;
  plan->parameter_count = static_cast<int64_t>(computation.parameters().size());
  std::vector<int32_t> numbers(computation.instructions().size(), -1);
  plan->steps.resize(order.size());
  for (size_t s = 0; s < order.size(); ++s) {
    PlannedStep& step = plan->steps[s];
    step.instruction = order[s];
    numbers[order[s]->index()] = static_cast<int32_t>(s);
    step.operands.reserve(order[s]->operands().size());
    for (const Instruction* operand : order[s]->operands()) {
      step.operands.push_back(numbers[operand->index()]);
    }
    Resolve(step);
  }
  plan->root = numbers[computation.root()->index()];
  FindLastUses(*plan);
  return plan;
}

}  // namespace hlocts::reference
