// SPDX-License-Identifier: Apache-2.0
#include "backends/backend_list.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/adapters/compiled/compiled_backend.h"
#include "backends/adapters/pjrt/compile_only.h"
#include "backends/engine_list.h"
#include "backends/installed_backend.h"
#include "backends/worker/worker_client.h"
#include "spec/base/nearest.h"
#include "spec/targets/targets.h"

namespace hlocts::backends {

#define HLOCTS_BACKEND(name, Factory, isolation, listed) \
  absl::StatusOr<std::unique_ptr<Backend>> Factory(BackendName name_and_options);
#include "backends/backends.def"
#undef HLOCTS_BACKEND

namespace {

enum class Isolation : uint8_t { kAlways, kOptional, kNever };

struct Row {
  absl::string_view name;
  BackendFactory factory;
  Isolation isolation;
  bool listed;
};

constexpr Row kRows[] = {
#define HLOCTS_BACKEND(name, Factory, isolation, listed) \
  {name, Factory, Isolation::isolation, listed},
#include "backends/backends.def"
#undef HLOCTS_BACKEND
};

const Row* RowOf(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

absl::StatusOr<const Row*> FindRow(const BackendName& name) {
  if (const Row* row = RowOf(name.name)) return row;
  std::vector<absl::string_view> known;
  for (const Row& row : kRows) known.push_back(row.name);
  auto list = LoadEngineList();
  std::vector<std::string> near = list.ok() ? EngineNames(*list) : std::vector<std::string>();
  for (absl::string_view name : known) near.emplace_back(name);
  return absl::NotFoundError(absl::StrCat(
      "backend \"", name.name, "\": expected one of ", absl::StrJoin(known, ", "),
      ", exec:COMMAND, a name that `hlocts engines list` prints, or LABEL= and one of these",
      DidYouMean(name.name, near)));
}

// Returns the release with the given name; nullopt if there is none or backends.def has the name.
absl::StatusOr<std::optional<engines::Engine>> FindRelease(const BackendName& name) {
  if (RowOf(name.name)) return std::nullopt;
  HLOCTS_ASSIGN_OR_RETURN(engines::EngineList list, LoadEngineList());
  const engines::Engine* engine = FindEngine(list, name.name);
  if (!engine) return std::nullopt;
  HLOCTS_RETURN_IF_ERROR(CheckUsable(*engine));
  return *engine;
}

// Returns the label of a backend name: the text before '='; "" if there is none.
absl::string_view LabelOf(absl::string_view text) {
  size_t end = text.find_first_of("=:?");
  return end != absl::string_view::npos && text[end] == '=' ? text.substr(0, end) : "";
}

// Returns an error for a bad label: it is part of file names and must not name a known engine.
absl::Status CheckLabel(absl::string_view label, absl::string_view text) {
  for (char c : label) {
    if (absl::ascii_isalnum(c) || absl::StrContains("-_.", c)) continue;
    return InvalidInput("backend \"", text, "\": expected a label of letters, digits, - _ .");
  }
  if (RowOf(label) || label == "exec" || ListedEngine(label))
    return InvalidInput("backend \"", text, "\": the label ", label,
                        " is the name of an engine; expected another one");
  return absl::OkStatus();
}

std::string OwnProgram() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "hlocts";
}

}  // namespace

std::string BackendName::TakeOption(absl::string_view key) {
  for (auto it = options.begin(); it != options.end(); ++it) {
    if (it->first != key) continue;
    std::string value = it->second;
    options.erase(it);
    return value;
  }
  return "";
}

std::string PluginPath(const std::string& path) {
  const bool is_here = !absl::StrContains(path, '/') && std::filesystem::exists(path);
  return is_here ? "./" + path : path;
}

absl::StatusOr<BackendName> ParseBackendName(absl::string_view text) {
  BackendName result{.text = std::string(text), .label = std::string(LabelOf(text))};
  if (!result.label.empty()) {
    HLOCTS_RETURN_IF_ERROR(CheckLabel(result.label, text));
    text.remove_prefix(result.label.size() + 1);
  }
  size_t colon = text.find(':');
  size_t question = text.find('?');
  if (colon != absl::string_view::npos && colon < question) {
    result.name = std::string(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    if (result.name == "exec") {
      result.argument = std::string(text);
      if (result.argument.empty()) return InvalidInput("backend \"exec:\": expected a command");
      return result;
    }
    question = text.find('?');
    result.argument = std::string(text.substr(0, question));
    if (result.name == "pjrt" && result.argument.empty())
      return InvalidInput("backend \"pjrt:\": expected the path of a plugin after it");
    if (result.name == "pjrt") result.argument = PluginPath(result.argument);
  } else {
    result.name = std::string(text.substr(0, question));
  }
  if (question == absl::string_view::npos) return result;
  for (absl::string_view option :
       absl::StrSplit(text.substr(question + 1), '&', absl::SkipEmpty())) {
    std::pair<std::string, std::string> entry = absl::StrSplit(option, absl::MaxSplits('=', 1));
    if (option.find('=') == absl::string_view::npos) {
      return InvalidInput("backend \"", result.text, "\": expected name=value, found \"", option,
                          "\"");
    }
    result.options.push_back(std::move(entry));
  }
  return result;
}

std::string WithoutFolders(absl::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '/') {
      size_t end = result.find_last_of(" \t='\":?&,;");
      result.resize(end == std::string::npos ? 0 : end + 1);
    } else {
      result += c;
    }
  }
  return result;
}

