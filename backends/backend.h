// SPDX-License-Identifier: Apache-2.0
// The interface of every engine: our engines, XLA, any PJRT plugin, or a program that is driven
// through pipes. An engine loads a module and executes it on per-device arguments. It reports an
// unsupported module by a status code, and OutcomeOf turns the code into the outcome of a verdict.
#pragma once

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
  EngineError error;  // why the engine is not available
  // Words such as "execute", "verify", "proto", "replicas". "without:s1" means that the engine does
  // not support the type s1; "partitions" means that it partitions modules itself.
  std::vector<std::string> capabilities;
  // Facts: promises of this engine beyond the documents, e.g. "convert.saturate". The acceptance
  // rules use them.
  std::vector<std::string> facts;
};

struct LoadOptions : RunSettings {
  int64_t replicas = 1;
  int64_t partitions = 1;
  double timeout_seconds = 60;
  // The time limit for the reference's values and acceptance sets; 0 for no limit.
  double reference_seconds_max = 0;
  std::string custom_calls;  // path of a shared library, "" for none
  // True if Load may return an earlier executable of the same module and options. Cases that differ
  // only in inputs are then compiled once, as are the pieces of a loop that runs trip by trip.
  // False if a case runs again to detect a flake.
  bool reuse = false;
  // Polled if set; returns true once the caller no longer waits. After that, no run begins and a
  // busy worker is killed. The outcome (an error or a timeout) is not a verdict on the module.
  std::function<bool()> stop;
};

// The arguments of an execution. Each literal is a leaf: parameters, and tuples in them, are
// flattened depth first. If the engine partitions the module (spec/ops/partitions.h), the leaves
// are full arrays and `partitions` is 1. Device d is replica d / partitions, partition d %
// partitions.
struct ExecuteRequest {
  std::vector<std::vector<Literal>> arguments;  // [device][leaf]
  std::vector<int64_t> donated_leaves;          // the same on every device
  std::vector<std::vector<Literal>> infeed;     // [device][leaf]; empty if there is no infeed
  // The number of consecutive runs on the same arguments, for measurements; the results are those
  // of the last run. An engine that cannot repeat runs the module once. No engine repeats a run
  // with donated leaves or infeed.
  int64_t runs = 1;

  bool Repeatable() const { return donated_leaves.empty() && infeed.empty(); }
};

// Returns the argument leaves that a run donates: those of the request, and each that must alias an
// output, as not to donate it is an error of the caller (ruling 0068).
std::vector<int64_t> DonatedLeaves(const Module& module, const ExecuteRequest& request);

struct ArgumentState {
  int64_t leaf = 0;
  bool consumed = false;        // the engine took the caller's buffer
  int64_t aliased_output = -1;  // the output leaf in this argument's memory; -1: none
  // True if the run changed the bits of an argument that was not consumed. Engines check this, on
  // all devices, if the module has aliases or donors.
  bool changed = false;
};

struct ExecuteResult {
  // The outputs as [device][leaf]. If the engine partitions the module, there is one entry, or two
  // if devices have different copies of an element.
  std::vector<std::vector<Literal>> outputs;
  std::vector<std::vector<Literal>> outfeed;  // [device][leaf]
  std::vector<ArgumentState> arguments;       // states on device 0
  double seconds = 0;                         // of the execution, without loading
  std::vector<double> seconds_of_runs;        // the time of each run, if there is more than one
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) = 0;
  // Returns the module after all passes, from which the engine generated code, as a serialized
  // HloModuleProto. Returns kUnimplemented if the engine does not report it.
  virtual absl::StatusOr<std::string> OptimizedModule();
};

struct RunOutcome;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() = 0;
  // Loads a module, which may be malformed: accepting such a module is a finding of the reject
  // suite. An engine in a worker keeps only the last module; earlier executables fail
  // (FailedPrecondition).
  virtual absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                           const LoadOptions& options) = 0;
  // Loads a module and executes it once. A backend for an engine in another process may send both
  // requests together. Callers use RunModule.
  virtual RunOutcome Run(const Module& module, const LoadOptions& options,
                         const ExecuteRequest& request);
  // Like Load, for a serialized HloModuleProto from another process. Returns null if the engine
  // needs a Module, as most engines do.
  virtual absl::StatusOr<std::unique_ptr<Executable>> LoadSerialized(
      const std::string& /*module_proto*/, const LoadOptions& /*options*/) {
    return nullptr;
  }
};

// Returns the outcome of an error. kUnimplemented and kResourceExhausted map to kUnsupported,
// kAborted (the process died) to kCrash, kDeadlineExceeded to kTimeout, and any other code to
// kRejected. kUnavailable (the engine could not be started) maps to kError, which is not a verdict
// on the module.
Outcome OutcomeOf(const absl::Status& status);

// The result of running a module on an engine.
struct RunOutcome {
  std::optional<Outcome> failure = Outcome::kError;  // nullopt if the engine returned values
  EngineError error;                                 // the error of a failure
  ExecuteResult result;                              // valid if there is no failure
  double load_seconds = 0;

  bool has_values() const { return !failure.has_value(); }
};

RunOutcome OutcomeFrom(absl::StatusOr<ExecuteResult> result);
RunOutcome FailedRun(const absl::Status& status);
// Like Backend::Run, but runs nothing if the caller no longer waits.
RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                     const ExecuteRequest& request);

using hlocts::ArgumentLeafShapes;
using hlocts::NestArguments;
using hlocts::OutputLeafShapes;

}  // namespace hlocts::backends
