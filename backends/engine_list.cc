// SPDX-License-Identifier: Apache-2.0
#include "backends/engine_list.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "spec/base/python_module.h"
#include "spec/base/version.h"
#include "spec/files/home_folder.h"

namespace hlocts::backends {
namespace {

using engines::Engine;
using engines::EngineList;

class FirstParseError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool IsHash(absl::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

// Returns true if the text can be a directory in the cache and a word on the command line.
bool IsName(absl::string_view text) {
  for (char c : text)
    if (!absl::ascii_isalnum(c) && !absl::StrContains("@.-_", c)) return false;
  return !text.empty() && text[0] != '.' && text[0] != '-';
}

// Returns true if the release is not installed separately, but in the directory of its converter.
bool IsPartOfAnother(const Engine& engine) {
  return engine.reach() == engines::PYTHON && engine.sha256().empty() &&
         !engine.converter().empty();
}

bool IsDate(absl::string_view text) {
  constexpr absl::string_view kForm = "dddd-dd-dd";  // or a month, without the day
  if (text.size() != kForm.size() && text.size() != kForm.size() - 3) return false;
  for (size_t i = 0; i < text.size(); ++i)
    if (kForm[i] == 'd' ? !absl::ascii_isdigit(text[i]) : text[i] != '-') return false;
  return true;
}

// Returns the first error of an entry, apart from conflicts with other entries, or "".
std::string EntryError(const Engine& engine) {
  if (!IsName(engine.name()) || (!engine.alias().empty() && !IsName(engine.alias())))
    return "name: expected letters, digits, @ . - _";
  if (engine.package().empty()) return "package: expected one, found none";
  if (engine.reach() == engines::USER)
    return engine.worker().empty() ? "worker: expected one, found none" : "";
  if (engine.version().empty()) return "version: expected the version of the package, found none";
  if (IsPartOfAnother(engine) || IsBuiltIn(engine)) return "";
  if (!IsHash(engine.sha256()))
    return absl::StrCat("sha256: expected 64 hex digits, found \"", engine.sha256(), "\"");
  if (engine.wheel_mb() <= 0 || engine.disk_mb() <= 0)
    return "wheel_mb, disk_mb: expected sizes above 0";
  for (const auto& [field, words] :
       {std::pair("option", &engine.option()), std::pair("environment", &engine.environment())}) {
    for (const std::string& word : *words) {
      if (!absl::StrContains(word, '='))
        return absl::StrCat(field, ": expected NAME=VALUE, found \"", word, "\"");
    }
  }
  for (const std::string& requirement : engine.requirement()) {
    if (!absl::StrContains(requirement, "==") || !absl::StrContains(requirement, " --hash=sha256:"))
      return absl::StrCat("requirement: expected PACKAGE==VERSION --hash=sha256:HASH, found \"",
                          requirement, "\"");
  }
  if (!engine.date().empty() && !IsDate(engine.date()))
    return absl::StrCat("date: expected YYYY-MM or YYYY-MM-DD, found \"", engine.date(), "\"");
  if (engine.reach() == engines::REACH_UNSPECIFIED) return "reach: expected one, found none";
  const bool loads = engine.reach() == engines::PJRT || engine.reach() == engines::EXEC ||
                     engine.reach() == engines::COMPILE;
  if (loads && engine.library().empty()) return "library: expected a file to load, found none";
  if (engine.reach() == engines::PYTHON && engine.python().empty())
    return "python: expected the version that the engine needs, found none";
  return "";
}

// Returns true if this Python runs the statement, which imports nothing from the working directory.
// Version managers add programs to the path that only report that the version is missing.
bool Runs(const std::string& python, const std::string& statement) {
  if (absl::StrContains(python, '\'')) return false;
  const std::string command =
      absl::StrCat("'", python, "' -c 'import sys; sys.path[:] = filter(None, sys.path); ",
                   statement, "' </dev/null >/dev/null 2>&1");
  std::FILE* pipe = popen(command.c_str(), "r");  // std::system would ignore Ctrl-C meanwhile
  return pipe && pclose(pipe) == 0;
}

// Returns the directories that may contain a program: those of PATH, then those of pyenv.
std::vector<std::string> ProgramFolders(const std::string& python_version) {
  std::string path = Variable("PATH");
  std::vector<std::string> folders = absl::StrSplit(path, ':', absl::SkipEmpty());
  std::string root = Variable("PYENV_ROOT");
  if (root.empty()) root = Variable("HOME") + "/.pyenv";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/versions", none)) {
    if (absl::StartsWith(entry.path().filename().string(), python_version + "."))
      folders.push_back(entry.path().string() + "/bin");
  }
  return folders;
}

// Returns the directory of our own engines that has `library`; "" if there is none.
std::string OwnEnginesFolder(const std::string& library) {
  namespace fs = std::filesystem;
  if (std::string named = Variable("HLOCTS_ENGINES_DIR"); !named.empty()) return named;
  std::error_code none;
  for (fs::path folder = fs::path(ProgramPath()).parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    for (const fs::path& place : {folder / "engines", folder / "lib" / "hlocts"})
      if (fs::exists(place / library, none)) return place.string();
  }
  return "";
}

bool IsPython(const Engine& engine) {
  return engine.reach() == engines::PYTHON || engine.reach() == engines::USER;
}

// Returns true if Python finds the user's package. The package may still fail to load.
bool IsInstalledByUser(const Engine& engine) {
  const std::string python = PythonOf(engine);
  return !python.empty() &&
         Runs(python, absl::StrCat("import importlib.util as u; assert u.find_spec(\"",
                                   engine.package(), "\")"));
}

}  // namespace

bool IsBuiltIn(const Engine& engine) {
  return engine.reach() == engines::BUILD && !engine.library().empty();
}

absl::StatusOr<EngineList> ParseEngineList(const std::string& text, const std::string& path) {
  EngineList list;
  FirstParseError complaint;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&complaint);
  if (!parser.ParseFromString(text, &list)) return InvalidInput(path, ":", complaint.text);
  std::set<std::string> names;
  for (Engine& engine : *list.mutable_engine()) {
    if (IsBuiltIn(engine)) engine.set_version(kVersion);
    std::string wrong = EntryError(engine);
    for (const std::string& name : {engine.name(), engine.alias()}) {
      if (wrong.empty() && !name.empty() && !names.insert(name).second)
        wrong = absl::StrCat("name: expected one entry, found two of ", name);
    }
    if (!wrong.empty()) return InvalidInput(path, ": engine \"", engine.name(), "\": ", wrong);
  }
  return list;
}

