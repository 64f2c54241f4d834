#include "suites/runner.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "backends/backend_list.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"
#include "suites/sweep.h"

namespace hlocts {
namespace {

Verdict ErrorVerdict(absl::string_view reason) {
  Verdict verdict;
  verdict.kind = VerdictKind::kError;
  verdict.reason = std::string(reason);
  return verdict;
}

Verdict RunValid(const Case& one, const Module& module, Backend& backend, DiffOptions options,
                 const std::function<bool()>& stop) {
  options.load = LoadOptionsOf(one, module, options.load);
  if (one.sweep) return RunSweep(one, module, backend, options, stop);
  auto request = MakeRequest(one, module, options.load);
  if (!request.ok()) return ErrorVerdict(absl::StrCat("inputs: ", request.status().message()));
  auto printed = PrintedResult(one, module, options.load);
  if (!printed.ok()) return ErrorVerdict(absl::StrCat("@expect: ", printed.status().message()));
  options.printed_result = *std::move(printed);
  return Differ(module, *request, options).Diff(backend);
}

// A reject case proves something only if the control, one edit away, is taken.
Verdict RunReject(const Case& one, const Module& module, Backend& backend,
                  const DiffOptions& base) {
  DiffOptions options = base;
  options.load = LoadOptionsOf(one, module, options.load);
  if (one.control_text.empty()) return ErrorVerdict("a @reject case without @control");
  auto control = ParseModule(one.control_text);
  if (!control.ok()) {
    return ErrorVerdict(absl::StrCat("control: ", control.status().message()));
  }
  absl::Status valid = VerifyModule(**control);
  if (!valid.ok()) return ErrorVerdict(absl::StrCat("control: ", valid.message()));
  auto executable = backend.Load(**control, options.load);
  if (!executable.ok()) {
    RunOutcome outcome;
    outcome.kind = OutcomeOf(executable.status());
    outcome.reason = absl::StrCat("the control was not taken: ", executable.status().message());
    Verdict verdict = VerdictOf(outcome);
    verdict.of_control = true;
    return verdict;
  }
  return DiffInvalidModule(module, backend, options);
}

}  // namespace

Verdict RunCase(const Case& one, Backend& backend, const DiffOptions& options,
                const std::function<bool()>& stop) {
  Verdict verdict;
  auto module = ParseModule(one.module_text);
  if (!module.ok() && !one.reject_rule.empty()) {
    verdict = DiffUnreadableModule(module.status(), backend);
  } else if (!module.ok()) {
    verdict = ErrorVerdict(absl::StrCat(one.place.file, ":", one.place.line, ": module: ",
                                        module.status().message()));
  } else {
    absl::Status valid = VerifyModule(**module);
    if (one.reject_rule.empty() && !valid.ok()) {
      verdict = ErrorVerdict(absl::StrCat("module: ", valid.message()));
    } else if (!one.reject_rule.empty() && valid.ok()) {
      verdict = ErrorVerdict("our own verifier accepts the module of a @reject case");
    } else {
      verdict = one.reject_rule.empty() ? RunValid(one, **module, backend, options, stop)
                                        : RunReject(one, **module, backend, options);
    }
  }
  BackendInfo info = backend.info();
  verdict.module = one.place.file;
  verdict.case_address = one.address;
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  verdict.profile = std::string(ProfileName(options.profile));
  if (one.style) verdict.seed = one.seed;
  verdict.exact_data = one.style == ArgumentStyle::kExact;
  return verdict;
}

namespace {

// Work of all jobs: (case, engine) pairs, engines apart so that each job keeps one of each.
class Queue {
 public:
  explicit Queue(size_t count) : count_(count) {}
  std::optional<size_t> Next() {
    size_t next = next_.fetch_add(1);
    return next < count_ ? std::optional<size_t>(next) : std::nullopt;
  }

 private:
  std::atomic<size_t> next_{0};
  size_t count_;
};

// A verdict that nobody expected, given again or not.
Verdict RunAgain(const Case& one, Backend& engine, const RunnerOptions& options, Verdict first) {
  std::string kinds(VerdictName(first.kind));
  bool differs = false;
  for (int i = 0; i < options.again && !options.stop(); ++i) {
    VerdictKind kind = RunCase(one, engine, options.diff).kind;
    absl::StrAppend(&kinds, ", ", VerdictName(kind));
    differs = differs || kind != first.kind;
  }
  if (differs) first.flake = kinds;
  return first;
}

}  // namespace

absl::Status RunCases(const std::vector<Case>& cases, const std::vector<std::string>& backends,
                      const RunnerOptions& options, const VerdictSink& sink) {
  Queue queue(cases.size());
  std::mutex mutex;
  absl::Status failed;
  auto work = [&] {
    std::vector<std::unique_ptr<Backend>> engines;
    for (const std::string& name : backends) {
      auto engine = MakeBackend(name);
      absl::Status status = engine.status();
      if (status.ok() && !(*engine)->info().available) {
        status = absl::UnavailableError(absl::StrCat(name, ": ", (*engine)->info().reason));
      }
      if (!status.ok()) {
        std::lock_guard<std::mutex> lock(mutex);
        failed.Update(status);
        return;
      }
      engines.push_back(*std::move(engine));
    }
    while (auto next = queue.Next()) {
      if (options.stop()) return;
      for (auto& engine : engines) {
        Verdict verdict = RunCase(cases[*next], *engine, options.diff, options.stop);
        if (options.is_surprise(verdict)) {
          verdict = RunAgain(cases[*next], *engine, options, std::move(verdict));
        }
        std::lock_guard<std::mutex> lock(mutex);
        sink(cases[*next], verdict);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int job = 0; job < options.jobs; ++job) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return failed;
}

}  // namespace hlocts
