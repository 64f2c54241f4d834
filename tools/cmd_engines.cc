// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts engines`: lists, installs and removes releases of engines by name.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/adapters/xla_library.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/base/nearest.h"
#include "spec/files/home_folder.h"
#include "tools/cli/child.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;
using engines::Engine;
using engines::EngineList;

struct EnginesOptions {
  std::vector<std::string> words;  // the action, then names of engines
  bool json = false;
};

// Returns why our engine for a device cannot run here, e.g. without GPU code, or a rewriter.
std::string WhyUnusable(const Engine& engine) {
  if (engine.worker().find("rewriter") != std::string::npos)
    return std::string(backends::CheckXlaLibrary().message());
  if (!engine.opens_device() || !backends::IsBuiltIn(engine) || !backends::IsInstalled(engine))
    return "";
  auto backend = backends::MakeBackend(engine.name());
  if (!backend.ok()) return ErrorOf(backend.status()).Text();
  const backends::BackendInfo info = (*backend)->info();
  return info.available ? "" : info.error.Text();
}

std::string StateOf(const Engine& engine) {
  if (!backends::HasWorker(engine)) return "no worker yet";
  if (engine.reach() == engines::PYTHON && backends::PythonOf(engine).empty())
    return absl::StrCat("needs Python ", engine.python());
  return backends::IsInstalled(engine) ? "installed" : "not installed";
}

void Print(Engine engine, bool json) {
  const std::string why = WhyUnusable(engine);
  absl::StatusOr<std::string> path = InvalidInput("not a plugin");
  if (engine.reach() == engines::PJRT || backends::IsBuiltIn(engine))
    path = backends::PluginOf(engine.name());
  const std::string state = why.empty() ? StateOf(engine) : "not usable here";
  if (!why.empty()) engine.set_note(absl::StrCat(engine.note(), "; ", why));
  if (!json) {
    // An installation of the engine also installs its converter.
    if (const auto converter = backends::ListedEngine(engine.converter());
        converter && !backends::IsInstalled(*converter)) {
      engine.set_wheel_mb(engine.wheel_mb() + converter->wheel_mb());
      engine.set_disk_mb(engine.disk_mb() + converter->disk_mb());
    }
    absl::PrintF("%-16s %-17s %5d MB %6d MB  %-12s %s %s", engine.name(), state, engine.wheel_mb(),
                 engine.disk_mb(), engine.licence().empty() ? "none stated" : engine.licence(),
                 engine.package(), engine.version());
    if (!engine.alias().empty()) absl::PrintF(" (`%s`)", engine.alias());
    absl::PrintF("%s%s", engine.note().empty() ? "" : ": ", engine.note());
    const std::string options = absl::StrJoin(engine.option(), ", ");
    absl::PrintF("%s%s\n", options.empty() ? "" : "; adds ", options);
    if (path.ok()) absl::PrintF("    %s\n", *path);
    return;
  }
  nlohmann::ordered_json line = {{"name", engine.name()},
                                 {"state", state},
                                 {"package", engine.package()},
                                 {"version", engine.version()},
                                 {"sha256", engine.sha256()},
                                 {"wheel_mb", engine.wheel_mb()},
                                 {"disk_mb", engine.disk_mb()},
                                 {"licence", engine.licence()},
                                 {"reach", engines::Reach_Name(engine.reach())},
                                 {"python", engine.python()},
                                 {"options", nlohmann::ordered_json::array()},
                                 {"target", engine.target()},
                                 {"alias", engine.alias()},
                                 {"note", engine.note()}};
  if (path.ok()) line["path"] = *path;
  for (const std::string& option : engine.option()) line["options"].push_back(option);
  std::cout << JsonText(line) << std::endl;
}

