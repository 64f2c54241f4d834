// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts try`: prints the first score of a plugin file, and the next steps.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "backends/engine_list.h"
#include "reports/causes.h"
#include "reports/run_record.h"
#include "reports/scorecard.h"
#include "spec/base/version.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "spec/text/parser.h"
#include "suites/expectations.h"
#include "suites/replay.h"
#include "suites/run_folder.h"
#include "suites/sha256.h"
#include "tools/cli/suite_run.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

constexpr char kWorkflow[] = ".github/workflows/hlocts.yml";
constexpr char kList[] = "hlocts-known.textproto";  // the list that the next steps and --ci write

struct TryOptions {
  SuiteOptions suite;
  std::string plugin, label;
  bool ci = false;
  bool out_given = false;
};

// Returns the label of a plugin file: my_plugin for libmy_plugin.so; cpu-plugin for libcpu.so,
// because a label must not be the name of an engine.
std::string LabelOf(const std::string& plugin) {
  std::string stem = std::filesystem::path(plugin.substr(0, plugin.find('?'))).stem().string();
  absl::string_view name = stem;
  absl::ConsumePrefix(&name, "lib");
  std::string label;
  for (char c : name) label.push_back(absl::ascii_isalnum(c) || c == '-' || c == '_' ? c : '_');
  if (label.empty()) return "plugin";
  return backends::ParseBackendName(label + "=pjrt:p").ok() ? label : label + "-plugin";
}

// Returns the installed release to which this plugin file belongs, or "".
std::string ReleaseOf(const std::string& file) {
  const auto list = backends::LoadEngineList();
  if (!list.ok()) return "";
  for (const engines::Engine& engine : list->engine()) {
    const auto folder = backends::EngineFolder(engine);
    std::error_code none;
    if (folder.ok() && !engine.library().empty() &&
        std::filesystem::equivalent(absl::StrCat(*folder, "/", engine.library()), file, none))
      return engine.name();
  }
  return "";
}

// Returns true if the text is a path, not the name of an engine.
bool IsPath(const std::string& file) {
  return absl::EndsWith(file, ".so") ||
         (absl::StrContains(file, '/') && !absl::StrContains(file.substr(0, file.find('/')), ':'));
}

// Returns the engine for the command line: a name as it is, a plugin file by its absolute path.
absl::StatusOr<std::string> EngineOf(const TryOptions& options) {
  const std::string& plugin = options.plugin;
  const std::string file = plugin.substr(0, plugin.find('?'));
  if (!std::filesystem::is_regular_file(file)) {
    if (std::filesystem::is_directory(file))
      return InvalidInput("try: ", file, ": expected the file of a plugin, found a directory");
    if (IsPath(file)) return InvalidInput("try: ", file, ": no such file");
    return plugin;
  }
  const std::string rest = plugin.substr(file.size());
  return absl::StrCat(options.label.empty() ? LabelOf(plugin) : options.label,
                      "=pjrt:", std::filesystem::absolute(file).lexically_normal().string(), rest);
}

void PrintCheck(bool good, const std::string& what, const std::string& more) {
  std::cout << Coloured(good ? Colour::kGreen : Colour::kRed, good ? "ok   " : "FAILS") << "  "
            << what << (more.empty() ? "" : ": ") << more << std::endl;
}

// A step of the contract check: a module, and whether it is valid.
struct Step {
  const char *what, *module;
  bool valid;
};
constexpr Step kSteps[] = {
    {"runs a constant", "HloModule m\nENTRY e { ROOT c = f32[] constant(1) }\n", true},
    {"runs an addition",
     "HloModule m\nENTRY e { a = f32[4] constant({1, 2, 3, 4}) ROOT r = f32[4] add(a, a) }", true},
    {"returns a tuple",
     "HloModule m\nENTRY e { a = s32[] constant(1) ROOT t = (s32[], s32[]) tuple(a, a) }", true},
    {"rejects an invalid module",
     "HloModule m\nENTRY e { a = f32[4] constant({1, 2, 3, 4}) ROOT r = f32[3] add(a, a) }", false},
    {"still works afterwards", "HloModule m\nENTRY e { ROOT c = s32[] constant(7) }\n", true},
};

