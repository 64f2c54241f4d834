// SPDX-License-Identifier: Apache-2.0
// The one interface behind which every engine stands: ours, real XLA, any PJRT plugin, a program on
// a pipe. An engine loads a module and executes it on per-device arguments; what it cannot or will
// not do it says by status code, and OutcomeOf turns the code into the word of a verdict.
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
  // What this engine promises beyond the documents, e.g. "convert.saturate": target facts of the
  // law.
  std::vector<std::string> facts;
};

struct LoadOptions : RunSettings {
  int64_t replicas = 1;
  int64_t partitions = 1;
  double timeout_seconds = 60;
  // For the reference and its sets, which otherwise take what they take; 0: no limit.
  double reference_seconds_max = 0;
  std::string custom_calls;  // path of a shared library, "" for none
  // What was loaded last may serve again if module and options were the same: cases that differ in
  // their inputs only compile once. Never where a case is run again to see whether it is a flake.
  bool reuse = false;
  // Asked now and then where it is set; true: nobody waits any more. No run begins, a worker at
  // work is killed, and what comes of it (an error, a timeout) says nothing about the module.
  std::function<bool()> stop;
};

// Literals are leaves: tuples flattened depth first, in parameter or root order. Of a module that
// the engine partitions (spec/ops/partitions.h) they are whole arrays, and `partitions` is 1.
// Device d is replica d / partitions, partition d % partitions.
struct ExecuteRequest {
  std::vector<std::vector<Literal>> arguments;  // [device][leaf]
  std::vector<int64_t> donated_leaves;          // the same on every device
  std::vector<std::vector<Literal>> infeed;     // [device][leaf], empty: nothing is fed
  // On the same arguments, one right after the other, for those who measure: what comes back is of
  // the last. An engine that cannot (where something is donated or fed, none can) runs once.
  int64_t runs = 1;

  bool Repeatable() const { return donated_leaves.empty() && infeed.empty(); }
};

struct ArgumentState {
  int64_t leaf = 0;
  bool consumed = false;        // the engine took the caller's buffer
  int64_t aliased_output = -1;  // output leaf that lies in the caller's memory, -1: none
  // Kept, and read back after the run: it holds other bits than before. Engines look where the
  // module has aliases or donors, on any device.
  bool changed = false;
};

struct ExecuteResult {
  // [device][leaf]; of a module that the engine partitions one entry, or two that differ where
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
  // The module that code was made of, behind all passes, as a serialized HloModuleProto.
  // kUnimplemented: the engine does not tell.
  virtual absl::StatusOr<std::string> OptimizedModule();
};

struct RunOutcome;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() = 0;
  // The module may be malformed: an engine that takes it is a finding of the reject suite. An
  // engine in a worker holds the last module only: executables before it fail (FailedPrecondition).
  virtual absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                           const LoadOptions& options) = 0;
  // Loads and executes once: an engine elsewhere can be asked for both at once. See RunModule.
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
// Nothing is run where nobody waits any more.
RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                     const ExecuteRequest& request);

using hlocts::ArgumentLeafShapes;
using hlocts::NestArguments;
using hlocts::OutputLeafShapes;

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_BACKEND_H_
