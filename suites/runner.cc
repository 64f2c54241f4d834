// SPDX-License-Identifier: Apache-2.0
#include "suites/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "absl/strings/match.h"
#include "backends/backend_list.h"
#include "spec/base/threads.h"
#include "spec/infer/verifier.h"
#include "spec/ops/op_table.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"
#include "suites/sweep.h"

namespace hlocts::suites {
namespace {

reports::Verdict ErrorVerdict(absl::string_view reason) {
  reports::Verdict verdict;
  verdict.kind = Outcome::kError;
  verdict.reason = std::string(reason);
  return verdict;
}

reports::Verdict RunValid(const Case& one, const Module& module, backends::Backend& backend,
                          backends::DiffOptions options, const std::function<bool()>& stop) {
  options.load = LoadOptionsOf(one, module, options.load);
  if (one.sweep) return RunSweep(one, module, backend, options, stop);
  auto request = MakeRequest(one, module, options.load);
  if (!request.ok()) return ErrorVerdict(one.place.Located("inputs", request.status().message()));
  auto printed = PrintedResult(one, module, options.load);
  if (!printed.ok()) return ErrorVerdict(one.place.Located("expect", printed.status().message()));
  options.printed_result = *std::move(printed);
  auto outfeed = ExpectedOutfeed(one, options.load);
  if (!outfeed.ok()) return ErrorVerdict(one.place.Located("outfeed", outfeed.status().message()));
  options.expected_outfeed = *std::move(outfeed);
  return backends::Differ(module, *request, options).Diff(backend);
}

// Runs a reject case. Rejection is evidence only if the engine accepts the control (one edit away).
reports::Verdict RunReject(const Case& one, const Module& module, backends::Backend& backend,
                           const backends::DiffOptions& base) {
  backends::DiffOptions options = base;
  options.load = LoadOptionsOf(one, module, options.load);
  if (one.control_text.empty()) return ErrorVerdict("expected @control in a @reject case");
  auto control = ParseModule(one.control_text);
  if (!control.ok()) {
    return ErrorVerdict(one.place.Located("control", control.status().message()));
  }
  absl::Status valid = VerifyModule(**control);
  if (!valid.ok()) return ErrorVerdict(absl::StrCat("control: ", valid.message()));
  auto executable = backend.Load(**control, options.load);
  if (!executable.ok()) {
    reports::Verdict verdict = backends::VerdictOf(backends::FailedRun(executable.status()));
    verdict.error.message = absl::StrCat("the verdict on the valid control module is ",
                                         OutcomeName(verdict.kind), ": ", verdict.error.message);
    verdict.reason = verdict.error.Text();
    verdict.of_control = true;
    return verdict;
  }
  return backends::DiffInvalidModule(module, backend, options);
}

// Makes the verdict unsupported if the documents permit the engine to accept or reject the module.
// A crash or a wrong value remains a failure.
void AllowAcceptOrReject(const Case& one, reports::Verdict& verdict) {
  if (one.open_ruling.empty() || verdict.of_control) return;
  const bool taken = verdict.kind == Outcome::kAccepted;
  if (!taken && verdict.kind != Outcome::kRejected) return;
  verdict.kind = Outcome::kUnsupported;
  verdict.reason = absl::StrCat(taken ? "accepted" : "rejected", ", which ruling ", one.open_ruling,
                                " leaves to the engine: ", verdict.reason);
}

// Makes the rejection of an opcode unsupported if the documents do not mention it (ruling 0101).
void MarkUndocumentedOpcodeUnsupported(const Case& one, reports::Verdict& verdict) {
  if (verdict.kind != Outcome::kRejected || one.operation != one.opcode) return;
  const std::optional<Opcode> opcode = OpcodeFromName(one.opcode);
  if (!opcode.has_value() || !RowOf(*opcode).documented_as.empty()) return;
  verdict.kind = Outcome::kUnsupported;
  verdict.reason = absl::StrCat("rejected; ", one.opcode, " is not documented: ", verdict.reason);
}

// Checks a case with the directive @inconclusive. If the judge can decide something in the default
// profile, the verdict becomes an error: the directive must be removed.
void CheckDeclaredInconclusive(const Case& one, Profile profile, reports::Verdict& verdict) {
  const bool relaxed = profile == Profile::kRelaxed;
  const std::string& nature = relaxed ? one.inconclusive_in_relaxed : one.inconclusive;
  if (nature.empty()) return;
  if (IsInconclusive(verdict.kind)) {
    verdict.inconclusive_by_nature = nature;
  } else if (verdict.kind == Outcome::kPass && profile == Profile::kDefault) {
    verdict.kind = Outcome::kError;
    verdict.reason = absl::StrCat(one.place.file, ":", one.place.line,
                                  ": the case is @inconclusive, but it was judged: pass");
  }
}

}  // namespace

std::string FoundText(const absl::Status& verified) {
  const std::string rule = RuleOf(verified);
  return absl::StrCat(rule, rule.empty() ? "" : ": ",
                      verified.ok() ? "a valid module" : verified.message());
}

reports::Verdict RunCase(const Case& one, backends::Backend& backend,
                         const backends::DiffOptions& options, const std::function<bool()>& stop) {
  reports::Verdict verdict;
  auto module = ParseModule(one.module_text);
  const absl::Status valid = module.ok() ? VerifyModule(**module) : module.status();
  if (one.reject_rule.empty() && !valid.ok()) {
    verdict = ErrorVerdict(module.ok() ? absl::StrCat("module: ", valid.message())
                                       : one.place.Located("module", valid.message()));
  } else if (RuleOf(valid) != one.reject_rule) {
    verdict = ErrorVerdict(
        absl::StrCat("@reject: expected ", one.reject_rule, ", found ", FoundText(valid)));
  } else if (!module.ok()) {
    verdict = backends::DiffUnreadableModule(valid, backend);
  } else {
    verdict = one.reject_rule.empty() ? RunValid(one, **module, backend, options, stop)
                                      : RunReject(one, **module, backend, options);
  }
  AllowAcceptOrReject(one, verdict);
  MarkUndocumentedOpcodeUnsupported(one, verdict);
  CheckDeclaredInconclusive(one, options.profile, verdict);
  if (verdict.first_failure)
    verdict.first_failure->clause = ClauseOfCase(verdict.first_failure->clause, one.clauses);
  backends::BackendInfo info = backend.info();
  verdict.module = one.place.file;
  verdict.case_address = one.address;
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  verdict.profile = std::string(ProfileName(options.profile));
  if (one.style) verdict.seed = one.seed;
  verdict.exact_data = one.style == generators::ArgumentStyle::kExact;
  return verdict;
}

namespace {

// Returns true if one compilation suffices for both cases: they differ only in their inputs.
bool SharesModule(const Case& a, const Case& b) {
  return a.module_text == b.module_text && a.replicas == b.replicas && a.reject_rule.empty() &&
         b.reject_rule.empty() && !a.sweep && !b.sweep;
}

// The cases for all jobs. Adjacent cases with the same module run on the same worker.
class Queue {
 public:
  explicit Queue(const std::vector<Case>& cases) {
    for (size_t i = 0; i < cases.size(); ++i) {
      if (i == 0 || !SharesModule(cases[i - 1], cases[i])) begins_.push_back(i);
    }
    begins_.push_back(cases.size());
  }
  size_t size() const { return begins_.size() - 1; }
  // Returns the index of the first case and of the one after the last.
  std::optional<std::pair<size_t, size_t>> Next() {
    size_t next = next_.fetch_add(1);
    if (next + 1 >= begins_.size()) return std::nullopt;
    return std::pair(begins_[next], begins_[next + 1]);
  }

