// SPDX-License-Identifier: Apache-2.0
// The engine interface behind the PJRT table of our plugins: an engine loads a module and executes
// it on literals. The table implements devices, buffers, events, donation and serialization.
//
// The GetPjrtApi() of a plugin returns Table(), called with the plugin's description.
//
// Every call of the table is synchronous: events are ready immediately. Programs are `hlo`,
// `hlo_with_config` or, with a converter, `mlir` (stablehlo.h). A function of pjrt_functions.def
// without an entry is UNIMPLEMENTED. Engine options are client options or env_option_overrides; the
// number of devices is cpu_device_count, else the variable HLOCTS_DEVICES, else 1. A new entry
// needs a declaration in entries.h, a definition, and a test that calls it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spec/base/run_settings.h"
#include "spec/base/status.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/pjrt/pjrt_abi.h"

namespace hlocts::pjrt {

// Options by name, in order; a name may occur several times.
class Options {
 public:
  Options() = default;
  explicit Options(std::vector<std::pair<std::string, std::string>> entries)
      : entries_(std::move(entries)) {}

  void Add(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  void Append(const Options& more) {
    entries_.insert(entries_.end(), more.entries_.begin(), more.entries_.end());
  }
  bool empty() const { return entries_.empty(); }
  // Returns all options as one text, the key of objects that depend on them.
  std::string Key() const;

  // Each of these functions removes an option and returns its last value. If the option is absent,
  // Take returns "", the others return `otherwise`. TakeAll returns all values.
  std::string Take(absl::string_view name);
  absl::StatusOr<bool> TakeBool(absl::string_view name, bool otherwise);
  absl::StatusOr<int64_t> TakeInt(absl::string_view name, int64_t otherwise, int64_t least);
  std::vector<std::string> TakeAll(absl::string_view name);
  // Returns InvalidArgument, with the name and the `expected` options, if an option is left.
  absl::Status CheckNoUnknownOptions(absl::string_view expected) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct LoadOptions : RunSettings {
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::string custom_calls;  // path of a shared library, "" for none
};

// The inputs of a run. Literals are leaves: tuples are flattened depth first, in parameter or root
// order. Device d is partition d % partitions of replica d / partitions.
struct ExecuteRequest {
  std::vector<std::vector<Literal>> arguments;  // [device][leaf]
  // Numbers of argument leaves, the same on every device, whose storage an aliased output may
  // reuse. An engine need not reuse it, and must not write to it if another literal shares it.
  std::vector<int64_t> donated_leaves;
  std::vector<std::vector<Literal>> infeed;  // [device][leaf]; empty without infeeds
};

struct ExecuteResult {
  std::vector<std::vector<Literal>> outputs;  // [device][leaf]
  std::vector<std::vector<Literal>> outfeed;  // [device][leaf]
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Returns the version of the engine and of its platform: by default, that of this tree.
  virtual std::string Version();
  // Returns words that describe the engine to the harness; see spec/pjrt/hlocts_extension.h.
  virtual std::string Words() = 0;
  // Loads a module. kInvalidArgument: the module is malformed.
  virtual absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                           const LoadOptions& options) = 0;
};

struct Plugin {
  const char* platform;  // "cpu"
  // Returns the names of the supported opcodes, separated by spaces.
  std::string (*opcodes)();
  // Makes an engine. kInvalidArgument: an unknown option or a wrong value.
  absl::StatusOr<std::unique_ptr<Engine>> (*make)(Options options);
};
// Returns the argument of the first call of Table().
const Plugin& CurrentPlugin();
const PJRT_Api* Table(const Plugin& plugin);

}  // namespace hlocts::pjrt
