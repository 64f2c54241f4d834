// SPDX-License-Identifier: Apache-2.0
#include "backends/passes/pass_blame.h"

#include <cstdlib>

#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/element_text.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

absl::Status Confirm(const BlameSubject& subject, Differ& differ, const EngineFactory& factory,
                     const std::string& pass, PassBlame& blame) {
  HLOCTS_ASSIGN_OR_RETURN(Ran ran, RunWithFlags(subject, differ, factory,
                                                absl::StrCat("--xla_disable_hlo_passes=", pass)));
  const bool fixed = !IsWrong(ran.verdict);
  if (!fixed && blame.without) return absl::OkStatus();
  blame.actual_without = ElementOf(ran, blame.verdict);
  blame.without = ran.verdict;
  blame.confirmed = fixed;
  return absl::OkStatus();
}

// Confirms the pass at fault, or tries the suspected passes in turn until one is confirmed.
absl::Status ConfirmAny(const BlameSubject& subject, Differ& differ, const EngineFactory& factory,
                        PassBlame& blame) {
  if (blame.failing_phase == FailurePhase::kPass)
    return Confirm(subject, differ, factory, blame.pass, blame);
  for (const std::string& pass : std::vector<std::string>(blame.suspects)) {
    HLOCTS_RETURN_IF_ERROR(Confirm(subject, differ, factory, pass, blame));
    if (!blame.confirmed) continue;
    blame.suspects = {pass};
    // The compiler crashed after the last text, and not if this pass is disabled: the pass crashed.
    if (blame.stages.empty()) {
      blame.failing_phase = FailurePhase::kPass;
      blame.pass = pass;
      blame.pipeline.clear();
    }
    return absl::OkStatus();
  }
  if (!blame.confirmed) blame.without.reset();
  return absl::OkStatus();
}

// Returns true if the engine writes dumps at all, tested with a correct module.
absl::StatusOr<bool> WritesDumps(const EngineFactory& factory, const std::string& folder,
                                 const std::string& flags) {
  MoreXlaFlags more(flags);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module,
                          ParseModule("HloModule probe\nENTRY e { ROOT c = f32[] constant(1) }"));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, factory());
  ExecuteRequest request;
  request.arguments.resize(1);
  RunModule(*engine, *module, LoadOptions(), request);
  return ReadDumpFolder(folder).ok();
}

// Returns the dumps of the requested module: others may have been compiled before it, e.g. by
// constant folding.
const DumpedModule* MainModule(const std::vector<DumpedModule>& modules, const Module& module) {
  for (auto it = modules.rbegin(); it != modules.rend(); ++it) {
    if (it->name == module.name()) return &*it;
  }
  return modules.empty() ? nullptr : &modules.back();
}

absl::StatusOr<PassBlame> WithoutDumps(const BlameSubject& subject, const EngineFactory& engine) {
  HLOCTS_ASSIGN_OR_RETURN(PassBlame blame, BlameInOneStep(subject, engine));
  constexpr absl::string_view kWhy = "the engine ignores XLA_FLAGS and writes no dumps";
  blame.reason = absl::StrCat(kWhy, blame.reason.empty() ? "" : "; ", blame.reason);
  return blame;
}

}  // namespace

MoreXlaFlags::MoreXlaFlags(const std::string& flags) {
  if (const char* before = std::getenv("XLA_FLAGS")) before_ = before;
  const std::string both = before_ ? absl::StrCat(*before_, " ", flags) : flags;
  setenv("XLA_FLAGS", both.c_str(), /*overwrite=*/1);
}

MoreXlaFlags::~MoreXlaFlags() {
  if (before_) setenv("XLA_FLAGS", before_->c_str(), 1);
  if (!before_) unsetenv("XLA_FLAGS");
}