std::string RecordedName(absl::string_view text) {
  absl::string_view label = LabelOf(text);
  if (label.empty()) return WithoutFolders(text);
  absl::string_view rest = text.substr(label.size() + 1);
  size_t question = rest.find('?');
  bool has_options = question != absl::string_view::npos && !absl::StartsWith(rest, "exec:");
  return absl::StrCat(label, has_options ? WithoutFolders(rest.substr(question)) : "");
}

namespace {

// The options that name no file, run no code and load nothing. Many flags of XLA do: with
// xla_dump_to=NAME it writes files, with others it reads them or starts programs.
constexpr char kPlainOptions[] =
    "client.cpu_device_count client.preallocate deterministic device disable facts fast_math guard "
    "isolation jit kernels libraries math partitioner partitions profile seed strict target tf32 "
    "threads topology typical xla_backend_optimization_level xla_gpu_autotune_level "
    "xla_gpu_force_compilation_parallelism";

bool IsPath(absl::string_view word) {
  return absl::StrContains(word, '/') || absl::StrContains(word, "..");
}

bool IsPlainOption(const std::pair<std::string, std::string>& option) {
  const auto& [key, value] = option;
  const bool is_switch =
      absl::StartsWith(key, "xla_cpu_enable_") || absl::StartsWith(key, "xla_gpu_enable_");
  if (is_switch) return value == "true" || value == "false";
  const std::vector<absl::string_view> plain = absl::StrSplit(kPlainOptions, ' ');
  return !IsPath(value) && std::find(plain.begin(), plain.end(), key) != plain.end();
}

}  // namespace

bool MayRunUserCode(absl::string_view text) {
  const auto name = ParseBackendName(text);
  if (!name.ok() || name->name == "exec" || name->name == "pjrt") return true;
  if (absl::StartsWith(name->argument, "exec:") || IsPath(name->argument)) return true;
  return !std::all_of(name->options.begin(), name->options.end(), IsPlainOption);
}

std::string ReleaseName(const std::string& recorded, absl::string_view version) {
  if (recorded != kThisJax && recorded != "jax") return recorded;
  absl::ConsumePrefix(&version, "jaxlib ");  // "0.10.2 (cpu)", "jaxlib 0.10.2, ..."
  return absl::StrCat("jaxlib@", version.substr(0, version.find_first_of(" ,")));
}

std::string EngineLocationOption(const std::string& recorded, absl::string_view version) {
  const std::string name = recorded.substr(0, recorded.find('?'));
  for (absl::string_view way : {"pjrt:", "exec:"}) {
    if (absl::StartsWith(name, way)) return absl::StrCat("--backend=", way, "/path/to/it");
  }
  const std::string jaxlib = ReleaseName(name, version);
  if (name == kThisJax) return "--backend=" + (ListedEngine(jaxlib) ? jaxlib : "jax");
  const auto parsed = ParseBackendName(recorded);
  if (!parsed.ok()) return "";
  const auto release = FindRelease(*parsed);
  const bool known = RowOf(parsed->name) || !release.ok() || release->has_value();
  if (!known) return absl::StrCat("--backend=", name, "=pjrt:/path/to/plugin.so");
  return MayRunUserCode(recorded) ? "--backend=ENGINE" : "";
}