int List(const EngineList& list, bool json) {
  if (!json)
    std::printf("%-16s %-17s %8s %9s  %-12s %s\n", "NAME", "STATE", "DOWNLOAD", "DISK", "LICENCE",
                "WHEEL");
  std::vector<Engine> engines(list.engine().begin(), list.engine().end());
  if (!json) std::stable_partition(engines.begin(), engines.end(), backends::IsInstalled);
  for (const Engine& engine : engines) Print(engine, json);
  return kExitOk;
}

// Runs a script of this project, whose messages the user sees.
absl::Status RunScript(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"bash", absl::StrCat(HomeFolder(), "/ci/", script)};
  if (!fs::exists(words[1])) return absl::UnavailableError(words[1] + " is missing");
  words.insert(words.end(), arguments.begin(), arguments.end());
  HLOCTS_ASSIGN_OR_RETURN(int status, RunChild(words));
  if (status == 0) return absl::OkStatus();
  return absl::UnavailableError("the engine was not installed; nothing was changed");
}

absl::Status Install(const Engine& engine) {
  if (backends::IsBuiltIn(engine))
    return absl::UnavailableError("is not installed, but comes with a build of backends/engine");
  if (engine.reach() == engines::BUILD) return RunScript("fetch-xla", {});
  if (engine.reach() == engines::USER)
    return absl::UnavailableError(
        absl::StrCat("is installed with pip: pip install ", engine.package()));
  if (engine.sha256().empty()) return absl::OkStatus();  // installed as a part of another engine
  HLOCTS_RETURN_IF_ERROR(backends::CheckRunnable(engine));
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, backends::EngineFolder(engine));
  // A stamp without the library's files does not prove an installation.
  std::error_code none;
  if (!backends::IsInstalled(engine)) fs::remove(folder + "/.stamp", none);
  std::vector<std::string> arguments = {
      "--target=" + folder,
      "--stamp=" + backends::EngineStamp(engine),
      "--package=" + engine.package(),
      "--version=" + engine.version(),
      "--sha256=" + engine.sha256(),
      absl::StrCat("--mb=", engine.wheel_mb() + engine.disk_mb())};
  if (!engine.python().empty()) arguments.push_back("--python=" + engine.python());
  for (const std::string& member : engine.member()) arguments.push_back("--member=" + member);
  for (const std::string& other : engine.requirement())
    arguments.push_back("--requirement=" + other);
  return RunScript("fetch-engine", arguments);
}

absl::Status InstallAll(const std::vector<const Engine*>& engines) {
  int64_t download = 0, disk = 0;
  for (const Engine* engine : engines) {
    if (backends::IsInstalled(*engine)) continue;
    absl::PrintF("%s: %s %s, %d MB to download, %d MB on disk, licence %s\n", engine->name(),
                 engine->package(), engine->version(), engine->wheel_mb(), engine->disk_mb(),
                 engine->licence().empty() ? "not stated by the wheel" : engine->licence());
    download += engine->wheel_mb();
    disk += engine->disk_mb();
  }
  absl::PrintF("total: %d MB to download, %d MB on disk\n", download, disk);
  std::fflush(stdout);
  absl::Status status;
  for (const Engine* engine : engines) {
    status.Update(Annotate(Install(*engine), engine->name()));
    if (absl::StatusOr<std::string> path = backends::PluginOf(engine->name()); path.ok())
      std::printf("%s: %s\n", engine->name().c_str(), path->c_str());
  }
  return status;
}

absl::Status RemoveFolder(const fs::path& folder) {
  std::error_code error;
  fs::remove(folder / ".stamp", error);  // an interrupted removal leaves no installed engine
  fs::remove_all(folder, error);
  if (error) return absl::UnavailableError(absl::StrCat(folder.string(), ": ", error.message()));
  return absl::OkStatus();
}