bool CheckStep(const Step& step, backends::Backend& engine) {
  const auto module = ParseModule(step.module);
  backends::DiffOptions options;
  backends::ExecuteRequest request;
  request.arguments.resize(1);
  const reports::Verdict verdict = step.valid
                                       ? backends::Differ(**module, request, options).Diff(engine)
                                       : backends::DiffInvalidModule(**module, engine, options);
  const bool good = verdict.kind == Outcome::kPass;
  PrintCheck(
      good, step.what,
      good ? "" : absl::StrCat(OutcomeName(verdict.kind), ": ", reports::FoldedReason(verdict)));
  return good;
}

// Returns the command `try` for the same plugin, label and tier, with more options of the plugin.
std::string TryAgain(const TryOptions& options, const std::string& more) {
  std::string plugin = options.plugin;
  if (!more.empty()) absl::StrAppend(&plugin, absl::StrContains(plugin, '?') ? "&" : "?", more);
  std::string command =
      absl::StrCat(suites::ShellQuoted(ProgramAsCalled()), " try ", suites::ShellQuoted(plugin));
  if (!options.label.empty())
    absl::StrAppend(&command, " --label=", suites::ShellQuoted(options.label));
  if (options.suite.tier != SuiteOptions().tier)
    absl::StrAppend(&command, " --tier=", options.suite.tier);
  return command;
}

// If the plugin is a release, returns the command that scores it as this release. If it is another
// plugin of XLA:CPU, returns the command that scores it with JAX's options. Otherwise returns "".
std::string XlaHint(TryOptions options, const std::string& version) {
  const std::string release = ReleaseOf(options.plugin.substr(0, options.plugin.find('?')));
  if (!release.empty()) {
    options.plugin = release, options.label = "";
    return absl::StrCat("  this file is ", release,
                        ". With its options, facts and known failures:", "\n      ",
                        TryAgain(options, ""), "\n");
  }
  if (!absl::StartsWith(version, "cpu,") || !absl::StrContains(version, "xla_version=")) return "";
  constexpr absl::string_view kAsJax = "xla_cpu_enable_fast_min_max=false";
  const std::string jax =
      absl::StrContains(options.plugin, kAsJax) ? "" : absl::StrCat(kAsJax, "&");
  return absl::StrCat(
      "  this looks like XLA:CPU. With JAX's options, XLA's facts and known failures, "
      "except those of single releases:\n      ",
      TryAgain(options, jax + "facts=xla_cpu"),
      " --expectations=", suites::ShellQuoted(suites::ExpectationsPath("xla")), "\n");
}

// Returns false if the plugin does not start or cannot run any module.
absl::StatusOr<bool> CheckContract(const std::string& name) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine, backends::MakeBackend(name));
  backends::BackendInfo info = engine->info();
  PrintCheck(info.available, "starts",
             info.available ? info.version : reports::FoldedError(info.error));
  if (!info.available) return false;
  std::string has;
  for (const std::string& word : info.capabilities) absl::StrAppend(&has, " ", word);
  for (const std::string& fact : info.facts) absl::StrAppend(&has, " ", fact);
  if (!has.empty()) std::cout << "       capabilities:" << has << std::endl;
  bool runs = false;
  for (const Step& step : kSteps) {
    // Only steps with valid modules are evidence: an engine may reject everything.
    const bool good = CheckStep(step, *engine);
    runs = runs || (good && step.valid);
  }
  return runs;
}

// Prints how many modules the plugin did not support because it has too few devices.
void PrintMissingDevices(const TryOptions& options, const std::vector<reports::Verdict>& verdicts) {
  int declined = 0, unsupported = 0;
  int64_t devices = 0;
  for (const reports::Verdict& verdict : verdicts) {
    unsupported += verdict.kind == Outcome::kUnsupported;
    declined += verdict.error.devices > 0;
    devices = std::max(devices, verdict.error.devices);
  }
  if (devices == 0) return;
  const std::string more = absl::StrCat(reports::kDevicesOption, devices).substr(1);  // after "?"
  std::cout << "  " << declined << " of " << unsupported
            << " unsupported cases need more devices, set by a client option such as\n      "
            << TryAgain(options, more) << "\n";
}

