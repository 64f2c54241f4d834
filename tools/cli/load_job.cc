// SPDX-License-Identifier: Apache-2.0
// Loads a module and its arguments from all forms that the command line accepts.
#include "tools/cli/load_job.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "generators/arguments.h"
#include "generators/input_recipes.h"
#include "generators/module_generator.h"
#include "spec/files/file_io.h"
#include "spec/infer/collective.h"
#include "spec/infer/verifier.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/limits.h"
#include "tools/cli/stablehlo.h"

namespace hlocts::tools {
namespace {

constexpr auto kKindCount = static_cast<int64_t>(std::size(kInputKinds));
constexpr int64_t kInputs = 12;  // at least
// Consecutive seeds deal the special values of a type, at most 64, in rounds. Twice as many
// elements contain a whole round, whatever the first seed is.
constexpr int64_t kEdgeElements = 128;

namespace fs = std::filesystem;

absl::Status CheckMemory(const std::vector<Shape>& leaves, const CommonOptions& options) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].HasUnboundedDimension())
      return Unsupported("argument ", i, ", ", leaves[i].ToString(),
                         ": the size has no bound; expected a size, or a bound as in f32[<=8]");
  }
  int64_t bytes = Shape::Tuple(leaves).StorageSizeBytes();
  if (bytes <= options.memory_bytes_max) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the arguments need ", BytesText(bytes), ", but the budget is ",
                   BytesText(options.memory_bytes_max), ": --memory"));
}

absl::StatusOr<LoadedModule> OpenGenerated(absl::string_view address, const std::string& path) {
  std::pair<std::string, std::string> parts = absl::StrSplit(address, absl::MaxSplits(':', 1));
  uint64_t seed = 0, number = 0;
  if (!absl::SimpleAtoi(parts.first, &seed) || !absl::SimpleAtoi(parts.second, &number))
    return InvalidInput(path, ": expected generated:SEED:NUMBER");
  generators::Generated generated =
      generators::GenerateNumbered(seed, number, generators::GeneratorOptions());
  return LoadedModule{.module = std::move(generated.module),
                      .arguments = std::move(generated.arguments)};
}

// Reads a file with HLO in any form or StableHLO.
absl::StatusOr<LoadedModule> OpenFile(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  if (!LooksLikeMlir(content)) return ParseModuleFile(path, content);
  LoadedModule loaded;
  HLOCTS_ASSIGN_OR_RETURN(loaded.module, ReadStablehlo(path, content));
  return loaded;
}

// Returns the path of the module in the directory of a bundle or of a case, else "".
std::string ModuleIn(const std::string& folder) {
  for (const char* name : {"module.pbtxt", "module.hlo", "control.hlo"}) {
    std::string path = absl::StrCat(folder, "/", name);
    if (fs::exists(path)) return path;
  }
  return "";
}

std::string FileIn(const std::string& folder, const char* name) {
  std::string path = absl::StrCat(folder, "/", name);
  return fs::exists(path) ? path : "";
}

// Returns true if the path looks like an address (an operation and a case) and no such file exists.
bool LooksLikeAddress(const std::string& path) {
  size_t slash = path.find('/'), colon = path.find(':');
  const bool named = slash < colon || absl::StrContains(path, ".case:");
  return named && colon != path.npos && !fs::exists(path);
}

absl::StatusOr<suites::Case> CaseAt(const std::string& address) {
  if (absl::StrContains(address, ".case:")) return suites::CaseOfFile(address);
  HLOCTS_ASSIGN_OR_RETURN(std::vector<suites::Case> cases,
                          suites::SelectCases({address}, suites::Tier::kExhaustive));
  if (cases.size() == 1) return std::move(cases[0]);
  for (suites::Case& one : cases)
    if (one.address == address) return std::move(one);
  return InvalidInput(address, ": expected the address of one case, found those of ", cases.size(),
                      ", such as ", cases[0].address);
}

absl::StatusOr<LoadedModule> OpenCase(const suites::Case& one) {
  LoadedModule loaded;
  auto module = ParseModule(one.module_text);
  if (!module.ok()) return Annotate(module.status(), one.address);
  loaded.module = *std::move(module);
  if (one.replicas > 0) loaded.module->replica_count = one.replicas;
  return loaded;
}

