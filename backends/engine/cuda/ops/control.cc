// SPDX-License-Identifier: Apache-2.0
// Calls, while loops and conditionals. The host evaluates conditions. Buffers are not copied.
#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

absl::StatusOr<StepDraft> MakeCall(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const Function* function, context.compiler.Compile(context.called(0)));
  StepDraft draft;
  draft.control = [function](Run& run, std::vector<Buffer> in) {
    return run.Call(*function, std::move(in));
  };
  return draft;
}

namespace {

absl::StatusOr<bool> Holds(Run& run, const Function& condition, const std::vector<Buffer>& state) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Buffer> tested, run.Call(condition, state));
  uint8_t holds = 0;
  HLOCTS_RETURN_IF_ERROR(run.device().Download(&holds, tested[0]->data(), 1));
  return holds != 0;
}

}  // namespace

absl::StatusOr<StepDraft> MakeWhile(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(plan::Graph * condition, context.CalledBy(Attr::kCondition));
  HLOCTS_ASSIGN_OR_RETURN(plan::Graph * body, context.CalledBy(Attr::kBody));
  HLOCTS_ASSIGN_OR_RETURN(const Function* tests, context.compiler.Compile(*condition));
  HLOCTS_ASSIGN_OR_RETURN(const Function* works, context.compiler.Compile(*body));
  StepDraft draft;
  draft.control = [tests, works](Run& run,
                                 std::vector<Buffer> state) -> absl::StatusOr<std::vector<Buffer>> {
    while (true) {
      HLOCTS_ASSIGN_OR_RETURN(const bool holds, Holds(run, *tests, state));
      if (!holds) return state;
      HLOCTS_RETURN_IF_ERROR(run.ChargeSteps(1));
      HLOCTS_ASSIGN_OR_RETURN(state, run.Call(*works, std::move(state)));
    }
  };
  return draft;
}

namespace {

struct Branch {
  const Function* function;
  size_t first_operand;
};

absl::StatusOr<std::vector<plan::Graph*>> BranchesOf(const OpContext& context) {
  const bool two = context.source().CalledComputation(Attr::kTrueComputation) != nullptr;
  if (!two) {
    return std::vector<plan::Graph*>(context.node.called.begin(), context.node.called.end());
  }
  HLOCTS_ASSIGN_OR_RETURN(plan::Graph * on_true, context.CalledBy(Attr::kTrueComputation));
  HLOCTS_ASSIGN_OR_RETURN(plan::Graph * on_false, context.CalledBy(Attr::kFalseComputation));
  return std::vector<plan::Graph*>{on_true, on_false};
}

}  // namespace

// An index outside the N branches selects the last branch. A true predicate selects the first.
absl::StatusOr<StepDraft> MakeConditional(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<plan::Graph*> graphs, BranchesOf(context));
  std::vector<Branch> branches;
  size_t operand = 1;
  for (plan::Graph* graph : graphs) {
    HLOCTS_ASSIGN_OR_RETURN(const Function* function, context.compiler.Compile(*graph));
    branches.push_back({function, operand});
    operand += function->parameter_slots.size();
  }
  if (branches.empty() || operand != context.node.operands.size()) {
    return InvalidInput(context.name(), ": expected one operand for each branch");
  }
  const bool is_pred = context.in(0).type == PrimitiveType::kPred;
  StepDraft draft;
  draft.control = [branches, is_pred](
                      Run& run, std::vector<Buffer> in) -> absl::StatusOr<std::vector<Buffer>> {
    int32_t index = 0;
    HLOCTS_RETURN_IF_ERROR(run.device().Download(&index, in[0]->data(), is_pred ? 1 : 4));
    size_t chosen = branches.size() - 1;
    if (is_pred) {
      chosen = index != 0 ? 0 : chosen;
    } else if (index >= 0 && static_cast<size_t>(index) < branches.size()) {
      chosen = static_cast<size_t>(index);
    }
    const Branch& branch = branches[chosen];
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(branch.first_operand);
    const auto count = static_cast<std::ptrdiff_t>(branch.function->parameter_slots.size());
    std::vector<Buffer> arguments(first, first + count);
    in.clear();
    return run.Call(*branch.function, std::move(arguments));
  };
  return draft;
}

}  // namespace hlocts::cuda
