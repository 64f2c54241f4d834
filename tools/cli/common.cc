// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/common.h"

#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "generators/arguments.h"
#include "generators/module_generator.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"
#include "spec/files/literals_file.h"
#include "spec/infer/verifier.h"
#include "tools/cli/stablehlo.h"

namespace hlocts::tools {

using Json = nlohmann::ordered_json;

void CommonOptions::Declare(Flags& flags, bool with_batch) {
  flags.Add("--replicas", &replicas,
            "replicas to run together (default: replica_count of the module)");
  flags.Add("--infeed", &infeed, "literals file that infeed instructions read");
  flags.Add("--outfeed", &outfeed, "literals file that receives what outfeed instructions send");
  flags.Add("--custom-calls", &custom_calls, "shared library with handlers of custom-calls");
  flags.Add("--rng-seed", &rng_seed_flag, "seed of random number instructions (default 0)");
  flags.Add("--steps", &steps_max, "loop trips before the verdict is timeout (default 10000000)");
  flags.AddDuration("--timeout", &timeout_seconds, "time for one module, e.g. 60s");
  flags.AddBytes("--memory", &memory_bytes_max, "memory for one module, e.g. 8G");
  flags.Add("--json", &json, "print JSON lines");
  if (with_batch) flags.Add("--batch", &batch, "file with a JSON object a line; answers in order");
}

void CommonOptions::DeclareData(Flags& flags) {
  flags.Add(
      "--data", &data,
      "inputs of a seed: random, exact (sums and products stay exact), defined, edge, all_bits, "
      "wide");
}

backends::LoadOptions CommonOptions::ToLoadOptions(const Module& module) const {
  backends::LoadOptions load;
  load.replicas = replicas > 0 ? replicas : module.replica_count;
  load.partitions = module.num_partitions;
  load.rng_seed = rng_seed_flag.value_or(rng_seed);
  load.steps_max = steps_max;
  load.timeout_seconds = timeout_seconds;
  load.memory_bytes_max = memory_bytes_max;
  load.custom_calls = custom_calls;
  return load;
}

int64_t CommonOptions::DeviceCount(const Module& module) const {
  backends::LoadOptions load = ToLoadOptions(module);
  return load.replicas * load.partitions;
}

absl::StatusOr<std::vector<std::vector<Literal>>> ReadDeviceLeaves(
    const std::string& path, const std::optional<ExpectedLeaves>& expected, int64_t devices,
    int64_t partitions) {
  HLOCTS_ASSIGN_OR_RETURN(LiteralsFile file, ReadLiterals(path, expected));
  auto leaves = LeavesOfDevices(file, devices, partitions);
  return leaves.ok() ? std::move(leaves) : Annotate(leaves.status(), path);
}

namespace {

constexpr int64_t kDevicesMax = 1024;

absl::Status CheckMemory(const std::vector<Shape>& leaves, const CommonOptions& options) {
  int64_t bytes = Shape::Tuple(leaves).StorageSizeBytes();
  if (bytes <= options.memory_bytes_max) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the arguments need ", bytes, " bytes, the budget is ", options.memory_bytes_max));
}

absl::StatusOr<LoadedModule> OpenFile(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  if (!LooksLikeMlir(content)) return ParseModuleFile(path, content);
  LoadedModule loaded;
  HLOCTS_ASSIGN_OR_RETURN(loaded.module, ReadStablehlo(path, content));
  return loaded;
}

}  // namespace

absl::StatusOr<LoadedModule> OpenModule(const std::string& path) {
  absl::string_view address = path;
  if (!absl::ConsumePrefix(&address, "generated:")) return OpenFile(path);
  std::pair<std::string, std::string> parts = absl::StrSplit(address, absl::MaxSplits(':', 1));
  uint64_t seed = 0, number = 0;
  if (!absl::SimpleAtoi(parts.first, &seed) || !absl::SimpleAtoi(parts.second, &number)) {
    return InvalidInput(path, ": expected generated:SEED:NUMBER");
  }
  generators::Generated generated =
      generators::GenerateNumbered(seed, number, generators::GeneratorOptions());
  LoadedModule loaded;
  loaded.module = std::move(generated.module);
  loaded.arguments = std::move(generated.arguments);
  return loaded;
}

absl::StatusOr<Job> LoadJob(const std::string& module_path, const std::string& inputs,
                            std::optional<uint64_t> seed, const CommonOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, OpenModule(module_path));
  absl::Status verified = VerifyModule(*loaded.module);
  if (!verified.ok()) return Annotate(verified, module_path);
  Job job;
  job.module = std::move(loaded.module);
  job.module_name = module_path;
  std::vector<Shape> leaves = backends::ArgumentLeafShapes(*job.module);
  int64_t devices = options.DeviceCount(*job.module);
  if (devices < 1 || devices > kDevicesMax) {
    return InvalidInput(module_path, ": ", devices, " devices, expected 1 to ", kDevicesMax);
  }
  HLOCTS_RETURN_IF_ERROR(CheckMemory(leaves, options));
  auto& arguments = job.request.arguments;
  if (!inputs.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(arguments,
                            ReadDeviceLeaves(inputs, leaves, devices, job.module->num_partitions));
  } else if (seed) {
    auto style = generators::ArgumentStyleFromName(options.data);
    if (!style) {
      return InvalidInput("--data \"", options.data,
                          "\": expected random, exact, defined, edge, all_bits or wide");
    }
    job.seed = seed;
    for (int64_t d = 0; d < devices; ++d) {
      arguments.push_back(
          generators::GenerateArguments(leaves, *seed + static_cast<uint64_t>(d), *style));
    }
  } else if (!loaded.arguments.empty()) {
    arguments.assign(devices, loaded.arguments);
  } else if (leaves.empty()) {
    arguments.resize(devices);
  } else {
    return InvalidInput(module_path, ": the module has ", leaves.size(),
                        " argument leaves: expected --inputs or --seed, found neither");
  }
  if (!options.infeed.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(
        job.request.infeed,
        ReadDeviceLeaves(options.infeed, std::nullopt, devices, job.module->num_partitions));
  }
  return job;
}

int ExitStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
      return kExitUsage;
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kAborted:
      return kExitFailed;
    default:
      return kExitHarness;
  }
}

int Fail(const absl::Status& status) {
  std::string rule = RuleOf(status);
  std::fprintf(stderr, "hlocts: %s%s\n", std::string(status.message()).c_str(),
               rule.empty() ? "" : absl::StrCat(" [", rule, "]").c_str());
  return ExitStatusOf(status);
}

int RunBatch(const std::string& path, const BatchAnswer& answer) {
  std::ifstream file;
  std::istream* in = &std::cin;
  if (path != "-") {
    file.open(path);
    if (!file) return Fail(absl::NotFoundError(absl::StrCat(path, ": cannot be read")));
    in = &file;
  }
  std::string line;
  while (std::getline(*in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Json entry = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    std::vector<Json> answers;
    if (entry.is_object()) {
      answers = answer(entry);
    } else {
      answers.push_back({{"ok", false}, {"error", "expected a JSON object on this line"}});
    }
    for (const Json& json : answers) {
      std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    }
    if (!std::cout) return kExitHarness;
  }
  return kExitOk;
}

std::string TextField(const Json& entry, const char* key, const std::string& otherwise) {
  auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

absl::StatusOr<std::optional<uint64_t>> SeedField(const Json& entry,
                                                  std::optional<uint64_t> otherwise) {
  auto found = entry.find("seed");
  if (found == entry.end() || found->is_null()) return otherwise;
  if (!found->is_number_integer()) return InvalidInput("\"seed\": expected an integer");
  return std::optional<uint64_t>(found->get<uint64_t>());
}

namespace {

absl::Status NumberField(const Json& entry, const char* key, int64_t& value) {
  auto found = entry.find(key);
  if (found == entry.end()) return absl::OkStatus();
  if (found->is_string()) {
    auto bytes = ParseBytes(found->get<std::string>());
    if (!bytes) return InvalidInput("\"", key, "\": expected a number");
    value = *bytes;
    return absl::OkStatus();
  }
  if (!found->is_number_integer()) return InvalidInput("\"", key, "\": expected an integer");
  value = found->get<int64_t>();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CommonOptions> WithEntry(const CommonOptions& options, const Json& entry) {
  CommonOptions merged = options;
  merged.infeed = TextField(entry, "infeed", options.infeed);
  merged.data = TextField(entry, "data", options.data);
  merged.outfeed = TextField(entry, "outfeed", options.outfeed);
  merged.custom_calls = TextField(entry, "custom-calls", options.custom_calls);
  HLOCTS_RETURN_IF_ERROR(NumberField(entry, "replicas", merged.replicas));
  HLOCTS_RETURN_IF_ERROR(NumberField(entry, "steps", merged.steps_max));
  HLOCTS_RETURN_IF_ERROR(NumberField(entry, "memory", merged.memory_bytes_max));
  int64_t rng_seed = static_cast<int64_t>(options.rng_seed_flag.value_or(options.rng_seed));
  HLOCTS_RETURN_IF_ERROR(NumberField(entry, "rng-seed", rng_seed));
  merged.rng_seed_flag = static_cast<uint64_t>(rng_seed);
  auto timeout = entry.find("timeout");
  if (timeout != entry.end()) {
    auto seconds =
        ParseDuration(timeout->is_string() ? timeout->get<std::string>() : timeout->dump());
    if (!seconds) return InvalidInput("\"timeout\": expected a duration");
    merged.timeout_seconds = *seconds;
  }
  return merged;
}

Json BatchResult(const std::string& module, const absl::Status& status) {
  return Json{{"module", module}, {"ok", status.ok()}, {"error", std::string(status.message())}};
}

}  // namespace hlocts::tools