// If an engine declares no facts, prints facts to declare; for XLA:CPU, those of its target.
void PrintFactSuggestions(const TryOptions& options, const reports::LoadedRun& run) {
  if (absl::c_any_of(run.record.facts, [](const auto& one) { return !one.second.empty(); })) return;
  const int open = static_cast<int>(absl::c_count_if(run.verdicts, [](const auto& verdict) {
    return !verdict.expected && IsInconclusive(verdict.kind);
  }));
  const std::string hint =
      run.verdicts.empty() ? "" : XlaHint(options, run.verdicts[0].backend_version);
  if (!hint.empty()) {
    std::cout << hint;
  } else if (open > 0) {
    std::cout << "  " << open << (open == 1 ? " inconclusive case" : " inconclusive cases")
              << "; the engine declares no facts. Facts that it can declare (backends --facts):"
              << "\n      " << TryAgain(options, "facts=NAME") << "\n";
  }
}

// Refuses --ci in a release of hlocts.
absl::Status CheckRepository(const std::string& plugin) {
  const std::filesystem::path home = HomeFolder(), root = home.parent_path().parent_path();
  std::error_code none;
  const std::string here = std::filesystem::relative(std::filesystem::current_path(), root, none);
  if (!absl::EndsWith(home.string(), "share/hlocts") ||
      (here != "." && here != "bin" && here != "share" && !absl::StartsWith(here, "share/hlocts")))
    return absl::OkStatus();
  return InvalidInput("try --ci: this directory is a release of hlocts; the workflow belongs in ",
                      "the repository of your plugin: cd REPOSITORY; ", ProgramPath(), " try ",
                      suites::ShellQuoted(std::filesystem::absolute(plugin)), " --ci");
}

// Handles --ci: writes a list of the run's failures, and a workflow that checks the plugin against
// the list. If --expectations names a list below the working directory, that list is used
// unchanged. Any other list is copied, and new failures are added to the copy. No file is
// overwritten.
absl::Status PrepareCi(TryOptions& options) {
  SuiteOptions& suite = options.suite;
  const std::string given = suite.expectations;
  const std::optional<std::string> below = Below(given);
  const bool exists = !given.empty() && std::filesystem::exists(given);
  suite.update_expectations = !exists || !below;
  suite.expectations = below.value_or(kList);
  for (const std::string& path : {suite.expectations, std::string(kWorkflow)}) {
    if (std::filesystem::exists(path) && (suite.update_expectations || path == kWorkflow))
      return InvalidInput("try --ci: ", path, ": already exists; ",
                          path == kWorkflow ? "" : "use it (--expectations=" + path + "), ",
                          "remove it, or run without --ci");
  }
  if (!exists || below) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(const std::string list, ReadFile(given));
  return WriteFile(suite.expectations, list);
}

absl::Status WriteWorkflow(const TryOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string text,
                          ReadFile(HomeFolder() + "/ci/score/workflow.yml"));
  const std::string file = options.plugin.substr(0, options.plugin.find('?'));
  const std::string label = options.label.empty() ? LabelOf(options.plugin) : options.label;
  const auto below = Below(file);
  const std::string built = below ? "./" + *below : file;
  const std::string release = kReleaseTarball;
  std::error_code none;
  std::filesystem::create_directories(std::filesystem::path(kWorkflow).parent_path(), none);
  HLOCTS_RETURN_IF_ERROR(WriteFile(
      kWorkflow,
      absl::StrReplaceAll(
          text, {{"@RELEASE@", release},
                 {"@PLUGIN@", built},
                 {"@BACKEND@", suites::ShellQuoted(absl::StrCat(
                                   label, "=pjrt:", built, options.plugin.substr(file.size())))},
                 {"@TIER@", options.suite.tier},
                 {"@EXPECTATIONS@", suites::ShellQuoted(options.suite.expectations)}})));
  if (!below)
    std::cout << "\n" << file << " is outside of this directory: change its path in the workflow";
  std::cout << "\nwritten in " << std::filesystem::current_path().string()
            << ", which must be your plugin's repository: " << kWorkflow
            << (options.suite.update_expectations ? " and " : "; it uses the list ")
            << options.suite.expectations
            << "\n  to do: replace ./build.sh by the command that builds the plugin; put "
            << release
            << " and its SHA256SUMS into the repository, or its address into the workflow"
            << (options.suite.update_expectations ? "; state the reason of each entry" : "") << "\n"
            << "  add to .gitignore: out/, hlocts-release/ and hlocts-score/\n"
            << "JUnit, in any other CI:  run ... --junit=junit.xml  (hlocts help ci)\n";
  return absl::OkStatus();
}

