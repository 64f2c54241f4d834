// SPDX-License-Identifier: Apache-2.0
#include "backends/installed_backend.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "backends/adapters/pjrt/pjrt_backend.h"
#include "backends/adapters/target_facts.h"
#include "backends/engine_list.h"
#include "backends/worker/worker_client.h"

namespace hlocts::backends {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// The options of the entry, where the name does not say another value, then those of the name.
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

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeInstalledBackend(BackendName name,
                                                              const engines::Engine& engine) {
  if (engine.reach() != engines::PJRT)
    return InvalidInput("backend \"", name.text, "\": not a plugin");
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, EngineFolder(engine));
  PjrtSettings settings;
  settings.name = name.text;
  settings.path = absl::StrCat(folder, "/", engine.library());
  settings.compile_options = Merged(engine, name.options);
  settings.device_count_option = "cpu_device_count";
  settings.version_prefix = absl::StrCat(engine.package(), " ", engine.version(), ", ");
  for (const auto& [key, value] : settings.compile_options)
    absl::StrAppend(&settings.version_prefix, key, "=", value, ", ");
  HLOCTS_ASSIGN_OR_RETURN(settings.facts, TargetFacts(engine.target()));
  return MakePjrtBackendFrom(std::move(settings));
}

absl::StatusOr<std::unique_ptr<Backend>> MakeReleaseWorker(const BackendName& name,
                                                           const engines::Engine& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, EngineFolder(engine));
  std::vector<std::string> argv;
  if (engine.reach() == engines::PYTHON) {
    // -I: nothing of the user's own Python is met; -B: nothing is written beside the sources.
    argv = {PythonOf(engine), "-IB", absl::StrCat(EnginesHome(), "/", engine.worker()), folder};
  } else if (engine.reach() == engines::EXEC) {
    argv = {absl::StrCat(folder, "/", engine.library())};
  } else {
    return InvalidInput("backend \"", name.text, "\": not a worker");
  }
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> facts, TargetFacts(engine.target()));
  for (const std::string& fact : facts) argv.push_back(absl::StrCat("--fact=", fact));
  for (const auto& [key, value] : Merged(engine, name.options))
    argv.push_back(absl::StrCat(key, "=", value));
  return MakeWorkerBackend({name.text, std::move(argv)});
}

}  // namespace hlocts::backends
