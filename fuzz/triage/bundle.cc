// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/bundle.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "fuzz/triage/bundle_texts.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/base/json_text.h"
#include "spec/base/version.h"
#include "spec/files/file_io.h"
#include "spec/files/literals_file.h"
#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/proto/convert.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

size_t Bytes(const Files& files) {
  size_t bytes = 0;
  for (const auto& [name, text] : files) bytes += text.size();
  return bytes;
}

// Returns the verdict as text, with the size of the pieces if only a piece shows the failure.
std::string VerdictText(const Bundle& bundle) {
  auto json = ParseJson<nlohmann::ordered_json>(reports::VerdictToJson(bundle.result.verdict));
  if (bundle.result.verdict.localisation.in_piece) json["cut"] = bundle.options.cut;
  if (!bundle.shrunk_from.empty()) json["shrunk_from"] = bundle.shrunk_from;
  if (!bundle.plugin.empty()) {
    json["plugin_sha256"] = bundle.plugin;
    json["hlocts"] = std::string(kVersion);
  }
  return JsonText(json) + "\n";
}

Files FilesOf(const Bundle& bundle, size_t bytes_max) {
  const Module& module = *bundle.sample.module;
  const std::string proto = ProtoWhereTextFails(module);
  Files files = {{"module.hlo", PrintModule(module)},
                 {"inputs.txt", InputsText(bundle.sample)},
                 {"verdict.json", VerdictText(bundle)},
                 {"README.md", BundleReadme(bundle, proto)},
                 {"case_test.cc", BundleTest(bundle, proto)}};
  if (!proto.empty()) files.push_back({kProtoOfModule, proto});
  if (RunsInJax(bundle.backend)) files.push_back({"repro_jax.py", BundleJaxScript(bundle)});
  files.push_back({"actual.txt", FormatLiterals(FileOfDevices(bundle.result.outputs,
                                                              ArgumentPartitions(module)))});
  files.push_back({"expected.jsonl", bundle.expected});
  for (size_t last = files.size() - 1; last >= files.size() - 2 && Bytes(files) > bytes_max; --last)
    files[last].second = "# omitted: the bundle would exceed 64 KB; a replay computes it again\n";
  return files;
}

absl::StatusOr<std::unique_ptr<Module>> ReadModule(const std::string& folder) {
  const std::string proto = absl::StrCat(folder, "/", kProtoOfModule);
  if (!std::filesystem::exists(proto)) {
    HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, LoadModule(folder + "/module.hlo"));
    return std::move(loaded.module);
  }
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(proto));
  auto module = ParseModuleProtoText(text, Malformed::kKept);
  if (!module.ok()) return Annotate(module.status(), proto);
  return module;
}

}  // namespace

std::string InputsText(const Sample& sample) {
  return FormatLiterals(FileOfDevices({sample.arguments}, 1));
}

bool RunsInJax(absl::string_view backend) {
  const absl::string_view name = backend.substr(0, backend.find_first_of(":?@"));
  for (absl::string_view own : {"reference", "cpu", "cuda", "cuda-host", "canary", "legal-noise",
                                "hlo-evaluator", "rewriter", "exec"}) {
    if (name == own) return false;
  }
  const auto engine = backends::ListedEngine(backend);
  return !engine || engine->driver().empty() || engine->driver() == "jaxlib";
}

bool IsPluginFile(absl::string_view backend) {
  return RunsInJax(backend) &&
         absl::StrContains(backends::EngineLocationOption(std::string(backend)), "pjrt:");
}

absl::StatusOr<size_t> WriteBundle(const Bundle& bundle, const std::string& folder,
                                   size_t bytes_max) {
  const Files files = FilesOf(bundle, bytes_max);
  if (Bytes(files) > bytes_max) {
    return absl::ResourceExhaustedError(
        absl::StrCat(folder, ": the bundle has ", Bytes(files), " bytes, more than ", bytes_max));
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::InternalError(absl::StrCat(folder, ": ", error.message()));
  // Files of an earlier bundle would be read as files of this one.
  for (const char* old : {kProtoOfModule, "blame.json"})
    std::filesystem::remove(absl::StrCat(folder, "/", old), error);
  for (const auto& [name, text] : files) {
    HLOCTS_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", name), text));
  }
  return Bytes(files);
}

absl::Status WriteReadmeLine(const std::string& folder, const std::string& line) {
  if (std::filesystem::exists(folder + "/finding.textproto")) return absl::OkStatus();
  const std::string path = folder + "/README.md", name = line.substr(0, line.find(':') + 1);
  std::vector<std::string> lines = absl::StrSplit(ReadFile(path).value_or(""), '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  auto old =
      absl::c_find_if(lines, [&](const std::string& one) { return absl::StartsWith(one, name); });
  if (old == lines.end()) old = std::next(lines.insert(old, {"", ""}));
  *old = line;
  return WriteFile(path, absl::StrJoin(lines, "\n") + "\n");
}

absl::StatusOr<Bundle> ReadBundle(const std::string& folder) {
  Bundle bundle;
  HLOCTS_ASSIGN_OR_RETURN(bundle.sample.module, ReadModule(folder));
  const bool valid = VerifyModule(*bundle.sample.module).ok();
  auto inputs = reports::ReadRecordedLiterals(folder + "/inputs.txt",
                                              backends::ArgumentLeafShapes(*bundle.sample.module));
  // An invalid module is not run, and may have shapes without data.
  if (!inputs.ok() && valid) return inputs.status();
  if (inputs.ok() && !inputs->blocks.empty()) bundle.sample.arguments = inputs->blocks[0].leaves;
  HLOCTS_ASSIGN_OR_RETURN(const std::string text, reports::RecordedVerdict(folder));
  auto verdict = reports::VerdictFromJson(text);
  if (!verdict.ok()) return InvalidInput(folder, ": expected the fields of a verdict");
  const auto profile = ProfileFromName(verdict->profile);
  if (!profile) return InvalidInput(folder, ": unknown profile ", verdict->profile);
  bundle.backend = verdict->backend;
  bundle.options.profile = *profile;
  const auto json = ParseJson<nlohmann::ordered_json>(text);
  bundle.plugin = json.value("plugin_sha256", "");
  bundle.shrunk_from = json.value("shrunk_from", "");
  bundle.options.cut = json.value("cut", int64_t{0});
  // The engine accepted an invalid module, or crashed or hung on it.
  bool may_be_invalid = verdict->kind == Outcome::kCrash || verdict->kind == Outcome::kTimeout;
  bundle.options.invalid = verdict->kind == Outcome::kAccepted || (may_be_invalid && !valid);
  bundle.result.verdict = *std::move(verdict);
  return bundle;
}

RecordedRuns RecordedRunsOf(const reports::Verdict& verdict) {
  RecordedRuns runs;
  for (const auto& [outcome, count] : verdict.runs) {
    runs.all += count;
    if (outcome == OutcomeName(verdict.kind)) runs.failed += count;
  }
  return runs;
}

}  // namespace hlocts::fuzz