// Adds all data of a case, for the number of devices that the options request.
absl::Status AddCaseData(const suites::Case& one, const CommonOptions& options, Job& job) {
  backends::LoadOptions load = options.ToLoadOptions(*job.module);
  suites::Case own = one;
  own.replicas = load.replicas;
  HLOCTS_ASSIGN_OR_RETURN(job.request, suites::MakeRequest(own, *job.module, load));
  HLOCTS_ASSIGN_OR_RETURN(job.printed_result, suites::PrintedResult(own, *job.module, load));
  return absl::OkStatus();
}

absl::Status AddSeeded(const std::vector<Shape>& leaves, int64_t devices, uint64_t seed,
                       const CommonOptions& options, Job& job) {
  auto style = generators::ArgumentStyleFromName(options.data);
  if (!style && options.data != kConstantsData && options.data != kLimitsData)
    return InvalidInput("--data \"", options.data,
                        "\": expected random, exact, defined, edge, "
                        "all_bits, wide, limits or constants");
  job.seed = seed;
  for (int64_t d = 0; d < devices; ++d) {
    const uint64_t own_seed = seed + static_cast<uint64_t>(d);
    job.request.arguments.push_back(
        style ? generators::GenerateArgumentsInTurn(leaves, own_seed, *style)
              : generators::InputRecipes(*job.module, leaves, own_seed).Named(options.data));
  }
  return absl::OkStatus();
}

// Adds the arguments of a module that is not a case: from `inputs`, else generated from `seed`,
// else from the module's own file.
absl::Status AddArguments(const std::string& inputs, const std::optional<uint64_t>& seed,
                          const CommonOptions& options, bool* found, LoadedModule& loaded,
                          Job& job) {
  const std::vector<Shape> leaves = backends::ArgumentLeafShapes(*job.module);
  const int64_t devices = options.DeviceCount(*job.module);
  auto& arguments = job.request.arguments;
  if (!inputs.empty()) {
    ExpectedLeaves expected = leaves;
    for (const Instruction* parameter : job.module->entry()->parameters())
      if (parameter->shape().IsArray()) expected.names.push_back(parameter->name());
    HLOCTS_ASSIGN_OR_RETURN(
        arguments, ReadDeviceLeaves(inputs, expected, devices, ArgumentPartitions(*job.module)));
  } else if (seed) {
    return AddSeeded(leaves, devices, *seed, options, job);
  } else if (!loaded.arguments.empty()) {
    arguments.assign(devices, loaded.arguments);
  } else if (leaves.empty()) {
    arguments.resize(devices);
  } else if (found != nullptr) {
    *found = false;
  } else {
    return InvalidInput(job.module_name, ": the module has ",
                        CountText(leaves.size(), "argument leaf", "argument leaves"),
                        ": expected --inputs or --seed, found neither");
  }
  return absl::OkStatus();
}

// Returns ": line 4, column 3" if exactly one line of the HLO text in the file defines the
// instruction, else "".
std::string PlaceIn(const std::string& path, const std::string& name) {
  std::error_code none;
  const auto text = !name.empty() && fs::is_regular_file(path, none)
                        ? ReadFile(path)
                        : absl::StatusOr<std::string>(absl::NotFoundError(path));
  if (!text.ok() || !absl::StartsWith(*text, "HloModule")) return "";
  std::string place;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(line);
    const size_t column = line.size() - rest.size() + 1;
    absl::ConsumePrefix(&rest, "ROOT ");
    absl::ConsumePrefix(&rest, "%");
    if (!absl::ConsumePrefix(&rest, name + " =")) continue;
    if (!place.empty()) return "";  // two computations have an instruction of this name
    place = absl::StrCat(": line ", number, ", column ", column);
  }
  return place;
}

}  // namespace

absl::StatusOr<LoadedModule> OpenModule(const std::string& path) {
  absl::string_view address = path;
  if (absl::ConsumePrefix(&address, "generated:")) return OpenGenerated(address, path);
  std::error_code none;
  if (fs::is_directory(path, none)) {
    std::string inside = ModuleIn(path);
    if (!inside.empty()) return OpenFile(inside);
    return InvalidInput(
        path, ": this directory is neither a bundle nor a case of a run: it has no module.hlo");
  }
  if (!LooksLikeAddress(path)) {
    auto loaded = OpenFile(path);
    if (!absl::IsNotFound(loaded.status())) return loaded;
    const auto cases = suites::SelectCases({path}, suites::Tier::kExhaustive);
    if (!cases.ok()) return loaded;
    return InvalidInput(path, " is not a file and selects ", cases->size(),
                        " cases: expected the address of one, such as ", (*cases)[0].address);
  }
  HLOCTS_ASSIGN_OR_RETURN(suites::Case one, CaseAt(path));
  return OpenCase(one);
}