 private:
  std::vector<size_t> begins_;
  std::atomic<size_t> next_{0};
};

// Runs a case with an unexpected verdict again to find out whether it is a flake.
reports::Verdict RunAgain(const Case& one, backends::Backend& engine, const RunnerOptions& options,
                          reports::Verdict first) {
  std::string kinds(OutcomeName(first.kind));
  bool differs = false;
  for (int i = 0; i < options.again && !options.stop(); ++i) {
    Outcome kind = RunCase(one, engine, options.diff).kind;
    absl::StrAppend(&kinds, ", ", OutcomeName(kind));
    differs = differs || kind != first.kind;
  }
  if (differs) first.flake = kinds;
  return first;
}

// Rejects options with which the engine rejects even the simplest module.
absl::Status ProbeOptions(const std::string& name, backends::Backend& engine) {
  if (!absl::StrContains(name, '?')) return absl::OkStatus();
  auto module = ParseModule("HloModule probe\nENTRY e { ROOT c = f32[] constant(1) }\n");
  if (!module.ok()) return module.status();
  absl::Status loaded = engine.Load(**module, backends::LoadOptions()).status();
  const bool refused = !loaded.ok() && (backends::OutcomeOf(loaded) == Outcome::kRejected ||
                                        ErrorOf(loaded).kind == ErrorKind::kRejectsEveryModule);
  if (!refused) return absl::OkStatus();
  return InvalidInput(
      "the engine rejects a constant with these options (client options begin with client.): ",
      loaded.message());
}

absl::StatusOr<std::unique_ptr<backends::Backend>> StartEngine(const std::string& name) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine, backends::MakeBackend(name));
  backends::BackendInfo info = engine->info();
  if (!info.available) return EngineStatus(absl::StatusCode::kUnavailable, info.error);
  HLOCTS_RETURN_IF_ERROR(ProbeOptions(name, *engine));
  return engine;
}

}  // namespace

