// SPDX-License-Identifier: Apache-2.0
// Concludes which pass is at fault from the judged stages, or from where the dumps end.
#include "absl/algorithm/container.h"
#include "backends/adapters/pjrt/spread.h"
#include "backends/backend_list.h"
#include "backends/passes/crash_text.h"
#include "backends/passes/pass_blame.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

// Distinguishes, without dumps, a fault of a pass from a fault of code generation: judges the
// module from which the code was generated, if the engine returns it. The result names no pass.

absl::StatusOr<Stage> OptimizedStage(const BlameSubject& subject, Backend& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                          engine.Load(*subject.module, subject.options.load));
  HLOCTS_ASSIGN_OR_RETURN(const std::string bytes, executable->OptimizedModule());
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseSerializedModule(bytes));
  return Stage{.after = std::string(kLastPass), .text = PrintModule(*module)};
}

// Evaluates a stage on the arguments of the original module. If the engine partitions the module,
// stages after the partitioner compute tiles on each device.
absl::StatusOr<std::vector<std::vector<Literal>>> Evaluate(const BlameSubject& subject,
                                                           const std::string& text,
                                                           Backend& reference) {
  const Module& given = *subject.module;
  const LoadOptions& options = subject.options.load;
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseModule(text));
  if (IsSharded(given)) module = WithoutShardings(*module);
  const bool partitioned =
      IsSharded(given) &&
      (IsPerDevice(*module) || ArgumentLeafShapes(*module) != ArgumentLeafShapes(given) ||
       OutputLeafShapes(*module) != OutputLeafShapes(given));
  if (partitioned) module->num_partitions = given.num_partitions;
  HLOCTS_RETURN_IF_ERROR(VerifyModule(*module));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                          partitioned ? LoadPartitioned(given, *module, "", options, reference)
                                      : reference.Load(*module, options));
  ExecuteRequest plain = *subject.request;
  plain.donated_leaves.clear();
  HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result, executable->Execute(plain));
  return std::move(result.outputs);
}

// Returns true if the acceptance sets of a stage's text contain `outputs`. Returns false for a
// sharded module, since its later stages compute tiles.
bool Permits(const BlameSubject& subject, const std::string& text,
             const std::vector<std::vector<Literal>>& outputs,
             const std::vector<std::string>& facts) {
  if (outputs.empty() || IsSharded(*subject.module)) return false;
  auto module = ParseModule(text);
  if (!module.ok()) return false;
  DiffOptions options;
  options.profile = subject.options.profile;
  options.load = subject.options.load;
  Differ differ(**module, *subject.request, options);
  return differ.JudgeOutputs(outputs, facts).kind == Outcome::kPass;
}

void Suspect(const std::string& pass, PassBlame& blame) {
  if (!pass.empty() && pass != kLastPass && !absl::c_linear_search(blame.suspects, pass))
    blame.suspects.push_back(pass);
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
  const Stage& stage = blame.stages[wrong].stage;
  if (wrong == 0) {
    blame.failing_phase = FailurePhase::kBeforePasses;
    blame.reason = "the first dumped module is already wrong: " + blame.stages[0].verdict.reason;
  } else if (right && *right + 1 == wrong && !stage.since) {
    blame.failing_phase = FailurePhase::kPass;
    blame.pass = stage.after;
    blame.pipeline = stage.pipeline;
  } else if (right) {
    AfterPass(*right, wrong + 1, blame);
    if (*right + 1 < wrong) return;
    // The last dump before the wrong text may be later than the last distinct text. The pass of the
    // wrong text is no more suspect than those without dumps.
    blame.pass = stage.since->after;
    blame.pipeline = stage.since->pipeline;
    blame.suspects.clear();
    blame.reason = absl::StrCat("the next dump is ", stage.file, ", and passes before it may have ",
                                "none (--xla_dump_hlo_pass_re=.* dumps all)");
  } else {
    blame.reason = "no module before the first wrong one can be evaluated";
  }
}

