// SPDX-License-Identifier: Apache-2.0
#include "backends/passes/pass_blame.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/element_text.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

constexpr double kChance = 0.01;  // maximum probability of confirming a pass that is not at fault
constexpr int64_t kRunsMax = 100, kTimeoutRunsMax = 3;

// The rewriters. Those of the release kOfCompiler are passes of the compiler, which it may run
// without a dump, because only a pass that changes the module has one.
constexpr absl::string_view kOfCompiler = "xla";
constexpr absl::string_view kPassesAndReleases[][2] = {
#define HLOCTS_REWRITER(name, form, release, pass) {pass, release},
#include "backends/passes/rewriters.def"
#undef HLOCTS_REWRITER
};

// Returns the passes to switch off in turn: the suspects; if the compiler crashed in a pass without
// a dump, also others; and a partitioner last, because a run without shardings does not tell it
// from other suspects.
std::vector<std::string> PassesToTry(const BlameSubject& subject, const PassBlame& blame,
                                     const std::function<bool(const std::string&)>& partitions) {
  std::vector<std::string> passes = blame.suspects;
  const bool in_a_pass = blame.verdict.kind != Outcome::kTimeout &&  // each run would take as long
                         (blame.failing_phase == FailurePhase::kAfterPass ||
                          blame.failing_phase == FailurePhase::kBeforePasses);
  if (blame.stages.empty() && in_a_pass && blame.reason.empty() && !subject.invalid) {
    for (const auto& [pass, release] : kPassesAndReleases)
      if (release == kOfCompiler && !absl::c_linear_search(passes, pass)) passes.emplace_back(pass);
    if (IsSharded(*subject.module) && absl::c_none_of(passes, partitions))
      passes.emplace_back("spmd-partitioning");
  }
  std::stable_partition(passes.begin(), passes.end(), std::not_fn(partitions));
  return passes;
}

// Runs the unchanged module several times, and counts the failures. Each run has a new worker,
// since the runs of one worker reuse its memory. The run that made the dumps was repeated until it
// failed, so it counts only if no other run fails.
absl::Status CountFailures(const BlameSubject& subject, Differ& differ,
                           const EngineFactory& factory, PassBlame& blame) {
  const bool slow = blame.verdict.kind == Outcome::kTimeout;
  const int64_t most = slow ? std::min(kTimeoutRunsMax, subject.runs) : subject.runs;
  for (int64_t i = 0; i < most; ++i, ++blame.runs) {
    HLOCTS_ASSIGN_OR_RETURN(const Ran ran, RunWithFlags(subject, differ, factory, ""));
    blame.failed += IsWrong(ran.verdict) ? 1 : 0;
  }
  if (blame.failed > 0 || blame.runs == 0) return absl::OkStatus();
  blame.failed = 1;
  ++blame.runs;
  return absl::OkStatus();
}

// Returns true if the engine cannot make the program without the pass, since it partitions the
// module.
bool IsPartitioner(const BlameSubject& subject, const std::string& pass) {
  const std::string name = absl::StrReplaceAll(pass, {{"_", "-"}});
  return IsSharded(*subject.module) &&
         (absl::StartsWith(name, "spmd-partition") || name == "shardy-xla");
}

// Runs the module without the pass, or without shardings if the pass partitions it. If the failure
// is not deterministic, one correct run proves nothing. The number of runs is so large that, if
// `passes` passes are tried, chance confirms a pass that is not at fault with a probability of at
// most 1 %.
absl::Status Confirm(const BlameSubject& subject, Differ& differ, const EngineFactory& factory,
                     const std::string& pass, size_t passes, PassBlame& blame) {
  const bool sharded = IsPartitioner(subject, pass);
  const std::string flags = sharded ? "" : "--xla_disable_hlo_passes=" + pass;
  const std::unique_ptr<Module> plain = sharded ? WithoutShardings(*subject.module) : nullptr;
  BlameSubject other = subject;
  if (sharded) other.module = plain.get();
  const int64_t needed =
      blame.deterministic()
          ? 1
          : reports::RunsUntilSeen(blame.failed, blame.runs, kChance / static_cast<double>(passes));
  blame.runs_needed = needed;
  if (needed > std::max(kRunsMax, subject.runs)) return absl::OkStatus();
  Ran ran;
  int64_t runs = 0;
  bool fixed = true;
  for (; runs < needed && fixed; ++runs) {
    HLOCTS_ASSIGN_OR_RETURN(ran, RunWithFlags(other, differ, factory, flags));
    fixed = !IsWrong(ran.verdict);
  }
  if (!fixed && blame.without) return absl::OkStatus();
  blame.switched_off = sharded ? kShardings : pass;
  blame.actual_without = ElementOf(ran, blame.verdict);
  blame.without = ran.verdict;
  blame.failed_without = fixed ? 0 : 1;
  blame.runs_without = runs;
  blame.confirmed = fixed;
  return absl::OkStatus();
}