std::string RedactedArgument(absl::string_view word) {
  constexpr absl::string_view kFlag = "--backend=";
  if (!absl::StartsWith(word, kFlag)) return WithoutFolders(word);
  return absl::StrCat(
      kFlag, absl::StrJoin(
                 RecordedNames(SplitBackendNames({std::string(word.substr(kFlag.size()))})), ","));
}

std::string EngineNameOf(absl::string_view recorded) {
  return std::string(recorded.substr(0, recorded.find_first_of("@:?")));
}

std::vector<std::string> RecordedNames(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) names.push_back(RecordedName(text));
  return names;
}

std::vector<std::string> SplitBackendNames(const std::vector<std::string>& values) {
  std::vector<std::string> names;
  for (const std::string& value : values) {
    bool whole =
        value.find("exec:") != std::string::npos || value.find("pjrt:") != std::string::npos;
    if (whole) {
      names.push_back(value);
      continue;
    }
    for (absl::string_view name : absl::StrSplit(value, ',', absl::SkipEmpty())) {
      names.emplace_back(name);
    }
  }
  return names;
}

namespace {

// Extends the facts of an engine by facts that the user declares; an empty list removes its own.
class DeclaringBackend : public Backend {
 public:
  DeclaringBackend(std::unique_ptr<Backend> engine, std::vector<std::string> facts)
      : engine_(std::move(engine)), facts_(std::move(facts)) {}
  BackendInfo info() override {
    BackendInfo info = engine_->info();
    if (facts_.empty()) info.facts.clear();
    for (const std::string& fact : facts_) {
      std::erase(info.facts, fact);
      info.facts.push_back(fact);  // the last fact overrides others
    }
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    return engine_->Load(module, options);
  }
  RunOutcome Run(const Module& module, const LoadOptions& options,
                 const ExecuteRequest& request) override {
    return engine_->Run(module, options, request);
  }
  absl::StatusOr<std::unique_ptr<Executable>> LoadSerialized(const std::string& module_proto,
                                                             const LoadOptions& options) override {
    return engine_->LoadSerialized(module_proto, options);
  }

