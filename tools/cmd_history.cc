// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts history`, which shows how each release of an engine answers a failure.
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "backends/engine_list.h"
#include "fuzz/triage/bundle.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "spec/infer/verifier.h"
#include "spec/ops/partitions.h"
#include "tools/cli/child.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/commands.h"
#include "tools/history/releases.h"
#include "tools/history/report.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;

struct HistoryOptions {
  CommonOptions common;
  std::vector<std::string> subjects, engines;
  std::string inputs, profile = "default";
  std::optional<uint64_t> seed;
  bool all = false, no_cache = false, keep = false, install = false;
};

// The releases that --install fetches. They are removed when all releases have run.
class Fetched {
 public:
  ~Fetched() {
    for (const std::string& name : names_) Engines("remove", name);
  }
  void Fetch(const engines::Engine& engine) {
    if (backends::IsInstalled(engine)) return;
    names_.push_back(engine.name());
    Engines("install", engine.name());
  }

 private:
  // Runs `hlocts engines` with its messages on standard error. An installation error is ignored
  // here, since the release then answers "missing" with the reason.
  static void Engines(const std::string& action, const std::string& name) {
    RunChild({"sh", "-c", R"(exec "$0" engines "$1" "$2" >&2)", ProgramPath(), action, name})
        .IgnoreError();
  }
  std::vector<std::string> names_;
};

absl::StatusOr<Subject> LoadSubject(const HistoryOptions& options, const std::string& path) {
  Subject subject;
  subject.path = path;
  subject.is_bundle = fs::is_directory(path);
  if (subject.is_bundle) {
    HLOCTS_ASSIGN_OR_RETURN(subject.bundle, fuzz::ReadBundle(path));
    subject.wanted = subject.bundle.result.verdict.kind;
    if (options.keep) {
      HLOCTS_ASSIGN_OR_RETURN(subject.kept, ReadKept(path));
    }
  } else {
    HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJob(path, options.inputs, options.seed, options.common));
    auto profile = ProfileFromName(options.profile);
    if (!profile) return InvalidInput("--profile: expected strict, default or relaxed");
    subject.bundle.options.profile = *profile;
    subject.bundle.sample.module = std::move(job.module);
    if (!job.request.arguments.empty()) subject.bundle.sample.arguments = job.request.arguments[0];
  }
  subject.bundle.options.load = options.common.ToLoadOptions(*subject.bundle.sample.module);
  return subject;
}

// The device-less compiler on which a bundle was recorded; null for any other engine.
const engines::Engine* CompilerOf(const engines::EngineList& list, const Subject& subject) {
  const absl::string_view recorded = subject.bundle.backend;
  const engines::Engine* engine =
      backends::FindEngine(list, recorded.substr(0, recorded.find('?')));
  return engine && engine->reach() == engines::COMPILE ? engine : nullptr;
}

// Adds the subjects of a path. A module that engines partition yields two subjects, one for each
// partitioner. A compiler's releases get the options of the bundle, which name its chip.
absl::Status AddSubjects(const HistoryOptions& options, const engines::EngineList& list,
                         const std::string& path, std::vector<Subject>& subjects) {
  HLOCTS_ASSIGN_OR_RETURN(Subject subject, LoadSubject(options, path));
  const std::string& recorded = subject.bundle.backend;
  const size_t first_option = recorded.find('?');
  if (CompilerOf(list, subject)) {
    if (first_option != recorded.npos) subject.options = recorded.substr(first_option);
  } else if (IsSharded(*subject.bundle.sample.module)) {
    HLOCTS_ASSIGN_OR_RETURN(Subject other, LoadSubject(options, path));
    subject.options = "?partitioner=gspmd";
    other.options = "?partitioner=shardy";
    subjects.push_back(std::move(subject));
    subject = std::move(other);
  }
  subjects.push_back(std::move(subject));
  return absl::OkStatus();
}

// The families of the bundles' compilers; none if one subject has no such compiler.
std::vector<std::string> CompilersOf(const engines::EngineList& list,
                                     const std::vector<Subject>& subjects) {
  std::vector<std::string> families;
  for (const Subject& subject : subjects) {
    const engines::Engine* compiler = CompilerOf(list, subject);
    if (!compiler) return {};
    if (!absl::c_linear_search(families, compiler->family()))
      families.push_back(compiler->family());
  }
  return families;
}

