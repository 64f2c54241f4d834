// SPDX-License-Identifier: Apache-2.0
// Shared code of the subcommands: the common options of CONTRACT.md, reading a module with its
// inputs, printing errors, and batches of JSON lines.
//
// flags.cc is the only file that includes the command-line library. program_table.h has the program
// as data (help, completion, man page). A new common option is added here, to the help and to
// CONTRACT.md; a frequent mistake of users is a row of tools/bad_inputs.def.
#ifndef HLOCTS_TOOLS_CLI_COMMON_H_
#define HLOCTS_TOOLS_CLI_COMMON_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/base/status.h"
#include "spec/files/module_file.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {

// Exit statuses of CONTRACT.md.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitHarness = 3;
inline constexpr int kExitSuspect = 4;

inline constexpr int64_t kDevicesMax = 1024;

struct CommonOptions : RunSettings {
  int64_t replicas = 0;  // 0: as the module states
  std::string infeed, outfeed, custom_calls;
  double timeout_seconds = 60;
  bool timeout_given = false;  // the limit holds for the reference, too
  double start_seconds = 60;   // for an engine's answer to hello
  bool start_given = false;
  bool json = false;
  std::string batch;
  std::string data = "random";  // style of the arguments that a seed makes

  void Declare(Flags& flags, bool with_batch = true);
  void DeclareData(Flags& flags);  // --data, of the subcommands that make arguments from a seed
  std::optional<uint64_t> rng_seed_flag;  // storage for Declare; use rng_seed

  backends::LoadOptions ToLoadOptions(const Module& module) const;
  // Replicas times partitions of this run.
  int64_t DeviceCount(const Module& module) const;
};

// A module and the arguments of each device.
struct Job {
  std::unique_ptr<Module> module;
  std::string module_name;  // path as given
  // The result that the documents print, for a case of the suite: [device][leaf].
  std::vector<std::vector<Literal>> printed_result;
  backends::ExecuteRequest request;
  std::optional<uint64_t> seed;
};

// A module by its path (HLO in any form, or StableHLO); by "generated:SEED:NUMBER", a numbered
// random module with its arguments, as campaigns and the self-check print it; by the folder of a
// bundle or of a case of a run; or by the address of a case of the suite.
absl::StatusOr<LoadedModule> OpenModule(const std::string& path);

// Reads and verifies the module, then its inputs: from `inputs`, else from `seed`, else from the
// snapshot itself. A module without parameters needs none.
absl::StatusOr<Job> LoadJob(const std::string& module_path, const std::string& inputs,
                            std::optional<uint64_t> seed, const CommonOptions& options);

// [device][leaf] of a literals file; with `expected`, each device has exactly these leaves.
absl::StatusOr<std::vector<std::vector<Literal>>> ReadDeviceLeaves(
    const std::string& path, const std::optional<std::vector<Shape>>& expected, int64_t devices,
    int64_t partitions);

// An error where `seed` and `inputs` (or `--batch` and a module) exclude each other.
absl::Status CheckSources(const std::string& inputs, const std::optional<uint64_t>& seed);

// An error where the engine that the bundle `folder` names cannot be found by that name.
absl::Status CheckRecordedEngine(const std::string& name, const std::string& folder);

// Prints "hlocts: message" to standard error and returns the exit status that suits the code.
int Fail(const absl::Status& status);
int ExitStatusOf(const absl::Status& status);

// Answers each line of the batch file with the lines that `answer` returns for it, flushed. A bad
// line is answered with {"ok":false,"error":...}. Returns 0 when every line was answered.
using BatchAnswer =
    std::function<std::vector<nlohmann::ordered_json>(const nlohmann::ordered_json& entry)>;
int RunBatch(const std::string& path, const BatchAnswer& answer);

// The common options of one batch entry, applied over those of the command line.
absl::StatusOr<CommonOptions> WithEntry(const CommonOptions& options,
                                        const nlohmann::ordered_json& entry);
std::string TextField(const nlohmann::ordered_json& entry, const char* key,
                      const std::string& otherwise = "");
absl::StatusOr<std::optional<uint64_t>> SeedField(const nlohmann::ordered_json& entry,
                                                  std::optional<uint64_t> otherwise);

// {"module","ok","error"} of an entry.
nlohmann::ordered_json BatchResult(const std::string& module, const absl::Status& status);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_COMMON_H_
