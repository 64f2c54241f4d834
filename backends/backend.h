// SPDX-License-Identifier: Apache-2.0
// The interface of every engine: ours, real XLA, any PJRT plugin, a program on a pipe. An engine
// loads a module and executes it on per-device arguments; it reports what it cannot or will not do
// by status code, and OutcomeOf turns the code into the outcome of a verdict.
#ifndef HLOCTS_BACKENDS_BACKEND_H_
#define HLOCTS_BACKENDS_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spec/base/engine_error.h"
#include "spec/base/outcome.h"
#include "spec/base/run_settings.h"
#include "spec/base/status.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts::backends {

struct BackendInfo {
  std::string name;     // as given on the command line, options included
  std::string version;  // "" when unknown
  bool available = true;
  EngineError error;  // why not available
  // "execute", "verify", "proto", "replicas", ...; "without:s1": has no such elements;
  // "partitions": takes modules that it is to partition.
  std::vector<std::string> capabilities;
  // Promises of this engine beyond the documents, e.g. "convert.saturate": target facts of the
  // acceptance rules.
  std::vector<std::string> facts;
};

struct LoadOptions : RunSettings {
  int64_t replicas = 1;
  int64_t partitions = 1;
  double timeout_seconds = 60;
  // For the reference and its sets, which otherwise have no limit; 0: no limit.
  double reference_seconds_max = 0;
  std::string custom_calls;  // path of a shared library, "" for none
  // The last loaded module may be reused if module and options are the same: cases that differ in
  // their inputs only compile once. Never set where a case is run again to detect a flake.
  bool reuse = false;
  // Polled if set; true: the caller no longer waits. No run begins, a busy worker is killed, and
  // the outcome (an error, a timeout) says nothing about the module.
  std::function<bool()> stop;
};

// Literals are leaves: tuples flattened depth first, in parameter or root order. For a module that
// the engine partitions (spec/ops/partitions.h) they are whole arrays, and `partitions` is 1.
// Device d is replica d / partitions, partition d % partitions.
struct ExecuteRequest {
  std::vector<std::vector<Literal>> arguments;  // [device][leaf]
  std::vector<int64_t> donated_leaves;          // the same on every device
  std::vector<std::vector<Literal>> infeed;     // [device][leaf], empty: nothing is fed
  // Consecutive runs on the same arguments, for measurements: the results are those of the last. An
  // engine that cannot repeat (none can where something is donated or fed) runs once.
  int64_t runs = 1;

  bool Repeatable() const { return donated_leaves.empty() && infeed.empty(); }
};

struct ArgumentState {
  int64_t leaf = 0;
  bool consumed = false;        // the engine took the caller's buffer
  int64_t aliased_output = -1;  // output leaf in the caller's memory, -1: none
  // A kept argument that was read back after the run has other bits than before. Engines check if
  // the module has aliases or donors, on any device.
  bool changed = false;
};

struct ExecuteResult {
  // [device][leaf]; for a module that the engine partitions one entry, or two that differ where
  // devices hold different copies of an element.
  std::vector<std::vector<Literal>> outputs;
  std::vector<std::vector<Literal>> outfeed;  // [device][leaf]
  std::vector<ArgumentState> arguments;       // of device 0
  double seconds = 0;                         // of execution alone
  std::vector<double> seconds_of_runs;        // of each, where more than one took place
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) = 0;
  // The module, after all passes, from which code was made, as a serialized HloModuleProto.
  // kUnimplemented: the engine does not report it.
  virtual absl::StatusOr<std::string> OptimizedModule();
};

struct RunOutcome;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() = 0;
  // The module may be malformed: an engine that accepts it is a finding of the reject suite. An
  // engine in a worker holds the last module only: earlier executables fail (FailedPrecondition).
  virtual absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                           const LoadOptions& options) = 0;
  // Loads and executes once: an engine in another process can be asked for both at once. See
  // RunModule.
  virtual RunOutcome Run(const Module& module, const LoadOptions& options,
                         const ExecuteRequest& request);
};

// The outcome of a status that is not OK: kUnimplemented and kResourceExhausted are kUnsupported,
// kAborted (its process died) is kCrash, kDeadlineExceeded kTimeout, kUnavailable (the engine could
// not be started) kError, which says nothing about the module; any other code is a refusal,
// kRejected.
Outcome OutcomeOf(const absl::Status& status);

// The result of a module on an engine.
struct RunOutcome {
  std::optional<Outcome> failure = Outcome::kError;  // nullopt: it returned values
  EngineError error;                                 // of a failure
  ExecuteResult result;                              // of values
  double load_seconds = 0;

  bool has_values() const { return !failure.has_value(); }
};

RunOutcome OutcomeFrom(absl::StatusOr<ExecuteResult> result);
RunOutcome FailedRun(const absl::Status& status);
// Runs nothing if the caller no longer waits.
RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                     const ExecuteRequest& request);

using hlocts::ArgumentLeafShapes;
using hlocts::NestArguments;
using hlocts::OutputLeafShapes;

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_BACKEND_H_
