// SPDX-License-Identifier: Apache-2.0
// Runs the steps of plan/shared_steps.h on copies of the arrays in host memory. Replicas share one
// device and exchange data through plan::Communicator. Reductions run on the device.
#include "backends/engine/plan/shared_steps.h"

#include "backends/engine/cuda/compile/host_steps.h"
#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

// Reduces the operands of all members of a collective.
using Reducer = std::function<absl::Status(Run& run, plan::Operands all, size_t k, uint8_t* out)>;
Work OnCopies(const OpContext& context, plan::SharedStep step, Reducer reducer = nullptr) {
  return [step = std::move(step), copies = HostCopies(context), reducer = std::move(reducer)](
             Run& run, In in, Out out) {
    plan::Member member = {run.replica, run.partition, run.device_number, run.world, nullptr};
    if (reducer != nullptr) {
      member.reduce = [&](plan::Operands all, size_t k, uint8_t* to) {
        return reducer(run, all, k, to);
      };
    }
    return copies.Run(run, in, out,
                      [&](plan::In from, plan::Out to) { return step(member, from, to); });
  };
}

absl::StatusOr<StepDraft> Draft(const OpContext& context, absl::StatusOr<plan::SharedStep> step) {
  HLOCTS_RETURN_IF_ERROR(step.status());
  StepDraft draft;
  draft.work = OnCopies(context, *std::move(step));
  return draft;
}

// Computes out = body(... body(first, second) ..., last) over the members, in group order.
absl::Status ReduceAll(Run& run, const Body& body, const plan::ArrayType& type, plan::Operands all,
                       size_t k, uint8_t* out) {
  HLOCTS_ASSIGN_OR_RETURN(const Buffer sum, run.Allocate(type.bytes));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer next, run.Allocate(type.bytes));
  HLOCTS_RETURN_IF_ERROR(run.device().Upload(sum->data(), all[0][k], type.bytes));
  hl::LoopArgs args = {};
  args.body = body.code;
  args.type = TypeNumber(type.type);
  args.out = sum->data();
  args.arrays[0] = sum->data();
  args.arrays[1] = next->data();
  for (size_t i = 1; i < all.size(); ++i) {
    HLOCTS_RETURN_IF_ERROR(run.device().Upload(next->data(), all[i][k], type.bytes));
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kLoopKernel, args, type.elements));
  }
  return run.device().Download(out, sum->data(), type.bytes);
}

// Returns a function that reduces the members' operands, or null if the node has no computation.
absl::StatusOr<Reducer> ReducerOf(const OpContext& context) {
  if (context.node.called.empty()) return Reducer();
  const std::vector<plan::ArrayType> types = plan::OperandTypes(context.graph, context.node);
  std::vector<std::shared_ptr<const Body>> bodies;
  for (const plan::ArrayType& type : types) {
    HLOCTS_ASSIGN_OR_RETURN(bodies.emplace_back(), context.compiler.CompileLoop(
                                                       context.called(0), {type.type, type.type}));
  }
  return [=](Run& run, plan::Operands all, size_t k, uint8_t* out) {
    return ReduceAll(run, *bodies[k], types[k], all, k, out);
  };
}

}  // namespace

absl::StatusOr<StepDraft> MakeCollective(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(plan::SharedStep step, plan::CollectiveStep(context.graph, context.node));
  HLOCTS_ASSIGN_OR_RETURN(Reducer reducer, ReducerOf(context));
  StepDraft draft;
  draft.work = OnCopies(context, std::move(step), std::move(reducer));
  return draft;
}

absl::StatusOr<StepDraft> MakeCustomCall(const OpContext& context) {
  return Draft(context, plan::CustomCallStep(context.graph, context.node,
                                             context.compiler.options().custom_calls));
}

#define HLOCTS_SHARED_STEP(Name)                                          \
  absl::StatusOr<StepDraft> Make##Name(const OpContext& context) {        \
    return Draft(context, plan::Name##Step(context.graph, context.node)); \
  }
HLOCTS_SHARED_STEPS(HLOCTS_SHARED_STEP)
#undef HLOCTS_SHARED_STEP

}  // namespace hlocts::cuda
