// SPDX-License-Identifier: Apache-2.0
// Distinguishes, without dumps, a fault of a pass from a fault of code generation: if an engine
// returns the module from which its code was generated, that module is judged. No pass is named.
#include "backends/passes/failing_run.h"
#include "backends/passes/pass_blame.h"
#include "spec/proto/convert.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

absl::StatusOr<Stage> OptimizedStage(const BlameSubject& subject, Backend& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                          engine.Load(*subject.module, subject.options.load));
  HLOCTS_ASSIGN_OR_RETURN(const std::string bytes, executable->OptimizedModule());
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseSerializedModule(bytes));
  Stage stage;
  stage.after = "the last pass";
  stage.text = PrintModule(*module);
  return stage;
}

void ConcludeFromOptimized(PassBlame& blame) {
  const reports::Verdict& optimized = blame.stages.front().verdict;
  if (optimized.kind == Outcome::kFail) {
    blame.failing_phase = FailurePhase::kPass;
    blame.reason = "the optimized module is already wrong; dumps are needed to find the pass";
  } else if (optimized.kind == Outcome::kPass) {
    blame.failing_phase = FailurePhase::kCodeGeneration;
  } else {
    blame.reason = absl::StrCat("the optimized module cannot be evaluated: ", optimized.reason);
  }
}

}  // namespace

absl::StatusOr<PassBlame> BlameInOneStep(const BlameSubject& subject,
                                         const EngineFactory& factory) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, factory());
  Differ differ(*subject.module, *subject.request, subject.options);
  HLOCTS_ASSIGN_OR_RETURN(const Ran ran, RunOnce(subject, differ, *engine));
  PassBlame blame;
  blame.verdict = ran.verdict;
  blame.actual = ElementOf(ran, ran.verdict);
  if (!IsWrong(ran.verdict)) {
    blame.reason = "the engine does not fail on this module";
    return blame;
  }
  auto stage = OptimizedStage(subject, *engine);
  if (!stage.ok()) {
    blame.reason = std::string(stage.status().message());
    return blame;
  }
  std::vector<Stage> stages;
  stages.push_back(*std::move(stage));
  HLOCTS_ASSIGN_OR_RETURN(blame.stages,
                          JudgeStages(*subject.module, std::move(stages), differ, *subject.request,
                                      subject.options.load, ran.facts));
  ConcludeFromOptimized(blame);
  return blame;
}

}  // namespace hlocts::backends