// Confirms the pass at fault, or tries passes in turn until one is confirmed. Drops a suspect if a
// deterministic failure remains without it.
absl::Status ConfirmAny(const BlameSubject& subject, Differ& differ, const EngineFactory& factory,
                        PassBlame& blame) {
  if (blame.failing_phase == FailurePhase::kPass)
    return Confirm(subject, differ, factory, blame.pass, 1, blame);
  const auto partitions = [&](const std::string& pass) { return IsPartitioner(subject, pass); };
  const std::vector<std::string> passes = PassesToTry(subject, blame, partitions);
  std::vector<std::string> refuted;
  for (const std::string& pass : passes) {
    blame.without.reset();
    HLOCTS_RETURN_IF_ERROR(Confirm(subject, differ, factory, pass, passes.size(), blame));
    if (!blame.confirmed) {
      const bool same = blame.without && blame.without->kind == blame.verdict.kind;
      if (same && blame.deterministic()) refuted.push_back(pass);
      continue;
    }
    const bool is_guess = partitions(pass) && !absl::c_linear_search(blame.suspects, pass);
    blame.suspects = {pass};
    // The compiler crashes after the last text, but not if this pass is disabled: the pass crashes.
    if (blame.stages.empty() && !is_guess) {
      blame.failing_phase = FailurePhase::kPass;
      blame.pass = pass;
      blame.pipeline.clear();
    }
    return absl::OkStatus();
  }
  if (!blame.confirmed) {
    const bool had_any = !blame.suspects.empty();
    std::erase_if(blame.suspects, [&](auto& one) { return absl::c_linear_search(refuted, one); });
    if (had_any && blame.suspects.empty() && blame.stages.empty()) {
      blame.failing_phase = FailurePhase::kUnknown;
      blame.reason =
          absl::StrCat("the compiler fails in a pass; switched off one at a time, none of ",
                       absl::StrJoin(refuted, ", "), " prevents the failure");
    }
    blame.without.reset();
    blame.switched_off.clear();
    blame.actual_without.clear();
  }
  return absl::OkStatus();
}

// Compiles a correct module to find out if the engine writes dumps.
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

// Runs the module with dumps until it fails, at most `subject.tries` times.
absl::StatusOr<Ran> RunUntilWrong(const BlameSubject& subject, Differ& differ,
                                  const EngineFactory& engine, const std::string& flags,
                                  const std::string& folder) {
  for (int64_t i = 1;; ++i) {
    HLOCTS_ASSIGN_OR_RETURN(Ran ran, RunWithFlags(subject, differ, engine, flags));
    if (IsWrong(ran.verdict) || i >= subject.tries) return ran;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
      std::filesystem::remove_all(entry.path(), ignored);
  }
}

PassBlame WithReason(const std::string& first, PassBlame blame) {
  blame.reason =
      absl::StrCat(first, first.empty() || blame.reason.empty() ? "" : "; ", blame.reason);
  return blame;
}

// Returns true if the pass is blamed only for the sets of its text, and the failure remains without
// it.
bool IsRefuted(const PassBlame& blame) {
  return blame.failing_phase == FailurePhase::kPass && !blame.stages.empty() &&
         blame.stages.back().by_sets && blame.without && blame.without->kind == blame.verdict.kind;
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
  constexpr absl::string_view kNames[] = {"pass", "code generation", "after pass",
                                          "before the passes", "unknown"};
  static_assert(std::size(kNames) == static_cast<size_t>(FailurePhase::kUnknown) + 1);
  return kNames[static_cast<size_t>(failing_phase)];
}