absl::StatusOr<EngineList> LoadEngineList() {
  std::string path = HomeFolder() + "/backends/engines.textproto";
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::stringstream text;
  text << in.rdbuf();
  return ParseEngineList(text.str(), path);
}

const Engine* FindEngine(const EngineList& list, absl::string_view name) {
  for (const Engine& engine : list.engine())
    if (engine.name() == name || (!name.empty() && engine.alias() == name)) return &engine;
  return nullptr;
}

std::optional<Engine> ListedEngine(absl::string_view recorded) {
  const auto list = LoadEngineList();
  const Engine* engine =
      list.ok() ? FindEngine(*list, recorded.substr(0, recorded.find('?'))) : nullptr;
  return engine ? std::optional<Engine>(*engine) : std::nullopt;
}

absl::StatusOr<std::string> EngineCache() {
  std::string cache = Variable("HLOCTS_CACHE");
  if (!cache.empty()) return cache;
  cache = Variable("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/hlocts";
  cache = Variable("HOME");
  if (!cache.empty()) return cache + "/.cache/hlocts";
  return absl::UnavailableError("neither HLOCTS_CACHE nor HOME is set: no cache directory");
}

absl::StatusOr<std::string> EngineFolder(const Engine& engine) {
  if (IsBuiltIn(engine)) return OwnEnginesFolder(engine.library());
  HLOCTS_ASSIGN_OR_RETURN(std::string cache, EngineCache());
  if (engine.reach() == engines::BUILD) return absl::StrCat(cache, "/xla-", engine.version());
  return absl::StrCat(cache, "/engines/", engine.name());
}

std::string EngineStamp(const Engine& engine) {
  return absl::StrCat(engine.sha256(), " ", absl::StrJoin(engine.member(), " "), " ",
                      absl::StrJoin(engine.requirement(), " "));
}

namespace {

// Returns false if the engine is a plugin whose library is missing or not an ELF file.
bool HasItsLibrary(const Engine& engine, const std::string& folder) {
  if (engine.reach() != engines::PJRT && engine.reach() != engines::COMPILE) return true;
  std::ifstream in(absl::StrCat(folder, "/", engine.library()), std::ios::binary);
  char magic[4] = {};
  in.read(magic, sizeof(magic));
  return in && absl::string_view(magic, sizeof(magic)) ==
                   "\x7f"
                   "ELF";
}

}  // namespace

bool IsInstalled(const Engine& engine) {
  if (engine.reach() == engines::USER) return IsInstalledByUser(engine);
  if (!engine.converter().empty()) {
    const auto converter = ListedEngine(engine.converter());
    if (!converter || !IsInstalled(*converter)) return false;
    if (IsPartOfAnother(engine)) return true;
  }
  auto folder = EngineFolder(engine);
  if (!folder.ok()) return false;
  std::error_code none;
  if (IsBuiltIn(engine)) return std::filesystem::exists(*folder + "/" + engine.library(), none);
  std::ifstream in(*folder + "/.stamp");
  std::string stamp;
  std::getline(in, stamp);
  // ci/fetch-xla writes its own stamp, which also begins with the hash.
  if (engine.reach() == engines::BUILD) return absl::StartsWith(stamp, engine.sha256());
  return in && stamp == EngineStamp(engine) && HasItsLibrary(engine, *folder);
}

std::string PythonOf(const Engine& engine) {
  static std::mutex mutex;
  static auto* found = new std::map<std::string, std::string>();
  std::lock_guard<std::mutex> lock(mutex);
  auto [place, is_new] = found->try_emplace(engine.python());
  if (!is_new) return place->second;
  // The Python of the package hlocts, which may be outside of PATH, has the user's jaxlib.
  if (engine.python().empty()) place->second = PythonProgram("");
  if (!place->second.empty()) return place->second;
  const std::string wanted = engine.python().empty() ? "3" : engine.python();
  for (const std::string& folder : ProgramFolders(wanted)) {
    std::string program = absl::StrCat(folder, "/python", wanted);
    if (access(program.c_str(), X_OK) == 0 && Runs(program, "0")) return place->second = program;
  }
  return "";
}

bool IsLater(const Engine& engine, const Engine& other) { return engine.date() > other.date(); }

bool HasWorker(const Engine& engine) { return !IsPython(engine) || !engine.worker().empty(); }

absl::Status CheckRunnable(const Engine& engine) {
  if (engine.reach() == engines::BUILD && !IsBuiltIn(engine))
    return absl::UnavailableError(
        absl::StrCat("engine ", engine.name(), " runs as hlo-evaluator in a build with the wheel"));
  if (!HasWorker(engine))
    return absl::UnavailableError(
        absl::StrCat("engine ", engine.name(), " is listed, but hlocts has no worker for it"));
  if (IsPython(engine) && PythonOf(engine).empty())
    return absl::UnavailableError(
        absl::StrCat("engine ", engine.name(), " needs Python ", engine.python()));
  return absl::OkStatus();
}

std::vector<std::string> EngineNames(const EngineList& list) {
  std::set<std::tuple<bool, std::string, std::string>, std::greater<>> ranked;
  for (const Engine& engine : list.engine()) {
    for (const std::string& name : {engine.alias(), engine.name()})
      if (!name.empty()) ranked.emplace(CheckRunnable(engine).ok(), engine.date(), name);
  }
  std::vector<std::string> names;
  for (const auto& [runs, date, name] : ranked) names.push_back(name);
  return names;
}

absl::Status CheckUsable(const Engine& engine) {
  HLOCTS_RETURN_IF_ERROR(CheckRunnable(engine));
  if (IsInstalled(engine)) return absl::OkStatus();
  if (engine.reach() == engines::USER)
    return absl::UnavailableError(absl::StrCat("engine ", engine.name(), ": ", PythonOf(engine),
                                               " has no ", engine.package()));
  if (IsBuiltIn(engine))
    return absl::UnavailableError(absl::StrCat("engine ", engine.name(), " is not built: no ",
                                               engine.library(),
                                               " next to this program or in HLOCTS_ENGINES_DIR"));
  const std::string& word = engine.alias().empty() ? engine.name() : engine.alias();
  return absl::UnavailableError(absl::StrCat("engine ", engine.name(),
                                             " is not installed: hlocts engines install ", word,
                                             ", or set HLOCTS_CACHE to the cache that has it"));
}

absl::StatusOr<std::string> PluginOf(absl::string_view name) {
  HLOCTS_ASSIGN_OR_RETURN(const EngineList list, LoadEngineList());
  const Engine* engine = FindEngine(list, name);
  if (engine == nullptr || (engine->reach() != engines::PJRT && !IsBuiltIn(*engine)))
    return InvalidInput(name, " is not an engine with a PJRT plugin");
  HLOCTS_RETURN_IF_ERROR(CheckUsable(*engine));
  HLOCTS_ASSIGN_OR_RETURN(const std::string folder, EngineFolder(*engine));
  return absl::StrCat(folder, "/", engine->library());
}

}  // namespace hlocts::backends
