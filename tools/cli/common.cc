// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/common.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/strings/match.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "backends/worker/worker_client.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"

namespace hlocts::tools {

using Json = nlohmann::ordered_json;

void CommonOptions::Declare(Flags& flags, bool with_batch,
                            const std::vector<std::string>& refused) {
  flags.Add("--replicas", &replicas, "number of replicas (default: replica_count of the module)",
            {1, kDevicesMax});
  flags.Add("--infeed", &infeed, "literals file read by infeed instructions");
  flags.Add("--outfeed", &outfeed, "literals file to write: values of outfeeds");
  flags.Add("--custom-calls", &custom_calls, "shared library with custom-call handlers");
  flags.Add("--rng-seed", &rng_seed_flag, "seed of random number instructions (0)");
  flags.Add("--steps", &steps_max, "limit of loop trips; beyond it the verdict is timeout", {1});
  flags.AddDuration("--timeout", &timeout_seconds,
                    "time limit per module; if given, also of the reference", &timeout_given);
  flags.AddDuration("--start-timeout", &start_seconds,
                    "time limit for starting an engine; unless given, at least --timeout",
                    &start_given);
  // A short --timeout is meant for modules. It does not limit the start, which takes an engine
  // longer on a busy machine.
  flags.Then([this] {
    if (!start_given) start_seconds = std::max(start_seconds, timeout_seconds);
    backends::SetStartSecondsMax(start_seconds);
  });
  flags.AddBytes("--memory", &memory_bytes_max, "memory limit per module, e.g. 8G");
  for (const std::string& name : refused)
    flags.Disable(name, name == "--outfeed" ? "only eval writes the values of outfeeds"
                                            : "applies to one module; each case states its own");
  flags.Add("--json", &json, "print JSON lines");
  if (with_batch)
    flags.Add("--batch", &batch, "file with one JSON object per line; results keep the order");
}

void CommonOptions::DeclareInputs(Flags& flags, std::string* inputs, std::optional<uint64_t>* seed,
                                  const char* seed_help) {
  flags.Add("--inputs", inputs, "literals file, also .npz (hlocts help literals)");
  flags.Add("--seed", seed, seed_help);
  flags.AddChoice(
      "--data", &data,
      {"random", "exact", "defined", "edge", "special", "all_bits", "wide", "constants", "limits"},
      "style of the random inputs; edge, special: the special values of the type (infinities, "
      "subnormals, extremes); all_bits: every bit pattern, or edge for types above 16 bits; "
      "exact: sums stay exact; defined: no NaN or overflow; wide: any exponent; constants: values "
      "near the constants and sizes of the module; limits: "
      "values near the limits of range and precision of the type");
}

backends::LoadOptions CommonOptions::ToLoadOptions(const Module& module) const {
  backends::LoadOptions load{*this};
  load.replicas = replicas > 0 ? replicas : module.replica_count;
  load.partitions = ArgumentPartitions(module);
  load.rng_seed = rng_seed_flag.value_or(rng_seed);
  load.timeout_seconds = timeout_seconds;
  if (timeout_given) load.reference_seconds_max = timeout_seconds;
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
  HLOCTS_ASSIGN_OR_RETURN(LiteralsFile file, reports::ReadRecordedLiterals(path, expected));
  auto leaves = LeavesOfDevices(file, devices, partitions);
  return leaves.ok() ? std::move(leaves) : Annotate(leaves.status(), path);
}

absl::Status CheckSources(const std::string& inputs, const std::optional<uint64_t>& seed) {
  if (inputs.empty() || !seed) return absl::OkStatus();
  return InvalidInput("expected --inputs or --seed, found both");
}

std::string NameOfFolder(const std::string& path) {
  return std::filesystem::path(path + "/").lexically_normal().parent_path().filename().string();
}

std::optional<std::string> Below(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return std::nullopt;
  std::string near =
      fs::absolute(path).lexically_normal().lexically_proximate(fs::current_path()).string();
  if (absl::StartsWith(near, "..")) return std::nullopt;
  return near;
}

absl::Status CheckRecordedEngine(const reports::Verdict& verdict, const std::string& folder) {
  const std::string& name = verdict.backend;
  const std::string place = backends::EngineLocationOption(name, verdict.backend_version);
  if (place.empty()) return absl::OkStatus();
  std::string release;
  if (absl::StartsWith(place, "--backend=jaxlib@"))
    release = absl::StrCat(
        ", or --backend=jax for the JAX of the ",
        std::getenv("HLOCTS_PYTHON") ? "Python of the package hlocts" : "python3 on PATH");
  const std::string file = name.substr(0, name.find('?')).substr(name.find(':') + 1);
  if (const auto list = backends::LoadEngineList(); list.ok())
    for (const engines::Engine& engine : list->engine())
      if (absl::EndsWith(engine.library(), "/" + file))
        release = absl::StrCat(", or, if HLOCTS_CACHE has it, --backend=", engine.name());
  return InvalidInput(folder, " was recorded with \"", name,
                      "\", whose path is not recorded: expected ", place, release);
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

std::string TextField(const Json& entry, const char* key, const std::string& otherwise) {
  auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

absl::StatusOr<std::optional<uint64_t>> SeedField(const Json& entry,
                                                  std::optional<uint64_t> otherwise) {
  auto found = entry.find("seed");
  if (found == entry.end() || found->is_null())
    return TextField(entry, "inputs").empty() ? otherwise : std::nullopt;
  if (!found->is_number_unsigned())
    return InvalidInput("\"seed\": expected a number from 0 to 2^64 - 1");
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
  if (entry.contains("replicas") && (merged.replicas < 1 || merged.replicas > kDevicesMax))
    return InvalidInput("\"replicas\": expected 1 to ", kDevicesMax);
  if (merged.steps_max < 1) return InvalidInput("\"steps\": expected at least 1");
  int64_t rng_seed = static_cast<int64_t>(options.rng_seed_flag.value_or(options.rng_seed));
  HLOCTS_RETURN_IF_ERROR(NumberField(entry, "rng-seed", rng_seed));
  merged.rng_seed_flag = static_cast<uint64_t>(rng_seed);
  auto timeout = entry.find("timeout");
  if (timeout != entry.end()) {
    auto seconds =
        ParseDuration(timeout->is_string() ? timeout->get<std::string>() : timeout->dump());
    if (!seconds || *seconds <= 0)
      return InvalidInput("\"timeout\": expected a duration of more than 0");
    merged.timeout_seconds = *seconds;
    merged.timeout_given = true;
  }
  return merged;
}

Json BatchResult(const std::string& module, const absl::Status& status) {
  return Json{{"module", module},
              {"ok", status.ok()},
              {"error", std::string(status.message())},
              {"rule", RuleOf(status)}};
}

absl::Status CheckOutputFolder(const std::string& flag, const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return absl::OkStatus();
  std::error_code none;
  fs::path place = fs::absolute(path);
  while (!fs::exists(place, none) && place.has_relative_path()) place = place.parent_path();
  if (!fs::is_directory(place, none))
    return InvalidInput(flag, ": ", path, ": expected a directory, but ", place.string(),
                        " is a file");
  // Permissions are not enough: the superuser has them in /proc too, where no file can be created.
  std::string probe = (place / ".hlocts.XXXXXX").string();
  if (mkdtemp(probe.data()) != nullptr && rmdir(probe.c_str()) == 0) return absl::OkStatus();
  return InvalidInput(flag, ": ", path, ": cannot be written: ", std::strerror(errno));
}

}  // namespace hlocts::tools
