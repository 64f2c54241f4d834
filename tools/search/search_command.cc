// SPDX-License-Identifier: Apache-2.0
#include "tools/search/search_command.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"
#include "suites/replay.h"
#include "suites/sha256.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/terminal.h"
#include "tools/search/input_search.h"

namespace hlocts::tools {
namespace {

// Returns a text as a part of a file name, e.g. "results_findings_<x>_module" for
// results/findings/<x>/module. If other texts could have the same name, it ends with a hash.
std::string FileNameOf(absl::string_view text) {
  std::string name(absl::StripPrefix(text, "/"));
  const std::string spelled = absl::StrReplaceAll(name, {{"/", "_"}, {":", "_"}, {"=", "_"}});
  for (char& c : name)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  name.erase(0, std::min(name.find_first_not_of("_."), name.size()));
  if (name.size() > 90) name.erase(0, name.size() - 90);
  return name == spelled ? name : absl::StrCat(name, "-", suites::Sha256(text).substr(0, 8));
}

absl::Status WriteInputs(const backends::ExecuteRequest& request, int64_t partitions,
                         const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return InvalidInput(folder.string(), ": ", error.message());
  return WriteLiterals(FileOfDevices(request.arguments, partitions), LeafRole::kArgument, path);
}

}  // namespace

void SearchFlags::Declare(Flags& flags) {
  flags.AddDuration("--search-time", &seconds_max,
                    "without --inputs: time limit of the search for inputs on which an engine "
                    "fails; with --seed, the search is made only if this is given",
                    &given);
  flags.Add(
      "-o,--output", &output,
      "literals file to write, with the inputs of a failure (several engines: one file for each, "
      "with the engine in its name; default, for those that a search found: "
      "out/diff/NAME.ENGINE.inputs.txt)");
}

std::string InputsFile(const std::string& output, const std::string& module,
                       const std::string& engine, bool is_only) {
  if (output.empty())
    return absl::StrCat("out/diff/",
                        FileNameOf(absl::StripSuffix(
                            std::filesystem::path(module).lexically_normal().string(), ".hlo")),
                        ".", FileNameOf(engine), ".inputs.txt");
  const std::filesystem::path path(output);
  return is_only ? output
                 : absl::StrCat(std::filesystem::path(path).replace_extension().string(), ".",
                                FileNameOf(engine), path.extension().string());
}

bool HasArguments(const Job& job) {
  for (const Shape& shape : ArgumentLeafShapes(*job.module))
    if (shape.IsArray()) return true;
  return false;
}

absl::StatusOr<reports::Verdict> FindInputs(const SearchFlags& flags, std::optional<uint64_t> seed,
                                            size_t engines, const backends::DiffOptions& diff,
                                            const std::string& file, backends::Backend& backend,
                                            Job& job, InputSearch& search) {
  CatchInterrupts();
  StatusLine line;
  SearchOptions options{
      .seed = seed.value_or(1),
      .seconds_max = flags.seconds_max / static_cast<double>(std::max<size_t>(engines, 1)),
      .stop = Interrupted};
  options.progress = [&](const SearchCounts& counts) {
    line.Show(absl::StrFormat("searching: %d inputs, %d regions, %.0f of %.0f s; %s", counts.inputs,
                              counts.regions, counts.seconds, options.seconds_max, counts.search));
  };
  line.Show("searching: the first input");
  SearchResult result = SearchInputs(*job.module, job.request, diff, backend, options);
  line.Clear();
  job.request = std::move(result.request);
  search.seed = options.seed;
  search.counts = result.counts;
  if (!result.failed) return std::move(result.verdict);
  search.name = result.counts.search;
  search.file = KeepInputs(job, diff.load.partitions, file);
  return std::move(result.verdict);
}

std::string KeepInputs(const Job& job, int64_t partitions, const std::string& file) {
  const absl::Status written = WriteInputs(job.request, partitions, file);
  if (written.ok()) return file;
  Fail(Annotate(written, "the inputs found are not kept (-o FILE names another file)"));
  return "";
}

void Confirm(backends::Differ& differ, backends::Backend& backend, reports::Verdict& verdict) {
  const bool found = IsFailure(verdict.kind) && !verdict.backend.empty();
  StatusLine line;
  line.Show("locating the failure");
  reports::Verdict again = differ.Diff(backend);
  if (!found || again.kind == verdict.kind) {
    verdict = std::move(again);
    return;
  }
  verdict.notes.push_back(absl::StrCat("run again on the same inputs: ", OutcomeName(again.kind)));
}

std::string SearchText(const InputSearch& search, const std::string& engine) {
  const SearchCounts& counts = search.counts;
  const std::string text = absl::StrFormat(
      "%d %s in %.1f s (%d passed, %d inconclusive, %d close to the reference's values and not "
      "judged), seed %d",
      counts.inputs, counts.inputs == 1 ? "input" : "inputs", counts.seconds, counts.passed,
      counts.inconclusive, counts.close, search.seed);
  if (search.name.empty())
    return absl::StrCat("no wrong value: ", text, "; --search-time=5m searches longer",
                        absl::StartsWith(engine, "jaxlib") ? ", --backend=xla faster" : "");
  return absl::StrCat("found by \"", search.name, "\": ", text, "; ", search.file);
}

std::string SearchJson(const InputSearch& search) {
  return JsonText(nlohmann::ordered_json{{"name", search.name},
                                         {"seed", search.seed},
                                         {"inputs", search.counts.inputs},
                                         {"passed", search.counts.passed},
                                         {"inconclusive", search.counts.inconclusive},
                                         {"seconds", std::round(search.counts.seconds * 1e3) / 1e3},
                                         {"file", search.file}});
}

std::string CommandOn(const char* command, const std::string& module, const std::string& inputs,
                      const std::string& engine, const std::string& profile) {
  if (inputs.empty()) return "";
  return absl::StrCat(ProgramAsCalled(), " ", command, " ", suites::ShellQuoted(module),
                      " --inputs=", suites::ShellQuoted(inputs),
                      " --backend=", suites::ShellQuoted(engine),
                      profile == "default" ? "" : absl::StrCat(" --profile=", profile));
}

absl::StatusOr<PieceFiles> WritePiece(const backends::WrongPiece& piece, int64_t partitions,
                                      const std::string& inputs_file) {
  const std::string file = std::filesystem::path(inputs_file).replace_extension().string();
  const std::string stem(absl::StripSuffix(file, ".inputs"));
  PieceFiles files{piece.name, stem + ".piece.hlo", stem + ".piece.inputs.txt"};
  HLOCTS_RETURN_IF_ERROR(WriteInputs(piece.request, partitions, files.inputs));
  HLOCTS_RETURN_IF_ERROR(WriteFile(files.module, PrintModule(*piece.module)));
  return files;
}

}  // namespace hlocts::tools