std::string AnswerText(const PassBlame& blame) {
  const std::string phase(FailurePhaseName(blame.failing_phase));
  const bool later = blame.failing_phase == FailurePhase::kAfterPass;
  if (blame.pass == kPipelineStart)
    return absl::StrCat(later ? "after the start of pipeline " : "before pipeline ",
                        blame.pipeline);
  if (!blame.pass.empty()) return absl::StrCat(phase, " ", blame.pass);
  if (!later && blame.failing_phase != FailurePhase::kPass) return phase;
  return blame.suspects.empty() ? "a pass" : "one of the suspects";
}

std::string SuspectsText(std::vector<std::string> suspects) {
  const auto same = [](const std::string& dashed, const std::string& one) {
    return dashed == absl::StrReplaceAll(one, {{"_", "-"}});
  };
  suspects.erase(std::unique(suspects.begin(), suspects.end(), same), suspects.end());
  return absl::StrJoin(suspects, ", ");
}

absl::StatusOr<PassBlame> BlamePass(const BlameSubject& subject, const EngineFactory& engine,
                                    const std::string& folder) {
  PassBlame blame;
  Differ differ(*subject.module, *subject.request, subject.options);
  const std::string flags =
      absl::StrCat("--xla_dump_to=", folder,
                   " --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.* --xla_dump_large_constants");
  HLOCTS_ASSIGN_OR_RETURN(Ran ran, RunUntilWrong(subject, differ, engine, flags, folder));
  blame.verdict = ran.verdict;
  blame.actual = ElementOf(ran, ran.verdict);
  if (!IsWrong(ran.verdict)) {
    blame.reason = absl::StrCat(
        "the engine does not fail on this module",
        subject.tries > 1 ? absl::StrCat(" in ", subject.tries, " runs (--repeat=N)") : "");
    return blame;
  }
  absl::string_view rewriter = ran.verdict.backend;
  if (absl::ConsumePrefix(&rewriter, "rewriter:")) {
    blame.failing_phase = FailurePhase::kPass;
    blame.pass = std::string(rewriter);
    blame.reason = "a rewriter has no other passes";
    return blame;
  }
  auto modules = ReadDumpFolder(folder);
  if (!modules.ok()) {
    HLOCTS_ASSIGN_OR_RETURN(const bool leaves, WritesDumps(engine, folder, flags));
    blame.failing_phase = FailurePhase::kBeforePasses;
    if (leaves) return blame;
    HLOCTS_ASSIGN_OR_RETURN(blame, BlameInOneStep(subject, engine));
    return WithReason("the engine ignores XLA_FLAGS and writes no dumps", std::move(blame));
  }
  const DumpedModule* dumped = MainModule(*modules, *subject.module);
  blame.dumps = static_cast<int64_t>(dumped->files.size());
  const bool has_values = ran.outcome.has_values();
  HLOCTS_RETURN_IF_ERROR(CountFailures(subject, differ, engine, blame));
  const PassBlame before = blame;
  for (std::string refuted;; blame = before, ran.outcome = RunOutcome()) {
    if (has_values || (dumped->complete && !subject.invalid)) {
      HLOCTS_ASSIGN_OR_RETURN(std::vector<Stage> stages, StagesOf(folder, *dumped));
      HLOCTS_ASSIGN_OR_RETURN(blame.stages, JudgeStages(subject, std::move(stages), differ, ran));
    }
    Conclude(*dumped, has_values, blame);
    HLOCTS_RETURN_IF_ERROR(ConfirmAny(subject, differ, engine, blame));
    if (!IsRefuted(blame)) return WithReason(refuted, std::move(blame));
    refuted = absl::StrCat("the sets of the module after ", blame.pass,
                           " accept the outputs, but the failure remains without this pass");
  }
}

}  // namespace hlocts::backends
