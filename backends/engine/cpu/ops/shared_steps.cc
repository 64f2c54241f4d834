// SPDX-License-Identifier: Apache-2.0
// Runs the steps of plan/shared_steps.h on the arrays of this engine.
#include "backends/engine/plan/shared_steps.h"

#include <cstring>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/kernels/linear_algebra/lapack.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {
namespace {

plan::Member MemberOf(const Run& run, plan::Reduce reduce = nullptr) {
  return {run.replica, run.partition, run.device, run.world, std::move(reduce)};
}

absl::StatusOr<StepDraft> Draft(absl::StatusOr<plan::SharedStep> step) {
  HLOCTS_RETURN_IF_ERROR(step.status());
  StepDraft draft;
  draft.run = [step = *std::move(step)](Run& run, In in, Out out) {
    return step(MemberOf(run), in, out);
  };
  return draft;
}

// Computes out = body(... body(first, second) ..., last) for each element, over the members in the
// order of the group.
absl::Status ReduceAll(Run& run, const ElementFunction& body, const plan::ArrayType& type,
                       plan::Operands all, size_t k, uint8_t* out) {
  std::memcpy(out, all[0][k], static_cast<size_t>(type.bytes));
  for (size_t i = 1; i < all.size(); ++i) {
    const uint8_t* pair[2] = {out, all[i][k]};
    HLOCTS_RETURN_IF_ERROR(body.Apply(run, pair, &out, type.elements));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepDraft> MakeCollective(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const plan::SharedStep step,
                          plan::CollectiveStep(context.graph, context.node));
  if (context.node.called.empty()) return Draft(step);
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const std::vector<plan::ArrayType> types = plan::OperandTypes(context.graph, context.node);
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out out) {
    const auto reduce = [&](plan::Operands all, size_t k, uint8_t* to) {
      return ReduceAll(run, *body, types[k], all, k, to);
    };
    return step(MemberOf(run, reduce), in, out);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeCustomCall(const OpContext& context) {
  const absl::StatusOr<plan::SharedStep> step =
      plan::CustomCallStep(context.graph, context.node, context.compiler.options().custom_calls);
  if (!absl::IsUnimplemented(step.status())) return Draft(step);
  HLOCTS_ASSIGN_OR_RETURN(const kernels::LapackFunction routine,
                          kernels::LapackFunctionOf(context.source()));
  if (routine == nullptr) return step.status();
  StepDraft draft;
  draft.run = [routine](Run&, In in, Out out) { return routine(in, out); };
  return draft;
}

#define HLOCTS_SHARED_STEP(Name)                                   \
  absl::StatusOr<StepDraft> Make##Name(const OpContext& context) { \
    return Draft(plan::Name##Step(context.graph, context.node));   \
  }
HLOCTS_SHARED_STEPS(HLOCTS_SHARED_STEP)
#undef HLOCTS_SHARED_STEP

}  // namespace hlocts::cpu