// Returns true if the subject uses the partitioner of the bundle's engine, whose answers
// history.json has. XLA's default is GSPMD.
bool IsOfRecord(const Subject& subject) {
  const bool shardy = absl::StrContains(subject.bundle.backend, "partitioner=shardy");
  return subject.options.empty() || shardy == absl::StrContains(subject.options, "shardy");
}

// Runs each release at most once per round, for all subjects that need it next, until no subject
// needs a release.
absl::Status Ask(const HistoryOptions& options, Releases& releases,
                 std::vector<Subject>& subjects) {
  Fetched fetched;
  const auto prepare = [&](const engines::Engine& engine) {
    if (options.install) fetched.Fetch(engine);
  };
  while (!Interrupted()) {
    std::vector<std::vector<Subject*>> wanted(releases.size());
    bool any = false;
    for (Subject& subject : subjects) {
      for (size_t release : NextReleases(subject, options.all)) {
        wanted[release].push_back(&subject);
        any = true;
      }
    }
    if (!any) return absl::OkStatus();
    for (size_t r = 0; r < wanted.size() && !Interrupted(); ++r) {
      if (!wanted[r].empty()) releases.Ask(r, wanted[r], options.no_cache, prepare);
    }
  }
  return absl::CancelledError("interrupted; finished results are kept");
}

absl::Status History(const HistoryOptions& options) {
  if (options.subjects.empty()) return InvalidInput("history: expected a module or a bundle");
  HLOCTS_ASSIGN_OR_RETURN(const engines::EngineList list, backends::LoadEngineList());
  std::vector<Subject> subjects;
  for (const std::string& path : options.subjects)
    HLOCTS_RETURN_IF_ERROR(AddSubjects(options, list, path, subjects));
  const auto words = options.engines.empty() ? CompilersOf(list, subjects) : options.engines;
  HLOCTS_ASSIGN_OR_RETURN(Releases releases, Releases::Select(words));
  for (Subject& subject : subjects) subject.answers = releases.InitialAnswers(options.install);
  CatchInterrupts();
  absl::Status status = Ask(options, releases, subjects);
  if (options.common.json) {
    for (const Subject& subject : subjects)
      std::cout << HistoryJson(subject, releases) << std::endl;
  } else {
    std::cout << HistoryText(subjects, releases);
  }
  HLOCTS_RETURN_IF_ERROR(status);
  if (!options.keep) return absl::OkStatus();
  for (const Subject& subject : subjects) {
    if (subject.is_bundle && IsOfRecord(subject))
      HLOCTS_RETURN_IF_ERROR(KeepInBundle(subject, releases));
  }
  return absl::OkStatus();
}

int RunHistory(const HistoryOptions& options) {
  absl::Status status = History(options);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace

Command HistoryCommand() {
  return {"history", "which releases of an engine show a failure", [](Flags& flags) {
            auto options = std::make_shared<HistoryOptions>();
            flags.Positional("MODULE|BUNDLE", &options->subjects,
                             "modules or bundles (several: printed as a table)");
            flags.Add("--engine", &options->engines,
                      "names or families: xla, jaxlib, tpu, iree@3.13.0 (default: xla and jaxlib; "
                      "for a bundle of a compiler without a device, its family)");
            flags.Add("--all", &options->all,
                      "run every installed release, not only those that a bisection needs");
            flags.Add("--install", &options->install,
                      "install the releases that the bisection needs and remove them afterwards");
            flags.Add("--inputs", &options->inputs, "inputs of a module: literals file");
            flags.Add("--seed", &options->seed, "seed of random inputs of a module");
            flags.Add("--profile", &options->profile, "strict, default or relaxed, for a module");
            flags.Add("--keep", &options->keep,
                      "write history.json into each bundle, and a paragraph into its README.md");
            flags.Add("--no-cache", &options->no_cache, "ignore cached results");
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunHistory(*options); };
          }};
}

}  // namespace hlocts::tools
