// SPDX-License-Identifier: Apache-2.0
#include "suites/replay.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"
#include "suites/sha256.h"

namespace hlocts::suites {
namespace {

// Files may name code to run (a plugin path, a library). Only a file with a valid tag is trusted: a
// keyed hash, which shows that this user's hlocts wrote the file.

constexpr size_t kSecretBytes = 32;

// Returns the secret key. If several processes create it at once, all use the first one.
std::string Secret() {
  auto cache = backends::EngineCache();
  if (!cache.ok()) return "";
  std::error_code error;
  std::filesystem::create_directories(*cache, error);
  const std::string path = *cache + "/secret";
  if (!std::filesystem::exists(path, error)) {
    char bytes[kSecretBytes];
    const std::string own = absl::StrCat(path, ".", getpid());
    const int fd = open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return "";
    const bool written = getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes) &&
                         write(fd, bytes, sizeof(bytes)) == sizeof(bytes);
    close(fd);
    if (written) static_cast<void>(link(own.c_str(), path.c_str()) == 0);
    unlink(own.c_str());
  }
  auto secret = ReadFile(path);
  return secret.ok() && secret->size() == kSecretBytes ? *secret : "";
}

// Returns a hash of the text and of a secret, which is created on first use in the user's cache
// directory. Returns "" if the secret cannot be stored.
std::string OwnershipTag(const std::string& text) {
  const std::string secret = Secret();
  return secret.empty() ? "" : Sha256(secret + Sha256(secret + text));
}

bool IsOwn(const std::string& text, const std::string& mark) {
  return !mark.empty() && mark == OwnershipTag(text);
}

constexpr char kFolder[] = "{folder}/";

// Arguments that contain paths are stored in the user's cache directory under the name `key`,
// because others may read the directory of the run.
std::string PlacesFile(const std::string& key) {
  auto cache = backends::EngineCache();
  return cache.ok() && !key.empty() ? absl::StrCat(*cache, "/places/", key) : "";
}

// Returns the stored argument that equals `recorded` without its directories, or nullopt if this
// machine has none.
std::optional<std::string> WordWithPath(const std::string& recorded, const std::string& key) {
  // The key must be a hash: otherwise it could name a file outside of the cache.
  if (key.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  const auto words = ReadFile(PlacesFile(key));
  for (absl::string_view word : absl::StrSplit(words.ok() ? *words : "", '\n'))
    if (backends::WithoutFolders(word) == recorded) return std::string(word);
  return std::nullopt;
}

// The arguments of a command of `hlocts`, and the directory for its files.
class CommandLine {
 public:
  explicit CommandLine(std::string folder) : folder_(std::move(folder)) {}
  absl::Status AddFile(const std::string& flag, const std::string& name, const std::string& text) {
    words_.push_back(absl::StrCat(flag, kFolder, name));
    return WriteFile(absl::StrCat(folder_, "/", name), text);
  }
  void Add(const std::string& argument) {
    words_.push_back(backends::WithoutFolders(argument));
    if (words_.back() != argument) absl::StrAppend(&places_, argument, "\n");
  }
  // Adds a value only if it differs from the default of the flag.
  template <typename T>
  void AddUnless(const T& usual, const std::string& flag, const T& value) {
    if (value != usual) Add(absl::StrCat(flag, value));
  }
  // Returns the command for use in the directory of the run.
  std::string text() const {
    const std::string near =
        absl::StrCat("cases/", std::filesystem::path(folder_).filename().string(), "/");
    return absl::StrJoin(words_, " ", [&](std::string* text, const std::string& word) {
      absl::StrAppend(text, ShellQuoted(absl::StrReplaceAll(word, {{kFolder, near}})));
    });
  }
  // Writes {"arguments": ["diff", "{folder}/module.hlo", ...]}.
  absl::Status Write(const Case& one) const {
    nlohmann::ordered_json json = {{"case", one.address}, {"arguments", words_}};
    json["mark"] = OwnershipTag(absl::StrJoin(words_, "\n"));
    const std::string key = places_.empty() ? "" : OwnershipTag(places_);
    if (const std::string file = PlacesFile(key); !file.empty()) {
      json["places"] = key;
      std::error_code error;
      std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
      if (!std::filesystem::exists(file, error)) HLOCTS_RETURN_IF_ERROR(WriteFile(file, places_));
    }
    return WriteFile(absl::StrCat(folder_, "/replay.json"), JsonText(json, 1) + "\n");
  }

 private:
  std::string folder_, places_;  // places_: one line for each argument with a path
  std::vector<std::string> words_ = {"diff"};
};

absl::Status AddData(const Case& one, const Module& module, const backends::LoadOptions& load,
                     CommandLine& line) {
  HLOCTS_ASSIGN_OR_RETURN(backends::ExecuteRequest request, MakeRequest(one, module, load));
  if (!backends::ArgumentLeafShapes(module).empty()) {
    LiteralsFile file = FileOfDevices(request.arguments, load.partitions);
    HLOCTS_RETURN_IF_ERROR(line.AddFile("--inputs=", "inputs.txt", FormatLiterals(file)));
  }
  if (!one.infeed_text.empty()) {
    HLOCTS_RETURN_IF_ERROR(line.AddFile("--infeed=", "infeed.txt", one.infeed_text));
  }
  HLOCTS_ASSIGN_OR_RETURN(auto printed, PrintedResult(one, module, load));
  if (printed.empty()) return absl::OkStatus();
  return line.AddFile("--expect=", "expect.txt", one.expect_text);
}

}  // namespace

std::string ShellQuoted(const std::string& text) {
  if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "/._-=:,+") == std::string::npos) {
    return text;
  }
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