 private:
  std::unique_ptr<Backend> engine_;
  std::vector<std::string> facts_;
};

// Parses the name, makes the engine without the option `facts`, and adds the facts of that option.
// legal-noise reads the option itself, since its values depend on the facts.
template <typename Make>
absl::StatusOr<std::unique_ptr<Backend>> MakeDeclaring(const std::string& text, const Make& make) {
  HLOCTS_ASSIGN_OR_RETURN(BackendName name, ParseBackendName(text));
  name.text = RecordedName(text);
  std::vector<std::string> facts;
  const size_t options = name.options.size();
  if (name.name != "legal-noise") {
    auto declared = FactsOfWords(name.TakeOption("facts"));
    if (!declared.ok())
      return Annotate(declared.status(), absl::StrCat("backend \"", name.text, "\""));
    facts = *std::move(declared);
  }
  const bool declares = name.options.size() < options;
  auto engine = make(std::move(name));
  if (!engine.ok() || !declares) return engine;
  return std::make_unique<DeclaringBackend>(*std::move(engine), std::move(facts));
}

absl::StatusOr<std::unique_ptr<Backend>> MakeHere(BackendName name) {
  HLOCTS_ASSIGN_OR_RETURN(std::optional<engines::Engine> release, FindRelease(name));
  name.TakeOption("isolation");
  if (release) return MakeInstalledBackend(std::move(name), *release);
  HLOCTS_ASSIGN_OR_RETURN(const Row* row, FindRow(name));
  if (name.name == "pjrt") SetVariablesOf(name.argument);
  return row->factory(std::move(name));
}

absl::StatusOr<std::unique_ptr<Backend>> MakeIsolated(BackendName name, const std::string& text) {
  const std::string recorded = name.text;
  if (name.name == "exec") {
    return MakeWorkerBackend({recorded, {"/bin/sh", "-c", name.argument}});
  }
  HLOCTS_ASSIGN_OR_RETURN(std::optional<engines::Engine> release, FindRelease(name));
  const bool built = release && IsBuiltIn(*release);
  const bool compiles = release && release->reach() == engines::COMPILE;
  if (release && release->reach() != engines::PJRT && !compiles && !built)
    return MakeReleaseWorker(name, *release);
  Isolation isolated = built ? Isolation::kOptional : Isolation::kAlways;
  const Row* row = nullptr;
  if (!release) {
    HLOCTS_ASSIGN_OR_RETURN(row, FindRow(name));
    isolated = row->isolation;
  }
  std::string isolation = name.TakeOption("isolation");
  if (isolation == "none" && isolated == Isolation::kAlways) {
    return InvalidInput("backend \"", text,
                        "\": isolation=none is only for engines of this project");
  }
  if (built && isolation == "none") return MakeInstalledBackend(std::move(name), *release);
  if (isolated == Isolation::kNever || isolation == "none") return row->factory(std::move(name));
  // Makes an engine of ours in this process as well, in order to report an error in its options.
  // In a worker, such an error would look like an engine that cannot run.
  if (built && !name.options.empty() && !release->opens_device()) {
    HLOCTS_RETURN_IF_ERROR(MakeInstalledBackend(name, *release).status());
  }
  if (!built && isolated == Isolation::kOptional) {
    HLOCTS_RETURN_IF_ERROR(row->factory(std::move(name)).status());
  }
  const std::string flag = absl::StrCat("--backend=", text);
  std::vector<std::string> own = {OwnProgram(), "worker", flag};
  const bool ours = isolated == Isolation::kOptional;
  auto worker =
      MakeWorkerBackend({recorded, ours ? std::move(own) : ThirdPartyWorkerArguments(flag)});
  if (!compiles && !(name.name == "pjrt" && DescribesDevices(name.options))) return worker;
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> reference, MakeBackend("reference"));
  return MakeCompiledBackend(std::move(worker), std::move(reference));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeInProcessBackend(const std::string& text) {
  return MakeDeclaring(text, MakeHere);
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& text) {
  return MakeDeclaring(text, [&](BackendName name) { return MakeIsolated(std::move(name), text); });
}

// External code runs with the system's malloc, as it does for its users. This malloc checks the
// heap and ends a process that has corrupted it. Our code uses the allocator that hlocts is linked
// with.
std::vector<std::string> ThirdPartyWorkerArguments(const std::string& flag) {
  std::vector<std::string> argv = {OwnProgram(), "worker", flag};
#ifdef HLOCTS_ALLOCATOR
  const char* others = std::getenv("LD_PRELOAD");
  std::string preload = "libc.so.6:libstdc++.so.6";
  if (others) absl::StrAppend(&preload, ":", others);
  // Uses sh because `env` would parse a program path that contains '=' as a variable.
  argv.insert(argv.begin(), {"/bin/sh", "-c", "export LD_PRELOAD=\"$0\"; exec \"$@\"", preload});
#endif
  return argv;
}

bool IsThirdParty(const std::string& text) {
  auto name = ParseBackendName(text);
  if (!name.ok()) return true;
  if (const Row* row = RowOf(name->name)) return row->isolation == Isolation::kAlways;
  const auto engine = ListedEngine(name->name);
  return !engine || !IsBuiltIn(*engine);
}

std::vector<std::string> ListedBackends() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    if (row.listed) names.emplace_back(row.name);
  }
  if (const auto list = LoadEngineList(); list.ok()) {
    for (const engines::Engine& engine : list->engine()) {
      if (!engine.alias().empty()) names.push_back(engine.alias());
      if (IsBuiltIn(engine)) names.push_back(engine.name());
    }
  }
  return names;
}

int BoundedJobs(int jobs, const BackendInfo& info) {
  for (absl::string_view word : info.capabilities) {
    int workers = 0;
    if (!absl::ConsumePrefix(&word, "workers:") || !absl::SimpleAtoi(word, &workers)) continue;
    workers = std::max(workers, 1);
    if (workers >= jobs) continue;
    std::fprintf(stderr, "hlocts: %s: %d jobs instead of %d, for which the memory is too small\n",
                 info.name.c_str(), workers, jobs);
    jobs = workers;
  }
  return jobs;
}

}  // namespace hlocts::backends