// Prints the command that adds the failures to the run's list, if that is below the working
// directory, or else to a new one. It resumes this run, unless the run had a list, whose entries
// would then be missing, or options that the command lacks.
void PrintListCommand(const TryOptions& options, const reports::LoadedRun& run,
                      const std::string& command) {
  const std::string list = ExpectationsPath(options.suite, run.record.backends[0]);
  const bool reuses = run.record.options.empty() && !std::filesystem::exists(list);
  std::cout << "  write a list of the known failures"
            << (reuses ? " (reuses this run, if the plugin is unchanged):" : ":") << command
            << " --tier=" << options.suite.tier;
  if (reuses) std::cout << " --out=" << suites::ShellQuoted(options.suite.out) << " --resume";
  std::cout << " --expectations="
            << suites::ShellQuoted(Below(options.suite.expectations).value_or(kList))
            << " --update-expectations\n";
}

// Prints the next steps, which depend on the records.
void PrintNextSteps(const TryOptions& options, const std::string& engine) {
  auto run = reports::LoadRun(options.suite.out);
  if (!run.ok()) return;
  const std::string indent = absl::StrCat("\n      ", suites::ShellQuoted(ProgramAsCalled()), " ");
  const std::string run_engine = absl::StrCat("run --backend=", suites::ShellQuoted(engine));
  const std::string out = suites::ShellQuoted(options.suite.out);
  std::cout << "\nNext steps:\n";
  PrintFactSuggestions(options, *run);
  PrintMissingDevices(options, run->verdicts);
  std::vector<const reports::Verdict*> unexpected;
  for (const reports::Verdict& verdict : run->verdicts)
    if (!verdict.expected) unexpected.push_back(&verdict);
  unexpected = reports::InOrderOfCauses(std::move(unexpected));  // as printed above
  const auto first = absl::c_find_if(unexpected, [](const reports::Verdict* verdict) {
    return verdict->kind == Outcome::kFail || verdict->kind == Outcome::kRejected;
  });
  if (!unexpected.empty()) {
    std::cout << "  rerun one failure, step by step (its address, or its beginning up to / : or ,):"
              << indent << "replay " << out << " ADDRESS --explain\n";
    if (first != unexpected.end())
      std::cout << "  report one failure: its smallest module, then the text for the bug tracker"
                << "\n  (of the first " << OutcomeName((*first)->kind) << " above; " << out
                << "/cases has all):" << indent << "shrink " << out << "/cases/"
                << suites::ShellQuoted(suites::FolderNameOfCase((*first)->case_address))
                << " --backend=" << suites::ShellQuoted(engine) << " -o out/small" << indent
                << "report-bug out/small\n";
    if (!options.suite.update_expectations) PrintListCommand(options, *run, indent + run_engine);
  }
  std::cout << "  run tier presubmit (XLA:CPU, two idle cores: about two minutes), as a claim that "
               "others can check;"
            << "\n  a failure, known or not, excludes a level (CONFORMANCE.md):" << indent
            << run_engine << " --tier=presubmit --claim --out=out/claim\n";
  if (!options.ci && options.plugin != engine) {
    std::cout
        << "  run this score in CI (reuses this run, if plugin, suite and list are unchanged):"
        << "\n      " << TryAgain(options, "");
    if (options.out_given) std::cout << " --out=" << out;
    std::string given = options.suite.expectations;
    if (given.empty() && std::filesystem::exists(kList)) given = kList;
    if (!given.empty()) std::cout << " --expectations=" << suites::ShellQuoted(given);
    std::cout << " --ci\n";
    if (given.empty())
      std::cout << "      (if " << kList << " exists by then, with --expectations=" << kList
                << ")\n";
  }
  std::cout << "  write a page of this run:" << indent << "report " << out
            << " --html=report.html\n"
            << "  run random modules:" << indent << "fuzz --backend=" << suites::ShellQuoted(engine)
            << " --time=10m\n"
            << std::flush;
}

