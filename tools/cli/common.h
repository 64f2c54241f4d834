// SPDX-License-Identifier: Apache-2.0
// Code that the subcommands share: the common options of CONTRACT.md, loading of a module with its
// inputs, error messages, and batches of JSON lines.
//
// Only flags.cc includes the command-line library. program_table.h describes the program as data
// (for help, completion and man page). A new common option must be added here, to the help and to
// CONTRACT.md. Frequent mistakes of users belong in tools/bad_inputs.def.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/base/count_text.h"
#include "spec/base/status.h"
#include "spec/files/literals_file.h"
#include "spec/files/module_file.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {

// The exit statuses of CONTRACT.md.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitHarness = 3;
inline constexpr int kExitSuspect = 4;

inline constexpr int64_t kDevicesMax = 1024;
inline const std::vector<std::string> kOfOneModule = {"--replicas", "--infeed", "--outfeed"};

struct CommonOptions : RunSettings {
  int64_t replicas = 0;  // 0: as in the module
  std::string infeed, outfeed, custom_calls;
  double timeout_seconds = 60;
  bool timeout_given = false;  // true: the limit also applies to the reference
  double start_seconds = 60;   // time limit for an engine's answer to `hello`
  bool start_given = false;
  bool json = false;
  std::string batch;
  std::string data = "random";  // style of arguments generated from a seed

  void Declare(Flags& flags, bool with_batch = true,
               const std::vector<std::string>& refused = {"--outfeed"});
  // --inputs, --seed and --data, for subcommands that read or generate arguments
  void DeclareInputs(Flags& flags, std::string* inputs, std::optional<uint64_t>* seed,
                     const char* seed_help = "seed of random inputs");
  std::optional<uint64_t> rng_seed_flag;  // storage for Declare; use rng_seed

  backends::LoadOptions ToLoadOptions(const Module& module) const;
  // Returns the number of devices of this run: replicas times partitions.
  int64_t DeviceCount(const Module& module) const;
};

// A module and the arguments for each device.
struct Job {
  std::unique_ptr<Module> module;
  std::string module_name;  // the path as given by the user
  // For a case of the suite: the result that the documents print, as [device][leaf].
  std::vector<std::vector<Literal>> printed_result;
  backends::ExecuteRequest request;
  std::optional<uint64_t> seed;
};

// Opens a module. `path` is one of: a file (HLO in any form, or StableHLO);
// "generated:SEED:NUMBER", a numbered random module with arguments, as campaigns and the self-check
// print it; the directory of a bundle or of a case of a run; the address of a case of the suite.
absl::StatusOr<LoadedModule> OpenModule(const std::string& path);
// Verifies a module from `path`. An error begins with the path. If the error names an instruction
// and the file has one instruction of this name, its line and column follow.
absl::Status VerifyOpened(const Module& module, const std::string& path);

// Reads and verifies the module, then adds its inputs: from `inputs`, else generated from `seed`,
// else from the module's file. A module without parameters needs none.
absl::StatusOr<Job> LoadJob(const std::string& module_path, const std::string& inputs,
                            std::optional<uint64_t> seed, const CommonOptions& options);

// Reads a literals file as [device][leaf]. If `expected` is set, each device must have leaves of
// exactly these shapes.
absl::StatusOr<std::vector<std::vector<Literal>>> ReadDeviceLeaves(
    const std::string& path, const std::optional<ExpectedLeaves>& expected, int64_t devices,
    int64_t partitions);

// Returns an error if `inputs` and `seed` are both given.
absl::Status CheckSources(const std::string& inputs, const std::optional<uint64_t>& seed);

// Returns the last component of a path, which may end with a slash.
std::string NameOfFolder(const std::string& path);
// Returns the path relative to the working directory; nullopt if it is outside of that directory.
std::optional<std::string> Below(const std::string& path);

// Returns an error if the verdict is of an engine whose path the bundle in `folder` does not
// record.
absl::Status CheckRecordedEngine(const reports::Verdict& verdict, const std::string& folder);

// Prints "hlocts: message" to standard error and returns the exit status for the error code.
int Fail(const absl::Status& status);
int ExitStatusOf(const absl::Status& status);

// For each line of the batch file, writes and flushes the lines that `answer` returns, or a line
// with the error: BatchResult and the fields of `failed` or, if that has a `profile`, a verdict.
// Returns the exit status of the worst entry. Refuses `stated`, the text of options whose values
// each entry must state itself.
using BatchAnswer = std::function<absl::StatusOr<std::vector<nlohmann::ordered_json>>(
    const nlohmann::ordered_json& entry)>;
// Called in the parent process for each line of an answer.
using BatchObserver =
    std::function<void(const nlohmann::ordered_json& entry, const nlohmann::ordered_json& answer)>;
int RunBatch(const std::string& path, const std::string& stated, const BatchAnswer& answer,
             const nlohmann::ordered_json& failed, const BatchObserver& observer = nullptr);

// Returns the common options of a batch entry; options that it lacks are those of the command line.
absl::StatusOr<CommonOptions> WithEntry(const CommonOptions& options,
                                        const nlohmann::ordered_json& entry);
std::string TextField(const nlohmann::ordered_json& entry, const char* key,
                      const std::string& otherwise = "");
absl::StatusOr<std::optional<uint64_t>> SeedField(const nlohmann::ordered_json& entry,
                                                  std::optional<uint64_t> otherwise);

// Returns {"module","ok","error","rule"} for an entry.
nlohmann::ordered_json BatchResult(const std::string& module, const absl::Status& status);

// Checks an output directory ("" for none) before work begins. Returns kInvalidArgument if it is
// not a directory, or if it or its first existing parent is not writable. Creates nothing.
absl::Status CheckOutputFolder(const std::string& flag, const std::string& path);

}  // namespace hlocts::tools