absl::Status Remove(const Engine& engine) {
  HLOCTS_ASSIGN_OR_RETURN(std::string folder, backends::EngineFolder(engine));
  if (engine.reach() == engines::BUILD)
    return InvalidInput("engine ", engine.name(), " is part of a build of hlocts: its directory ",
                        folder, " is not removed");
  if (!fs::exists(folder)) {
    std::printf("%s is not installed\n", engine.name().c_str());
    return absl::OkStatus();
  }
  HLOCTS_RETURN_IF_ERROR(RemoveFolder(folder));
  std::printf("%s removed\n", engine.name().c_str());
  return absl::OkStatus();
}

// Returns true if an installation in progress uses `folder`. An installation of NAME works in
// .NAME.XXXXXX and locks .NAME.lock.
bool IsInstalling(const fs::path& folder) {
  std::string name = folder.filename();
  if (name[0] != '.') return false;
  fs::path lock = folder.parent_path() / (name.substr(0, name.rfind('.')) + ".lock");
  int fd = open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool held = flock(fd, LOCK_EX | LOCK_NB) != 0;
  close(fd);
  return held;
}

// Removes directories that match no entry of the list: of releases whose entry was removed or
// changed, and of killed installations.
absl::Status Prune(const EngineList& list) {
  HLOCTS_ASSIGN_OR_RETURN(std::string cache, backends::EngineCache());
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache + "/engines", none)) {
    std::string name = entry.path().filename();
    const Engine* engine = backends::FindEngine(list, name);
    if (!entry.is_directory() || IsInstalling(entry.path())) continue;
    if (engine && backends::IsInstalled(*engine)) continue;
    HLOCTS_RETURN_IF_ERROR(RemoveFolder(entry.path()));
    std::printf("%s removed\n", name.c_str());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<const Engine*>> Named(const EngineList& list,
                                                 const std::vector<std::string>& words) {
  std::vector<const Engine*> named;
  for (size_t i = 1; i < words.size(); ++i) {
    const Engine* engine = backends::FindEngine(list, words[i]);
    if (!engine)
      return InvalidInput("engines: expected a name that `hlocts engines list` prints, found \"",
                          words[i], "\"", DidYouMean(words[i], backends::EngineNames(list)));
    // The converter that an engine needs must be installed before the engine.
    const Engine* converter = backends::FindEngine(list, engine->converter());
    bool is_there = std::find(named.begin(), named.end(), converter) != named.end();
    if (converter && words[0] == "install" && !is_there) named.push_back(converter);
    named.push_back(engine);
  }
  return named;
}

absl::Status Change(const EngineList& list, const std::vector<std::string>& words) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<const Engine*> named, Named(list, words));
  if (words[0] == "prune")
    return named.empty() ? Prune(list) : InvalidInput("engines prune: expected no name");
  if (named.empty()) return InvalidInput("engines ", words[0], ": expected a name");
  if (words[0] == "install") return InstallAll(named);
  absl::Status status;
  for (const Engine* engine : named) status.Update(Remove(*engine));
  return status;
}

int RunEngines(const EnginesOptions& options) {
  auto list = backends::LoadEngineList();
  if (!list.ok()) return Fail(list.status());
  const std::string action = options.words.empty() ? "list" : options.words[0];
  if (action == "list" && options.words.size() > 1)
    return Fail(InvalidInput("engines list: expected no name, found \"", options.words[1], "\""));
  if (action == "list") return List(*list, options.json);
  if (action != "install" && action != "remove" && action != "prune")
    return Fail(
        InvalidInput("engines: expected list, install, remove or prune, found \"", action, "\""));
  absl::Status status = Change(*list, options.words);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace

Command EnginesCommand() {
  return {"engines", "list, install and remove releases of engines", [](Flags& flags) {
            auto options = std::make_shared<EnginesOptions>();
            flags.Positional("ACTION", &options->words,
                             "list; install NAME...; remove NAME...; prune",
                             {"list", "install", "remove", "prune"});
            flags.Add("--json", &options->json, "list: print JSON lines");
            return [options] { return RunEngines(*options); };
          }};
}

}  // namespace hlocts::tools