void ConcludeFromStages(PassBlame& blame) {
  std::optional<size_t> right;
  for (size_t i = 0; i < blame.stages.size(); ++i) {
    const Outcome kind = blame.stages[i].verdict.kind;
    if (kind == Outcome::kFail) return ConcludeWrong(i, right, blame);
    if (kind != Outcome::kUnsupported && kind != Outcome::kError) right = i;
  }
  if (!right) {
    blame.reason = blame.stages.empty()
                       ? "no module in the dump"
                       : "no module can be evaluated: " + blame.stages[0].verdict.reason;
  } else if (*right + 1 == blame.stages.size()) {
    blame.failing_phase = FailurePhase::kCodeGeneration;
  } else {
    AfterPass(*right, blame.stages.size(), blame);
  }
}

// Concludes for a run without values: the compiler crashed, hung or rejected the module, and its
// dumps end there. Passes that change nothing dump no text. The last text therefore names a pass
// that completed, but not the pass that crashed.
void ConcludeFromEnd(const DumpedModule& dumped, PassBlame& blame) {
  const std::string named = PassNamedByVerifier(blame.verdict.error);
  if (named == kPipelineStart) {
    blame.failing_phase = FailurePhase::kBeforePasses;
    blame.reason = "XLA's verifier rejects the module before the first pass of a pipeline";
    return;
  }
  if (!named.empty()) {
    blame.failing_phase = FailurePhase::kPass;
    blame.pass = named;
    blame.reason = "XLA's verifier rejects the output of this pass";
    return;
  }
  // A wrong text may cause a crash later, so the texts are better evidence than the last pass.
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

absl::StatusOr<PassBlame> BlameInOneStep(const BlameSubject& subject,
                                         const EngineFactory& factory) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, factory());
  Differ differ(*subject.module, *subject.request, subject.options);
  Ran ran;
  for (int64_t i = 0; i == 0 || (i < subject.tries && !IsWrong(ran.verdict)); ++i) {
    HLOCTS_ASSIGN_OR_RETURN(ran, RunOnce(subject, differ, *engine));
  }
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
  HLOCTS_ASSIGN_OR_RETURN(blame.stages, JudgeStages(subject, std::move(stages), differ, ran));
  const reports::Verdict& optimized = blame.stages.front().verdict;
  if (optimized.kind == Outcome::kFail) {
    blame.failing_phase = FailurePhase::kPass;
    const bool by_sets = blame.stages.front().by_sets;
    blame.reason =
        absl::StrCat(by_sets ? optimized.reason : "the optimized module is already wrong",
                     "; dumps are needed to find the pass");
  } else if (optimized.kind == Outcome::kPass) {
    blame.failing_phase = FailurePhase::kCodeGeneration;
  } else {
    blame.reason = absl::StrCat("the optimized module cannot be evaluated: ", optimized.reason);
  }
  return blame;
}

absl::StatusOr<std::vector<JudgedStage>> JudgeStages(const BlameSubject& subject,
                                                     std::vector<Stage> stages, Differ& differ,
                                                     const Ran& ran) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> reference, MakeBackend("reference"));
  std::vector<JudgedStage> judged;
  for (Stage& stage : stages) {
    JudgedStage next;
    next.stage = std::move(stage);
    auto outputs = Evaluate(subject, next.stage.text, *reference);
    if (outputs.ok()) {
      next.verdict = differ.JudgeOutputs(*outputs, ran.facts);
      next.by_sets = !IsWrong(next.verdict) &&
                     Permits(subject, next.stage.text, ran.outcome.result.outputs, ran.facts);
      if (next.by_sets) {
        next.verdict.kind = Outcome::kFail;
        next.verdict.reason = "the sets of this module accept the wrong outputs of the engine";
      }
    } else {
      next.verdict.kind = Outcome::kUnsupported;
      next.verdict.reason = std::string(outputs.status().message());
    }
    judged.push_back(std::move(next));
    if (judged.back().verdict.kind == Outcome::kFail) break;
  }
  return judged;
}

void Conclude(const DumpedModule& dumped, bool has_values, PassBlame& blame) {
  if (has_values) return ConcludeFromStages(blame);
  ConcludeFromEnd(dumped, blame);
}

}  // namespace hlocts::backends