absl::StatusOr<Engines> StartEngines(
    const std::vector<std::string>& names,
    const std::function<void(const std::string& name, const absl::Status&)>& unavailable) {
  Engines engines;
  for (const std::string& name : names) {
    auto engine = StartEngine(name);
    if (engine.ok()) {
      engines.names.push_back(name);
      engines.all.push_back(*std::move(engine));
      continue;
    }
    // The name is unknown, so the engine is not merely missing.
    if (absl::IsNotFound(engine.status())) return engine.status();
    if (absl::IsInvalidArgument(engine.status())) return Annotate(engine.status(), name);
    if (!unavailable) return Annotate(engine.status(), name);
    unavailable(name, engine.status());
  }
  return engines;
}

namespace {

reports::Verdict RunOnce(const Case& one, backends::Backend& engine, const RunnerOptions& options,
                         bool reuse) {
  auto start = std::chrono::steady_clock::now();
  backends::DiffOptions diff = options.diff;
  diff.load.reuse = reuse;
  diff.load.stop = options.stop;
  reports::Verdict verdict = RunCase(one, engine, diff, options.stop);
  verdict.case_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.is_unexpected(verdict)) return verdict;
  return RunAgain(one, engine, options, std::move(verdict));
}

}  // namespace

void RunCases(const std::vector<Case>& cases, Engines& first, const RunnerOptions& options,
              const VerdictSink& sink) {
  Queue queue(cases);
  std::mutex mutex;
  if (queue.size() == 0 || first.all.empty()) return;
  int jobs = std::min<int>(options.jobs, static_cast<int>(queue.size()));
  for (const auto& engine : first.all) jobs = backends::BoundedJobs(jobs, engine->info());
  auto take = [&](Engines& engines) {
    while (auto next = queue.Next()) {
      for (auto& engine : engines.all) {
        for (size_t i = next->first; i < next->second; ++i) {
          if (options.stop()) return;
          {
            std::lock_guard<std::mutex> lock(mutex);
            options.began(cases[i]);
          }
          reports::Verdict verdict = RunOnce(cases[i], *engine, options, /*reuse=*/i > next->first);
          std::lock_guard<std::mutex> lock(mutex);
          if (options.stop()) return;  // the verdict may be due to the stop
          sink(cases[i], verdict);
        }
      }
    }
  };
  // On a busy machine the engines or the thread of an additional job may not start. Such a job runs
  // no cases, because they would lack verdicts; the other jobs run them.
  auto work = [&] {
    auto engines = StartEngines(first.names, nullptr);
    if (engines.ok()) take(*engines);
  };
  RunTogether(
      jobs, [&](int64_t job) { job == 0 ? take(first) : work(); }, [](const auto&...) {});
}

}  // namespace hlocts::suites
