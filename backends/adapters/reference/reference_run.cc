// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/reference/reference_run.h"

#include <chrono>

#include "reference/world/world.h"

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
  reference::EvalOptions eval;
  eval.steps_max = options.steps_max;
  eval.memory_bytes_max = options.memory_bytes_max;
  eval.rng_seed = options.rng_seed;
  eval.custom_calls = custom_calls;
  eval.hook = hook;
  if (options.reference_seconds_max > 0) {
    eval.deadline =
        std::chrono::steady_clock::now() +
        std::chrono::milliseconds(static_cast<int64_t>(options.reference_seconds_max * 1000));
  }
  reference::WorldOptions world;
  world.replicas = options.replicas;
  world.partitions = options.partitions;
  world.infeed = request.infeed;
  ExecuteResult result;
  auto start = std::chrono::steady_clock::now();
  HLOCTS_ASSIGN_OR_RETURN(reference::WorldResult roots,
                          reference::EvaluateReplicated(module, arguments, world, eval));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const Literal& root : roots.outputs) result.outputs.push_back(FlattenLeaves(root));
  result.outfeed = std::move(roots.outfeeds);
  return result;
}

}  // namespace hlocts::backends
