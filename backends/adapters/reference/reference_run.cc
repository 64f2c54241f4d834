// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/reference/reference_run.h"

#include <chrono>

#include "reference/custom_call.h"
#include "reference/world/world.h"
#include "spec/base/hard_limit.h"
#include "spec/ir/entry_leaves.h"

namespace hlocts::backends {

std::vector<std::string> ReferenceFacts() {
  return {"convert.saturate", "integer.division", "shift.saturate", "rng.xla_layout"};
}

absl::StatusOr<ExecuteResult> RunReference(const Module& module, const LoadOptions& options,
                                           const ExecuteRequest& request,
                                           reference::CustomCallLibrary* custom_calls,
                                           reference::EvalHook* hook) {
  std::vector<std::vector<Literal>> arguments;
  for (const std::vector<Literal>& leaves : request.arguments) {
    HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested, NestArguments(module, leaves));
    arguments.push_back(std::move(nested));
  }
  reference::EvalOptions eval{options};
  eval.custom_calls = custom_calls;
  eval.hook = hook;
  eval.deadline = reference::DeadlineAfter(options.reference_seconds_max);
  const HardLimit limit(eval.deadline);
  reference::ReplicatedRunOptions world{
      .replicas = options.replicas, .partitions = options.partitions, .infeed = request.infeed};
  ExecuteResult result;
  auto start = std::chrono::steady_clock::now();
  HLOCTS_ASSIGN_OR_RETURN(reference::ReplicatedRunResult roots,
                          reference::EvaluateReplicated(module, arguments, world, eval));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const Literal& root : roots.outputs) result.outputs.push_back(OutputLeaves(module, root));
  result.outfeed = std::move(roots.outfeeds);
  return result;
}

absl::StatusOr<ExecuteResult> RunHooked(const Module& module, const LoadOptions& options,
                                        const ExecuteRequest& request, reference::EvalHook* hook) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<reference::CustomCallLibrary> custom_calls,
                          reference::CustomCallLibrary::Load(options.custom_calls));
  return RunReference(module, options, request, custom_calls.get(), hook);
}

}  // namespace hlocts::backends
