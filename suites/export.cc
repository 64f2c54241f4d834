// SPDX-License-Identifier: Apache-2.0
#include "suites/export.h"

#include <filesystem>

#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "spec/files/module_file.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"

namespace hlocts::suites {
namespace {

using Json = nlohmann::ordered_json;

// The directory of one case, and the names of its files for the manifest.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  absl::Status Make() {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    return error ? absl::InternalError(absl::StrCat(path_, ": ", error.message()))
                 : absl::OkStatus();
  }
  absl::Status Write(const std::string& name, const std::string& content) {
    return WriteFile(Name(name), content);
  }
  // Returns the path of a file and adds its name to the list.
  std::string Name(const std::string& name) {
    names_.push_back(name);
    return absl::StrCat(path_, "/", name);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

absl::Status WriteModule(const Case& one, const Module& module, Folder& folder) {
  HLOCTS_RETURN_IF_ERROR(folder.Write("module.hlo", one.module_text));
  return SaveModule(module, {.format = ModuleFormat::kProto}, folder.Name("module.pb"));
}

absl::Status WriteInputs(const Case& one, const backends::ExecuteRequest& request,
                         int64_t partitions, Folder& folder) {
  if (!request.arguments.empty() && !request.arguments[0].empty()) {
    LiteralsFile file = FileOfDevices(request.arguments, partitions);
    for (const char* name : {"inputs.txt", "inputs.npz"}) {
      HLOCTS_RETURN_IF_ERROR(WriteLiterals(file, LeafRole::kArgument, folder.Name(name)));
    }
  }
  if (!one.infeed_text.empty()) {
    HLOCTS_RETURN_IF_ERROR(folder.Write("infeed.txt", one.infeed_text));
  }
  return one.expect_text.empty() ? absl::OkStatus() : folder.Write("expect.txt", one.expect_text);
}

// Writes the sets. Returns "", or the reason why there are none.
absl::StatusOr<std::string> WriteSets(backends::Differ& differ, const backends::LoadOptions& load,
                                      Folder& folder) {
  for (int64_t d = 0; d < load.replicas * load.partitions; ++d) {
    auto sets = differ.Acceptance(d);
    if (!sets.ok()) return std::string(sets.status().message());
    std::string name = d == 0 ? "expected.jsonl"
                              : absl::StrCat("expected.r", d / load.partitions, ".p",
                                             d % load.partitions, ".jsonl");
    HLOCTS_RETURN_IF_ERROR(folder.Write(name, AcceptanceToJsonl(**sets)));
  }
  return std::string();
}

absl::Status ExportRun(const Case& one, backends::DiffOptions options, Folder& folder, Json& line) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseModule(one.module_text));
  options.load = LoadOptionsOf(one, *module, options.load);
  line["devices"] = {{"replicas", options.load.replicas}, {"partitions", options.load.partitions}};
  HLOCTS_RETURN_IF_ERROR(WriteModule(one, *module, folder));
  HLOCTS_ASSIGN_OR_RETURN(backends::ExecuteRequest request,
                          MakeRequest(one, *module, options.load));
  HLOCTS_RETURN_IF_ERROR(WriteInputs(one, request, options.load.partitions, folder));
  backends::Differ differ(*module, request, options);
  HLOCTS_ASSIGN_OR_RETURN(std::string inconclusive, WriteSets(differ, options.load, folder));
  if (!inconclusive.empty()) line["inconclusive"] = inconclusive;
  return absl::OkStatus();
}

absl::Status ExportReject(const Case& one, Folder& folder, Json& line) {
  line["rule"] = one.reject_rule;
  HLOCTS_RETURN_IF_ERROR(folder.Write("control.hlo", one.control_text));
  auto module = ParseModule(one.module_text);
  // A text that cannot be parsed has no proto form.
  if (!module.ok()) return folder.Write("module.hlo", one.module_text);
  return WriteModule(one, **module, folder);
}

}  // namespace

absl::StatusOr<std::string> ExportCase(const Case& one, const backends::DiffOptions& options,
                                       const std::string& out) {
  const std::string name = absl::StrReplaceAll(one.address, {{"/", "."}});
  Folder folder(absl::StrCat(out, "/", name));
  HLOCTS_RETURN_IF_ERROR(folder.Make());
  const bool reject = !one.reject_rule.empty();
  Json line = {
      {"case", one.address},    {"operation", one.operation}, {"opcode", one.opcode},
      {"clauses", one.clauses}, {"tier", TierName(one.tier)}, {"kind", reject ? "reject" : "run"},
      {"folder", name}};
  HLOCTS_RETURN_IF_ERROR(reject ? ExportReject(one, folder, line)
                                : ExportRun(one, options, folder, line));
  line["files"] = folder.names();
  return JsonText(line);
}

}  // namespace hlocts::suites
