// SPDX-License-Identifier: Apache-2.0
#include "backends/passes/pass_blame.h"

#include "backends/passes/failing_run.h"
#include "spec/ir/module.h"
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

// The dumps of the requested module: others may have been compiled before it, e.g. by constant
// folding.
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
    HLOCTS_ASSIGN_OR_RETURN(
        blame.stages, JudgeStages(*subject.module, std::move(stages), differ, *subject.request,
                                  subject.options.load, ran.facts));
  }
  Conclude(*dumped, has_values, blame);
  HLOCTS_RETURN_IF_ERROR(ConfirmAny(subject, differ, engine, blame));
  return blame;
}

}  // namespace hlocts::backends
