// SPDX-License-Identifier: Apache-2.0
#include "backends/installed_backend.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/adapters/pjrt/compile_only.h"
#include "backends/adapters/pjrt/pjrt_backend.h"
#include "backends/engine_list.h"
#include "backends/worker/worker_client.h"
#include "spec/files/home_folder.h"
#include "spec/targets/targets.h"

namespace hlocts::backends {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// Returns the options of the entry that `given` does not override, then those of `given`.
Options Merged(const engines::Engine& engine, const Options& given) {
  Options merged;
  for (const std::string& option : engine.option()) {
    std::pair<std::string, std::string> entry = absl::StrSplit(option, absl::MaxSplits('=', 1));
    bool overruled = std::any_of(given.begin(), given.end(),
                                 [&](const auto& own) { return own.first == entry.first; });
    if (!overruled) merged.push_back(std::move(entry));
  }
  merged.insert(merged.end(), given.begin(), given.end());
  return merged;
}

// Returns the version of a release for records: the package, its version, all options in effect,
// and how many processors the engine may use, since XLA splits its work among them. A worker of a
// USER entry replaces {version}.
std::string VersionOf(const engines::Engine& engine, const Options& options) {
  const std::string version = engine.version().empty() ? "{version}" : engine.version();
  std::string text = absl::StrCat(engine.package(), " ", version);
  for (const auto& [key, value] : options) absl::StrAppend(&text, ", ", key, "=", value);
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
    absl::StrAppend(&text, ", processors=", CPU_COUNT(&processors));
  return text;
}

absl::StatusOr<std::string> ConverterFolder(const engines::Engine& engine) {
  if (engine.converter().empty()) return "";
  HLOCTS_ASSIGN_OR_RETURN(engines::EngineList list, LoadEngineList());
  const engines::Engine* converter = FindEngine(list, engine.converter());
  if (!converter)
    return InvalidInput("engine ", engine.name(), ": unknown converter ", engine.converter());
  HLOCTS_RETURN_IF_ERROR(CheckUsable(*converter));
  return EngineFolder(*converter);
}

// Returns the command of a Python worker. Option -I hides the user's own packages, so it is omitted
// for USER entries. Option -B prevents Python from writing files next to the sources.
absl::StatusOr<std::vector<std::string>> PythonWorker(const engines::Engine& engine,
                                                      const std::string& folder) {
  const bool own = engine.reach() == engines::USER;
  HLOCTS_ASSIGN_OR_RETURN(std::string converter, ConverterFolder(engine));
  std::vector<std::string> argv = {PythonOf(engine), own ? "-B" : "-IB",
                                   absl::StrCat(HomeFolder(), "/", engine.worker()),
                                   "--engine=" + engine.driver()};
  if (!own) argv.push_back("--folder=" + folder);
  if (!converter.empty()) {
    argv.push_back("--converter=" + converter);
    argv.push_back("--via=rewriter:" + engine.converter());
  }
  return argv;
}

}  // namespace

Options OptionsInEffect(const std::string& recorded) {
  const auto name = ParseBackendName(recorded);
  if (!name.ok()) return {};
  const auto engine = ListedEngine(name->name == kThisJax ? "jax" : name->name);
  return !engine ? name->options : Merged(*engine, name->options);
}

Options CompileOptionsOf(const std::string& recorded) {
  Options options = OptionsInEffect(recorded);
  std::erase_if(options, [](const auto& option) {
    const std::string& key = option.first;
    return key == "facts" || key == "isolation" || key == "partitioner" || key == "target" ||
           absl::StartsWith(key, "topology") || absl::StartsWith(key, "client.");
  });
  return options;
}

std::string CompileOptionsText(const std::string& recorded) {
  const Options options = CompileOptionsOf(recorded);
  if (options.empty()) return "none (the plugin's own defaults)";
  return absl::StrJoin(options, ", ", absl::PairFormatter("="));
}

void SetVariablesOf(const std::string& library) {
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const auto list = LoadEngineList();
  if (!list.ok()) return;
  for (const engines::Engine& engine : list->engine()) {
    if (name(engine.library()) != name(library)) continue;
    for (const std::string& variable : engine.environment()) {
      const std::pair<std::string, std::string> entry =
          absl::StrSplit(variable, absl::MaxSplits('=', 1));
      setenv(entry.first.c_str(), entry.second.c_str(), /*overwrite=*/0);
    }
  }
}

absl::StatusOr<std::vector<std::string>> ConvertedModuleCommand(const engines::Engine& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, EngineFolder(engine));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> argv, PythonWorker(engine, folder));
  argv.insert(argv.end(), {"--name=" + engine.name(), "--version=", "--reached"});
  return argv;
}

absl::StatusOr<std::unique_ptr<Backend>> MakeInstalledBackend(BackendName name,
                                                              const engines::Engine& engine) {
  const bool ours = IsBuiltIn(engine);
  const bool compiles = engine.reach() == engines::COMPILE;
  if (engine.reach() != engines::PJRT && !compiles && !ours)
    return InvalidInput("backend \"", name.text, "\": expected an engine that is a plugin");
  SetVariablesOf(engine.library());
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, EngineFolder(engine));
  PjrtSettings settings{.name = name.text, .path = absl::StrCat(folder, "/", engine.library())};
  // Our plugins accept these options as client options too, so that a wrong option is reported
  // before any module is compiled.
  (ours ? settings.client_options : settings.compile_options) = Merged(engine, name.options);
  settings.device_count_option = "cpu_device_count";
  if (!ours) {
    settings.version_prefix = absl::StrCat(VersionOf(engine, settings.compile_options), ", ");
  }
  HLOCTS_ASSIGN_OR_RETURN(settings.facts, FactsOfWords(engine.target()));
  HLOCTS_RETURN_IF_ERROR(TakePartitioner(settings));
  if (ours) return OpenPjrtBackend(std::move(settings));
  if (compiles) return MakeCompileOnlyBackend(std::move(settings));
  return MakePjrtBackendFrom(std::move(settings));
}

absl::StatusOr<std::unique_ptr<Backend>> MakeReleaseWorker(const BackendName& name,
                                                           const engines::Engine& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, EngineFolder(engine));
  std::vector<std::string> argv;
  const Options options = Merged(engine, name.options);
  if (engine.reach() == engines::EXEC) {
    argv = {absl::StrCat(folder, "/", engine.library())};
  } else {
    HLOCTS_ASSIGN_OR_RETURN(argv, PythonWorker(engine, folder));
  }
  argv.push_back("--name=" + name.text);
  argv.push_back("--version=" + VersionOf(engine, options));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> facts, FactsOfWords(engine.target()));
  for (const std::string& fact : facts) argv.push_back(absl::StrCat("--fact=", fact));
  for (const auto& [key, value] : options) argv.push_back(absl::StrCat(key, "=", value));
  return MakeWorkerBackend({name.text, std::move(argv)});
}

}  // namespace hlocts::backends
