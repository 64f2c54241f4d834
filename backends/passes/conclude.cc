// SPDX-License-Identifier: Apache-2.0
// Concludes which pass is at fault from the judged stages, or from where the dumps end.
#include "absl/algorithm/container.h"
#include "backends/passes/crash_text.h"
#include "backends/passes/pass_blame.h"

namespace hlocts::backends {
namespace {

bool IsEvaluated(const JudgedStage& stage) {
  return stage.verdict.kind != Outcome::kUnsupported && stage.verdict.kind != Outcome::kError;
}

void Suspect(const std::string& pass, PassBlame& blame) {
  if (!pass.empty() && !absl::c_linear_search(blame.suspects, pass)) blame.suspects.push_back(pass);
}

// Sets the conclusion if stage `right` is correct and later stages are wrong or unknown.
void AfterPass(size_t right, size_t end, PassBlame& blame) {
  blame.failing_phase = FailurePhase::kAfterPass;
  blame.pass = blame.stages[right].stage.after;
  blame.pipeline = blame.stages[right].stage.pipeline;
  for (size_t i = right + 1; i < end; ++i) Suspect(blame.stages[i].stage.after, blame);
  if (right + 1 < blame.stages.size()) blame.reason = blame.stages[right + 1].verdict.reason;
}

void ConcludeWrong(size_t wrong, std::optional<size_t> right, PassBlame& blame) {
  if (wrong == 0) {
    blame.failing_phase = FailurePhase::kBeforePasses;
    blame.reason = "the first text in the dump is wrong already: " + blame.stages[0].verdict.reason;
  } else if (right && *right + 1 == wrong) {
    blame.failing_phase = FailurePhase::kPass;
    blame.pass = blame.stages[wrong].stage.after;
    blame.pipeline = blame.stages[wrong].stage.pipeline;
  } else if (right) {
    AfterPass(*right, wrong + 1, blame);
  } else {
    blame.reason = "no text before the wrong one can be evaluated";
  }
}

void ConcludeFromStages(PassBlame& blame) {
  std::optional<size_t> right;
  for (size_t i = 0; i < blame.stages.size(); ++i) {
    const JudgedStage& stage = blame.stages[i];
    if (stage.verdict.kind == Outcome::kFail) return ConcludeWrong(i, right, blame);
    if (IsEvaluated(stage)) right = i;
  }
  if (!right) {
    blame.reason = blame.stages.empty()
                       ? "no text in the dump"
                       : "no text can be evaluated: " + blame.stages[0].verdict.reason;
  } else if (*right + 1 == blame.stages.size()) {
    blame.failing_phase = FailurePhase::kCodeGeneration;
  } else {
    AfterPass(*right, blame.stages.size(), blame);
  }
}

// Concludes for a run without values: the compiler crashed, hung or rejected the module, and its
// dumps end there. Passes that change nothing dump no new text, so the last text names a pass that
// completed, not the pass that crashed.
void ConcludeFromEnd(const DumpedModule& dumped, PassBlame& blame) {
  const std::string named = PassNamedByVerifier(blame.verdict.error);
  if (!named.empty()) {
    blame.failing_phase = FailurePhase::kPass;
    blame.pass = named;
    blame.reason = "XLA's verifier rejects the output of this pass";
    return;
  }
  // Code generated from a wrong text may crash, so the texts are better evidence than the point of
  // the crash.
  if (dumped.complete && !blame.stages.empty()) return ConcludeFromStages(blame);
  if (dumped.complete) {
    blame.failing_phase = FailurePhase::kCodeGeneration;
    return;
  }
  blame.failing_phase = dumped.passes == 0 ? FailurePhase::kBeforePasses : FailurePhase::kAfterPass;
  for (const DumpFile& dump : dumped.files) {
    if (dump.kind != DumpKind::kPass || dump.after == kPipelineStart) continue;
    blame.pass = dump.after;
    blame.pipeline = dump.pipeline;
  }
  for (const std::string& pass : PassesNamedByStack(blame.verdict.error)) Suspect(pass, blame);
  Suspect(dumped.running, blame);
}

}  // namespace

void Conclude(const DumpedModule& dumped, bool has_values, PassBlame& blame) {
  if (has_values) return ConcludeFromStages(blame);
  ConcludeFromEnd(dumped, blame);
}

}  // namespace hlocts::backends