absl::StatusOr<std::string> WriteReplay(const Case& one, const reports::Verdict& verdict,
                                        const std::string& backend,
                                        const backends::DiffOptions& options,
                                        const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::InternalError(absl::StrCat(folder, ": ", error.message()));
  CommandLine line(folder);
  bool reject = !one.reject_rule.empty();
  const std::string& text = verdict.of_control ? one.control_text : one.module_text;
  HLOCTS_RETURN_IF_ERROR(line.AddFile("", verdict.of_control ? "control.hlo" : "module.hlo", text));
  auto module = ParseModule(text);
  if (reject) {
    line.Add(verdict.of_control ? "--seed=1" : "--invalid");
  } else if (module.ok()) {
    backends::LoadOptions load = LoadOptionsOf(one, **module, options.load);
    HLOCTS_RETURN_IF_ERROR(AddData(one, **module, load, line));
    line.AddUnless((*module)->replica_count, "--replicas=", load.replicas);
  }
  const backends::LoadOptions usual;
  line.AddUnless(usual.rng_seed, "--rng-seed=", options.load.rng_seed);
  line.AddUnless(usual.steps_max, "--steps=", options.load.steps_max);
  line.AddUnless(std::string(), "--custom-calls=", options.load.custom_calls);
  line.AddUnless(ProfileName(Profile::kDefault), "--profile=", ProfileName(options.profile));
  line.AddUnless(int64_t{0}, "--cut=", options.cut);
  line.Add(absl::StrCat("--backend=", backend));
  HLOCTS_RETURN_IF_ERROR(line.Write(one));
  return line.text();
}

namespace {

absl::StatusOr<nlohmann::json> ReadReplayFile(const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(folder + "/replay.json"));
  auto json = ParseJson<nlohmann::json>(text);
  bool good = json.is_object() && json["case"].is_string() && json["arguments"].is_array();
  for (const auto& word : good ? json["arguments"] : nlohmann::json::array())
    good = good && word.is_string();
  if (good && !json["arguments"].empty()) return json;
  return InvalidInput(folder, "/replay.json: expected {\"case\": TEXT, \"arguments\": [TEXT...]}");
}

constexpr absl::string_view kEngine = "--backend=";
// Prefixes of arguments that neither write files nor run code of the directory.
constexpr absl::string_view kPlainWords[] = {"{folder}/",
                                             "--inputs={folder}/",
                                             "--infeed={folder}/",
                                             "--expect={folder}/",
                                             "--replicas=",
                                             "--rng-seed=",
                                             "--steps=",
                                             "--profile=",
                                             "--cut=",
                                             "--seed=",
                                             "--invalid"};

bool IsPlain(absl::string_view word) {
  if (absl::ConsumePrefix(&word, kEngine)) return !backends::MayRunUserCode(word);
  return std::any_of(std::begin(kPlainWords), std::end(kPlainWords),
                     [&](absl::string_view one) { return absl::StartsWith(word, one); });
}

// Returns an error if the argument `--backend=` names a plugin file that does not exist.
absl::Status CheckPlugin(const std::string& word, const std::string& folder) {
  const auto name = backends::ParseBackendName(word.substr(kEngine.size()));
  if (!name.ok() || name->name != "pjrt" || std::filesystem::exists(name->argument))
    return absl::OkStatus();
  const std::string label = name->label.empty() ? "" : name->label + "=";
  return InvalidInput(folder, ": the plugin ", name->argument, " of the record does not exist; ",
                      kEngine, label, "pjrt:/path/to/plugin.so names another");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadReplay(const std::string& folder,
                                                    const std::string& backend) {
  HLOCTS_ASSIGN_OR_RETURN(nlohmann::json json, ReadReplayFile(folder));
  auto words = json["arguments"].get<std::vector<std::string>>();
  const auto tag = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const bool own = IsOwn(absl::StrJoin(words, "\n"), tag("mark"));
  for (size_t i = 0; i < words.size(); ++i) {
    const bool engine = absl::StartsWith(words[i], kEngine);
    const bool replaced = !backend.empty() && engine;
    if (replaced) words[i] = absl::StrCat(kEngine, backend);
    if (!own && !replaced && (i == 0 ? words[i] != "diff" : !IsPlain(words[i]))) {
      return absl::FailedPreconditionError(absl::StrCat(
          folder, "/replay.json requests \"", words[i],
          "\" and may be written by others: expected --backend=ENGINE, or a run of your own"));
    }
    if (own && !replaced) words[i] = WordWithPath(words[i], tag("places")).value_or(words[i]);
    if (engine && !replaced) HLOCTS_RETURN_IF_ERROR(CheckPlugin(words[i], folder));
    words[i] = absl::StrReplaceAll(words[i], {{kFolder, folder + "/"}});
  }
  return words;
}

absl::StatusOr<std::string> AddressOfCaseFolder(const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(nlohmann::json json, ReadReplayFile(folder));
  return json["case"].get<std::string>();
}

std::string FolderNameOfCase(const std::string& address) {
  std::string name;
  for (char c : address)
    name.push_back(absl::ascii_isalnum(c) || absl::StrContains("-_=,+", c) ? c : '.');
  return name;
}

}  // namespace hlocts::suites