absl::Status VerifyOpened(const Module& module, const std::string& path) {
  const absl::Status verified = VerifyModule(module);
  return Annotate(verified, absl::StrCat(path, PlaceIn(path, InstructionOf(verified))));
}

absl::StatusOr<Job> LoadJob(const std::string& module_path, const std::string& inputs,
                            std::optional<uint64_t> seed, const CommonOptions& options) {
  return LoadJobOr(module_path, inputs, seed, options, nullptr);
}

absl::StatusOr<Job> LoadJobOr(const std::string& module_path, const std::string& given_inputs,
                              std::optional<uint64_t> seed, const CommonOptions& options,
                              bool* found) {
  HLOCTS_RETURN_IF_ERROR(CheckSources(given_inputs, seed));
  const HardLimit limit(HardDeadline(options));
  std::optional<suites::Case> one;
  LoadedModule loaded;
  if (LooksLikeAddress(module_path) && !absl::StartsWith(module_path, "generated:")) {
    HLOCTS_ASSIGN_OR_RETURN(one, CaseAt(module_path));
    HLOCTS_ASSIGN_OR_RETURN(loaded, OpenCase(*one));
  } else {
    HLOCTS_ASSIGN_OR_RETURN(loaded, OpenModule(module_path));
  }
  if (!one && options.replicas == 0 && StateDevices(loaded.module.get())) {
    std::fprintf(stderr,
                 "hlocts: %s: assumed replica_count=%s, num_partitions=%s, for the devices "
                 "that collectives name; the module states neither\n",
                 module_path.c_str(), absl::StrCat(loaded.module->replica_count).c_str(),
                 absl::StrCat(loaded.module->num_partitions).c_str());
  }
  HLOCTS_RETURN_IF_ERROR(VerifyOpened(*loaded.module, module_path));
  Job job{.module = std::move(loaded.module), .module_name = module_path};
  const int64_t devices = options.DeviceCount(*job.module);
  if (devices < 1 || devices > kDevicesMax)
    return InvalidInput(module_path, ": expected 1 to ", kDevicesMax, " devices, found ", devices);
  HLOCTS_RETURN_IF_ERROR(CheckMemory(backends::ArgumentLeafShapes(*job.module), options));
  std::string inputs = given_inputs, infeed = options.infeed;
  if (fs::is_directory(module_path) && !seed) {
    const bool finding = !FileIn(module_path, "finding.textproto").empty();  // may have inputs
    if (inputs.empty())
      inputs = finding ? module_path + "/inputs.txt" : FileIn(module_path, "inputs.txt");
    if (inputs.empty()) inputs = FileIn(module_path, "inputs.npz");  // of hlocts.check
    if (infeed.empty()) infeed = FileIn(module_path, "infeed.txt");
  }
  if (one && inputs.empty() && !seed) {
    HLOCTS_RETURN_IF_ERROR(AddCaseData(*one, options, job));
  } else {
    HLOCTS_RETURN_IF_ERROR(AddArguments(inputs, seed, options, found, loaded, job));
  }
  if (!infeed.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(job.request.infeed, ReadDeviceLeaves(infeed, std::nullopt, devices,
                                                                 ArgumentPartitions(*job.module)));
  }
  return job;
}

void SelectInput(int64_t turn, std::optional<uint64_t>& seed, CommonOptions& options) {
  const bool all_kinds = options.data.empty();
  if (seed) *seed += static_cast<uint64_t>(all_kinds ? turn / kKindCount : turn);
  if (all_kinds) options.data = kInputKinds[turn % kKindCount];
}

int64_t InputCount(const Job& job, const CommonOptions& options) {
  if (job.request.arguments.empty() || job.request.arguments[0].empty()) return 1;
  int64_t elements = 1;
  for (const Literal& leaf : job.request.arguments[0])
    elements = std::max(elements, leaf.element_count());
  const int64_t seeds = (kEdgeElements + elements - 1) / elements;
  return std::max(kInputs, options.data.empty() ? seeds * kKindCount : seeds);
}

}  // namespace hlocts::tools
