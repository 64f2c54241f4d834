// SPDX-License-Identifier: Apache-2.0
// What stands behind the PJRT table of a plugin of ours: an engine loads a module and executes it
// on literals. Devices, buffers, events, donation and serialization are the table's.
//
// A plugin's GetPjrtApi() returns Table() of its description.
//
// Every call of the table has completed when it returns: events are ready at once. Programs are
// `hlo` or `hlo_with_config`; `mlir` is UNIMPLEMENTED, as is every function of pjrt_functions.def
// without an entry. Engine options are client options or env_option_overrides; cpu_device_count is
// the number of devices. New entry: a declaration in entries.h, the function, and a test that calls
// it.
#ifndef HLOCTS_SPEC_PJRT_TABLE_ENGINE_H_
#define HLOCTS_SPEC_PJRT_TABLE_ENGINE_H_

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

// By name, in order; a name may come several times.
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
  // All values as one text, for who keeps what was made of them.
  std::string Key() const;

  // Each removes the option. Of several the last value counts, "" or `otherwise` where none is.
  std::string Take(absl::string_view name);
  absl::StatusOr<bool> TakeBool(absl::string_view name, bool otherwise);
  absl::StatusOr<int64_t> TakeInt(absl::string_view name, int64_t otherwise, int64_t least);
  std::vector<std::string> TakeAll(absl::string_view name);
  // InvalidArgument where an option is left, which names it and those `expected`.
  absl::Status CheckNoneLeft(absl::string_view expected) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct LoadOptions : RunSettings {
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::string custom_calls;  // path of a shared library, "" for none
};

// Literals are leaves: tuples flattened depth first, in parameter or root order.
// Device d is replica d / partitions, partition d % partitions.
struct ExecuteRequest {
  std::vector<std::vector<Literal>> arguments;  // [device][leaf]
  // Leaves, the same on every device, whose storage may become that of the output that they are
  // an alias of. An engine may decline; a literal with another owner is never written to.
  std::vector<int64_t> donated_leaves;
  std::vector<std::vector<Literal>> infeed;  // [device][leaf], empty: nothing is fed
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
  // Of the engine and of what it runs on.
  virtual std::string Version() { return "0.1.0"; }
  // Words that describe it to the harness, see spec/pjrt/hlocts_extension.h.
  virtual std::string Words() = 0;
  // The module may be malformed: kInvalidArgument.
  virtual absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                           const LoadOptions& options) = 0;
};

struct Plugin {
  const char* platform;  // "cpu"
  // Names of the opcodes that it runs, separated by spaces.
  std::string (*opcodes)();
  // An unknown option or a wrong value is kInvalidArgument.
  absl::StatusOr<std::unique_ptr<Engine>> (*make)(Options options);
};
// Of the first call.
const Plugin& ThisPlugin();
const PJRT_Api* Table(const Plugin& plugin);

}  // namespace hlocts::pjrt

#endif  // HLOCTS_SPEC_PJRT_TABLE_ENGINE_H_
