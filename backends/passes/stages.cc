// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/spread.h"
#include "backends/backend_list.h"
#include "backends/passes/pass_blame.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

reports::Verdict NotEvaluated(const absl::Status& status) {
  reports::Verdict verdict;
  verdict.kind = Outcome::kUnsupported;
  verdict.reason = std::string(status.message());
  return verdict;
}

// Evaluates a stage, which has the argument and result leaves of the original module. If the engine
// partitions the module, stages after the partitioner compute tiles on each device.
absl::StatusOr<std::vector<std::vector<Literal>>> Evaluate(const Module& given,
                                                           const std::string& text,
                                                           Backend& reference,
                                                           const ExecuteRequest& request,
                                                           LoadOptions options) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseModule(text));
  DeviceTilings spread;
  bool partitioned = false;
  if (IsSharded(given)) {
    module = WithoutShardings(*module);
    HLOCTS_ASSIGN_OR_RETURN(spread, DeviceTilingsOf(given));
    partitioned = IsPerDevice(*module) || ArgumentLeafShapes(*module) != spread.arguments ||
                  OutputLeafShapes(*module) != spread.results;
  }
  if (partitioned) options.partitions = module->num_partitions = given.num_partitions;
  HLOCTS_RETURN_IF_ERROR(VerifyModule(*module));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, reference.Load(*module, options));
  ExecuteRequest plain = request;
  plain.donated_leaves.clear();
  if (partitioned) {
    HLOCTS_RETURN_IF_ERROR(
        KeepUnsplit(ArgumentLeafShapes(*module), OutputLeafShapes(*module), spread));
    HLOCTS_ASSIGN_OR_RETURN(plain, Split(spread, plain));
  }
  HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result, executable->Execute(plain));
  return partitioned ? Join(spread, result.outputs) : std::move(result.outputs);
}

}  // namespace

absl::StatusOr<std::vector<JudgedStage>> JudgeStages(const Module& given, std::vector<Stage> stages,
                                                     Differ& differ, const ExecuteRequest& request,
                                                     const LoadOptions& options,
                                                     const std::vector<std::string>& facts) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> reference, MakeBackend("reference"));
  std::vector<JudgedStage> judged;
  for (Stage& stage : stages) {
    JudgedStage next;
    next.stage = std::move(stage);
    auto outputs = Evaluate(given, next.stage.text, *reference, request, options);
    if (outputs.ok()) {
      next.outputs = *std::move(outputs);
      next.verdict = differ.JudgeOutputs(next.outputs, facts);
    } else {
      next.verdict = NotEvaluated(outputs.status());
    }
    judged.push_back(std::move(next));
    if (judged.back().verdict.kind == Outcome::kFail) break;
  }
  return judged;
}

}  // namespace hlocts::backends
