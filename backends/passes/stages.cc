// SPDX-License-Identifier: Apache-2.0
#include "backends/backend_list.h"
#include "backends/passes/pass_blame.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

reports::Verdict NotEvaluated(const absl::Status& status) {
  reports::Verdict verdict;
  verdict.kind = Outcome::kUnsupported;
  verdict.reason = std::string(status.message());
  return verdict;
}

// A stage takes the same leaves and gives the same leaves as the module that it was made from.
absl::StatusOr<std::vector<std::vector<Literal>>> Evaluate(const std::string& text,
                                                           Backend& reference,
                                                           const ExecuteRequest& request,
                                                           const LoadOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseModule(text));
  HLOCTS_RETURN_IF_ERROR(VerifyModule(*module));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, reference.Load(*module, options));
  ExecuteRequest plain = request;
  plain.donated_leaves.clear();
  HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result, executable->Execute(plain));
  return std::move(result.outputs);
}

}  // namespace

absl::StatusOr<std::vector<JudgedStage>> JudgeStages(std::vector<Stage> stages, Differ& differ,
                                                     const ExecuteRequest& request,
                                                     const LoadOptions& options,
                                                     const std::vector<std::string>& facts) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> reference, MakeBackend("reference"));
  std::vector<JudgedStage> judged;
  for (Stage& stage : stages) {
    JudgedStage next;
    next.stage = std::move(stage);
    auto outputs = Evaluate(next.stage.text, *reference, request, options);
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