absl::StatusOr<Ran> RunOnce(const BlameSubject& subject, Differ& differ, Backend& engine) {
  const BackendInfo info = engine.info();
  if (!info.available)
    return absl::UnavailableError(absl::StrCat(info.name, ": ", info.error.Text()));
  Ran ran;
  ran.facts = info.facts;
  ran.outcome = RunModule(engine, *subject.module, subject.options.load, *subject.request);
  if (subject.invalid) {
    ran.verdict = DiffInvalidModule(*subject.module, engine, subject.options);
  } else if (ran.outcome.has_values()) {
    ran.verdict = differ.JudgeOutputs(ran.outcome.result.outputs, info.facts);
  } else {
    ran.verdict = VerdictOf(ran.outcome);
  }
  ran.verdict.backend = info.name;
  ran.verdict.backend_version = info.version;
  return ran;
}

absl::StatusOr<Ran> RunWithFlags(const BlameSubject& subject, Differ& differ,
                                 const EngineFactory& factory, const std::string& flags) {
  MoreXlaFlags more(flags);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, factory());
  return RunOnce(subject, differ, *engine);
}

std::string ElementOf(const Ran& ran, const reports::Verdict& failure) {
  const auto& outputs = ran.outcome.result.outputs;
  if (!failure.first_failure || !ran.outcome.has_values())
    return std::string(OutcomeName(ran.verdict.kind));
  const reports::VerdictFailure& at = *failure.first_failure;
  const size_t device = static_cast<size_t>(failure.replica);
  if (device >= outputs.size() || at.output >= static_cast<int64_t>(outputs[device].size()))
    return "no such output";
  const Literal& leaf = outputs[device][at.output];
  if (at.index.size() != leaf.shape().dimensions().size()) return "another shape";
  const int64_t index = LinearIndex(at.index, RowMajorStrides(leaf.shape().dimensions()));
  return ElementText(leaf, index);
}

bool IsWrong(const reports::Verdict& verdict) {
  return verdict.kind != Outcome::kPass && !IsInconclusive(verdict.kind);
}

absl::string_view FailurePhaseName(FailurePhase failing_phase) {
  switch (failing_phase) {
    case FailurePhase::kPass:
      return "pass";
    case FailurePhase::kCodeGeneration:
      return "code generation";
    case FailurePhase::kAfterPass:
      return "after pass";
    case FailurePhase::kBeforePasses:
      return "before the passes";
    case FailurePhase::kUnknown:
      return "unknown";
  }
  return "";
}

absl::StatusOr<PassBlame> BlamePass(const BlameSubject& subject, const EngineFactory& engine,
                                    const std::string& folder) {
  PassBlame blame;
  Differ differ(*subject.module, *subject.request, subject.options);
  const std::string flags =
      absl::StrCat("--xla_dump_to=", folder,
                   " --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.* --xla_dump_large_constants");
  HLOCTS_ASSIGN_OR_RETURN(const Ran ran, RunWithFlags(subject, differ, engine, flags));
  blame.verdict = ran.verdict;
  blame.actual = ElementOf(ran, ran.verdict);
  if (!IsWrong(ran.verdict)) {
    blame.reason = "the engine does not fail on this module";
    return blame;
  }
  auto modules = ReadDumpFolder(folder);
  if (!modules.ok()) {
    HLOCTS_ASSIGN_OR_RETURN(const bool leaves, WritesDumps(engine, folder, flags));
    if (!leaves) return WithoutDumps(subject, engine);
    blame.failing_phase = FailurePhase::kBeforePasses;
    return blame;
  }
  const DumpedModule* dumped = MainModule(*modules, *subject.module);
  blame.dumps = static_cast<int64_t>(dumped->files.size());
  const bool has_values = ran.outcome.has_values();
  if (has_values || (dumped->complete && !subject.invalid)) {
    HLOCTS_ASSIGN_OR_RETURN(std::vector<Stage> stages, StagesOf(folder, *dumped));
    HLOCTS_ASSIGN_OR_RETURN(blame.stages, JudgeStages(subject, std::move(stages), differ, ran));
  }
  Conclude(*dumped, has_values, blame);
  HLOCTS_RETURN_IF_ERROR(ConfirmAny(subject, differ, engine, blame));
  return blame;
}

}  // namespace hlocts::backends
