// SPDX-License-Identifier: Apache-2.0
#include "suites/replay.h"

#include <filesystem>

#include "absl/strings/str_replace.h"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"

namespace hlocts::suites {
namespace {

std::string ShellQuoted(const std::string& text) {
  if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "/._-=:,+") == std::string::npos) {
    return text;
  }
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// The arguments of `hlocts`, and the folder that their files lie in.
class CommandLine {
 public:
  explicit CommandLine(std::string folder) : folder_(std::move(folder)) {}
  absl::Status AddFile(const std::string& flag, const std::string& name, const std::string& text) {
    std::string path = absl::StrCat(folder_, "/", name);
    Add(absl::StrCat(flag, path));
    return WriteFile(path, text);
  }
  void Add(const std::string& argument) { absl::StrAppend(&text_, " ", ShellQuoted(argument)); }
  // Only what differs from the default of the command line.
  template <typename T>
  void AddUnless(const T& usual, const std::string& flag, const T& value) {
    if (value != usual) Add(absl::StrCat(flag, value));
  }
  std::string text() const { return "diff" + text_; }

 private:
  std::string folder_, text_;
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
  return line.text();
}

}  // namespace hlocts::suites