// Returns true if the directory of records contains the finished run that the options request: by
// this program, with the same plugin file, suite and known failures.
bool HoldsSameRun(const SuiteOptions& suite) {
  const auto request = MakeSuiteRequest(suite);
  const auto run = reports::LoadRun(suite.out);
  if (!request.ok() || !run.ok() || run->record.finished.empty()) return false;
  reports::RunRecord now = request->record;
  reports::SetMachine(now);
  const auto cases = suites::Sha256OfFolder(HomeFolder() + "/suites/cases");
  const auto lists = LoadExpectations(suite, now.backends);
  const auto plugins = suites::PluginHashes(request->EnginesByName());
  const reports::RunRecord& then = run->record;
  if (!cases.ok() || !lists.ok() || plugins.empty() || then.plugins != plugins ||
      then.suite != *cases || then.program != now.program || then.cpu != now.cpu ||
      !suites::SameRun(then, now) || then.facts != now.facts)
    return false;
  return absl::c_all_of(run->verdicts, [&](const reports::Verdict& earlier) {
    return lists->at(earlier.backend).AppliesAlike(earlier, "");
  });
}

int RunTry(TryOptions options) {
  if (options.plugin.empty()) return Fail(InvalidInput("try: expected the file of a plugin"));
  const auto named = EngineOf(options);
  if (!named.ok()) return Fail(named.status());
  const std::string& engine = *named;
  if (options.ci && options.plugin == engine)
    return Fail(InvalidInput("try --ci: ", engine,
                             ": expected the file of a plugin, which your CI builds"));
  if (absl::Status repository = CheckRepository(options.plugin); options.ci && !repository.ok())
    return Fail(repository);
  options.out_given = !options.suite.out.empty();
  if (!options.out_given) {
    options.suite.out = absl::StrCat(
        "out/try-", suites::FolderNameOfCase(backends::RecordedName(engine).substr(0, 60)));
    if (options.suite.tier != SuiteOptions().tier)  // each request has its own directory
      absl::StrAppend(&options.suite.out, "-", options.suite.tier);
  }
  std::optional<TextAside> aside(options.suite.common.json);
  auto runs = CheckContract(engine);
  if (!runs.ok()) return Fail(runs.status());
  if (!*runs)
    return Fail(absl::UnavailableError(
        absl::StrCat("nothing was scored: ", engine, " could not run any module; see above")));
  const std::string given = options.suite.expectations;
  if (options.ci) {
    if (absl::Status status = PrepareCi(options); !status.ok()) return Fail(status);
  }
  std::cout << "\nThe suite's " << options.suite.tier << " tier, records in " << options.suite.out
            << ":" << std::endl;
  options.suite.backends = {engine};
  options.suite.in_try = true;
  if (options.ci && HoldsSameRun(options.suite)) {
    options.suite.resume = true;
    std::cout << "reused: the directory has this run, of the same plugin file and suite"
              << std::endl;
  }
  aside.reset();  // RunSuite prints JSON lines
  int status = RunSuite(options.suite);
  aside.emplace(options.suite.common.json);
  if (options.ci && (status == kExitOk || status == kExitFailed)) {
    if (absl::Status written = WriteWorkflow(options); !written.ok()) return Fail(written);
  } else if (options.ci) {
    std::error_code none;
    if (!given.empty() && !Below(given))
      std::filesystem::remove(options.suite.expectations, none);  // the copy that PrepareCi made
    std::fprintf(stderr,
                 "hlocts: try --ci: the run is not finished: no files for CI are written\n");
  }
  if (status != kExitUsage && !options.suite.common.json) PrintNextSteps(options, engine);
  return status;
}

}  // namespace

Command TryCommand() {
  return {"try", "check a plugin, run the smoke tier, suggest next steps", [](Flags& flags) {
            auto options = std::make_shared<TryOptions>();
            flags.Positional("PLUGIN", &options->plugin,
                             "file of a PJRT plugin (?options may follow), or an engine");
            flags.Add("--label", &options->label, "name in records (default: that of the file)");
            flags.Add(
                "--out", &options->suite.out,
                "directory for records (default: out/try-LABEL; options of the plugin are added)");
            flags.Add("--resume", &options->suite.resume, "continue an interrupted run in --out");
            flags.AddTier(&options->suite.tier, "tier (hlocts help tiers)");
            flags.Add("--expectations", &options->suite.expectations, "known failures");
            flags.Add("--verbose", &options->suite.verbose,
                      "also print all unexpected verdicts, and how tight the sets were");
            flags.Add("--ci", &options->ci,
                      "write a list of the failures and a GitHub workflow that scores the plugin");
            flags.Add("--jobs", &options->suite.jobs, "parallel cases (default: number of CPUs)",
                      {1, 1024});
            options->suite.common.Declare(flags, /*with_batch=*/false, kOfOneModule);
            return [options] { return RunTry(*options); };
          }};
}

}  // namespace hlocts::tools
