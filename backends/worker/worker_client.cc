// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/worker_client.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include "absl/algorithm/container.h"
#include "backends/worker/last_words.h"
#include "backends/worker/wire.h"
#include "backends/worker/worker_connection.h"
#include "spec/base/frame.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kSentAtOnceMax = size_t{48} << 10;  // less than a pipe's 64 KiB

// The limit of consecutive failed restarts. An engine that has started before can start again, so a
// busy machine, or a library that is being relinked, must not end the run.
constexpr int kFailedRestartsMax = 3;

// Seconds that an engine may take to start; set once, when the command line is parsed.
std::atomic<double> g_start_seconds_max{60};  // enough to read 813 MiB from a cold disk

class WorkerBackend : public Backend {
 public:
  explicit WorkerBackend(WorkerCommand command) : command_(std::move(command)) {}

  BackendInfo info() override {
    BackendInfo info;
    info.name = command_.name;
    absl::Status status = Ensure();
    if (!status.ok()) {
      info.available = false;
      info.error = ErrorOf(status);
      return info;
    }
    const worker::HelloReply& hello = worker_->hello();
    info.version = hello.version();
    info.capabilities.assign(hello.capabilities().begin(), hello.capabilities().end());
    info.facts.assign(hello.facts().begin(), hello.facts().end());
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override;
  RunOutcome Run(const Module& module, const LoadOptions& options,
                 const ExecuteRequest& request) override;
  // `load` is the number of the Load that made the executable; a worker keeps only the last one.
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request, const LoadOptions& options,
                                        int64_t load);
  absl::StatusOr<std::string> OptimizedModule(const LoadOptions& options, int64_t load);

 private:
  absl::StatusOr<ExecuteResult> LoadAndExecute(const Module& module, const LoadOptions& options,
                                               const ExecuteRequest& request);
  absl::StatusOr<std::string> LoadFrame(const Module& module, const LoadOptions& options) const;
  absl::StatusOr<std::string> ExecuteFrame(const ExecuteRequest& request);
  absl::Status Loaded(const LoadOptions& options);
  absl::StatusOr<ExecuteResult> Results(const LoadOptions& options);
  absl::Status HasLoadedModule(int64_t load) const;
  // Corrects the status of a failure to load or execute. A rejection counts only if the engine
  // accepts a simple module that returns a constant.
  absl::Status Judged(const absl::Status& failure, const Module& module,
                      const LoadOptions& options);
  // Returns true if the engine rejects a constant on that many devices. Tests each number once.
  bool RefusesConstant(int64_t replicas, int64_t partitions, LoadOptions options);
  // Send and Receive use the current worker and drop it if its process ends.
  absl::Status Send(absl::string_view frames, const LoadOptions& options);
  absl::StatusOr<worker::Reply> Receive(const LoadOptions& options);

  absl::Status Ensure() {
    if (!unavailable_.ok()) return unavailable_;
    if (worker_) return absl::OkStatus();
    auto worker = WorkerConnection::Start(command_.argv, StartSecondsMax());
    if (worker.ok() && !(*worker)->hello().unavailable_reason().empty()) {
      worker = absl::UnavailableError((*worker)->hello().unavailable_reason());
    }
    if (!worker.ok()) {
      const absl::Status status = WithCode(absl::StatusCode::kUnavailable, worker.status());
      if (!started_ || ++failed_restarts_ == kFailedRestartsMax) unavailable_ = status;
      return status;
    }
    worker_ = *std::move(worker);
    started_ = true;
    failed_restarts_ = 0;
    return absl::OkStatus();
  }

  // Ensures that a worker runs. Its output from now on belongs to the next module.
  absl::Status BeginLoad() {
    HLOCTS_RETURN_IF_ERROR(Ensure());
    worker_->BeginModule();
    ++loads_;
    return absl::OkStatus();
  }

  WorkerCommand command_;
  std::unique_ptr<WorkerConnection> worker_;
  absl::Status unavailable_;  // a permanent error
  bool started_ = false;
  int failed_restarts_ = 0;
  int64_t loads_ = 0;
  std::map<std::pair<int64_t, int64_t>, bool> refuses_constant_;  // by replicas, partitions
};

absl::Status WorkerBackend::Send(absl::string_view frames, const LoadOptions& options) {
  if (!worker_) return absl::AbortedError("the worker process has already ended");
  absl::Status status = worker_->Send(frames, options);
  if (!status.ok()) worker_.reset();
  return status;
}

absl::StatusOr<worker::Reply> WorkerBackend::Receive(const LoadOptions& options) {
  if (!worker_) return absl::AbortedError("the worker process has already ended");
  auto reply = worker_->Receive(options);
  if (!reply.ok()) {
    worker_.reset();
    return reply.status();
  }
  if (!reply->has_error()) return reply;
  absl::Status status = StatusFromWire(reply->error());
  // kAborted means that the process ended, so an engine's own "aborted" becomes a rejection.
  return absl::IsAborted(status) ? WithCode(absl::StatusCode::kUnknown, status) : status;
}

absl::StatusOr<std::string> WorkerBackend::LoadFrame(const Module& module,
                                                     const LoadOptions& options) const {
  worker::Request request;
  worker::Load* load = request.mutable_load();
  if (worker_->hello().wants_text()) {
    load->set_module_text(PrintModule(module, PrintOptions::Default()));
  } else {
    HLOCTS_ASSIGN_OR_RETURN(*load->mutable_module_proto(), SerializeModule(module));
  }
  load->set_replicas(options.replicas);
  load->set_partitions(options.partitions);
  load->set_rng_seed(options.rng_seed);
  load->set_steps_max(options.steps_max);
  load->set_memory_bytes_max(options.memory_bytes_max);
  load->set_custom_calls(options.custom_calls);
  load->set_reuse(options.reuse);
  std::string frame;
  AppendFrame(request.SerializeAsString(), frame);
  return frame;
}

absl::StatusOr<std::string> WorkerBackend::ExecuteFrame(const ExecuteRequest& request) {
  worker::Request message;
  worker::Execute* execute = message.mutable_execute();
  SharedMemory* memory = worker_ ? worker_->memory() : nullptr;
  if (memory) memory->Rewind();
  HLOCTS_RETURN_IF_ERROR(DevicesToWire(request.arguments, memory, execute->mutable_arguments()));
  HLOCTS_RETURN_IF_ERROR(DevicesToWire(request.infeed, memory, execute->mutable_infeed()));
  for (int64_t leaf : request.donated_leaves) execute->add_donated_leaves(leaf);
  if (request.runs > 1) execute->set_runs(request.runs);
  std::string frame;
  AppendFrame(message.SerializeAsString(), frame);
  return frame;
}

absl::Status WorkerBackend::Loaded(const LoadOptions& options) {
  const absl::StatusOr<worker::Reply> reply = Receive(options);
  // A worker whose internal checks failed may be in any state, so the next module gets a new one.
  // E.g. XLA's code for shifts of floats fails XLA's checks, and XLA aborts on later modules.
  if (absl::IsInternal(reply.status())) worker_.reset();
  HLOCTS_RETURN_IF_ERROR(reply.status());
  if (reply->kind_case() == worker::Reply::kLoaded) return absl::OkStatus();
  return absl::AbortedError("unexpected reply of the worker: expected `loaded`");
}

// Returns the bytes of shared memory that values claim. The file may have holes, and values may
// overlap, so the engine may have less memory than the driver would need for the values.
double SharedBytes(const DeviceValuesField& field) {
  double bytes = 0;
  for (const worker::DeviceValues& device : field) {
    for (const worker::Value& value : device.leaves()) {
      if (value.in_shared_memory()) bytes += static_cast<double>(value.data_size());
    }
  }
  return bytes;
}

absl::StatusOr<ExecuteResult> WorkerBackend::Results(const LoadOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(worker::Reply reply, Receive(options));
  if (!reply.has_results())
    return absl::AbortedError("unexpected reply of the worker: expected `results`");
  const worker::Results& results = reply.results();
  const double shared = SharedBytes(results.outputs()) + SharedBytes(results.outfeed());
  if (options.memory_bytes_max > 0 && shared > static_cast<double>(options.memory_bytes_max))
    return absl::AbortedError("the worker broke the protocol: values exceed its memory limit");
  auto outputs = DevicesFromWire(results.outputs(), worker_->memory());
  auto outfeed = DevicesFromWire(results.outfeed(), worker_->memory());
  if (!outputs.ok() || !outfeed.ok()) {
    return absl::AbortedError(
        absl::StrCat("the worker broke the protocol: ",
                     Visible((outputs.ok() ? outfeed : outputs).status().message())));
  }
  ExecuteResult result{.outputs = *std::move(outputs), .outfeed = *std::move(outfeed)};
  for (const worker::ArgumentState& state : results.arguments()) {
    result.arguments.push_back(
        {state.leaf(), state.consumed(), state.aliased_output(), state.changed()});
  }
  result.seconds = results.seconds();
  result.seconds_of_runs.assign(results.seconds_of_runs().begin(), results.seconds_of_runs().end());
  return result;
}

class WorkerExecutable : public Executable {
 public:
  WorkerExecutable(WorkerBackend& backend, LoadOptions options, int64_t load)
      : backend_(backend), options_(std::move(options)), load_(load) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    return backend_.Execute(request, options_, load_);
  }
  absl::StatusOr<std::string> OptimizedModule() override {
    return backend_.OptimizedModule(options_, load_);
  }

 private:
  WorkerBackend& backend_;
  LoadOptions options_;
  int64_t load_;
};

absl::Status WorkerBackend::HasLoadedModule(int64_t load) const {
  if (load == loads_) return absl::OkStatus();
  return absl::FailedPreconditionError("the worker has meanwhile loaded another module");
}

absl::StatusOr<std::string> WorkerBackend::OptimizedModule(const LoadOptions& options,
                                                           int64_t load) {
  HLOCTS_RETURN_IF_ERROR(HasLoadedModule(load));
  const bool tells =
      worker_ && absl::c_linear_search(worker_->hello().capabilities(), "optimized-module");
  if (worker_ && !tells)
    return absl::UnimplementedError("the engine does not return its optimized module");
  worker::Request request;
  request.set_optimized_module(true);
  std::string frame;
  AppendFrame(request.SerializeAsString(), frame);
  HLOCTS_RETURN_IF_ERROR(Send(frame, options));
  HLOCTS_ASSIGN_OR_RETURN(worker::Reply reply, Receive(options));
  if (reply.kind_case() == worker::Reply::kConverted) return std::move(*reply.mutable_converted());
  return absl::AbortedError("unexpected reply of the worker: expected a module");
}

absl::StatusOr<ExecuteResult> WorkerBackend::Execute(const ExecuteRequest& request,
                                                     const LoadOptions& options, int64_t load) {
  HLOCTS_RETURN_IF_ERROR(HasLoadedModule(load));
  HLOCTS_ASSIGN_OR_RETURN(std::string frame, ExecuteFrame(request));
  HLOCTS_RETURN_IF_ERROR(Send(frame, options));
  return Results(options);
}

absl::StatusOr<std::unique_ptr<Executable>> WorkerBackend::Load(const Module& module,
                                                                const LoadOptions& options) {
  HLOCTS_RETURN_IF_ERROR(BeginLoad());
  HLOCTS_ASSIGN_OR_RETURN(std::string frame, LoadFrame(module, options));
  HLOCTS_RETURN_IF_ERROR(Send(frame, options));
  if (absl::Status loaded = Loaded(options); !loaded.ok()) return Judged(loaded, module, options);
  return std::unique_ptr<Executable>(std::make_unique<WorkerExecutable>(*this, options, loads_));
}

bool WorkerBackend::RefusesConstant(int64_t replicas, int64_t partitions, LoadOptions options) {
  auto [at, first] = refuses_constant_.try_emplace({replicas, partitions}, false);
  if (!first) return at->second;
  auto constant = ParseModule("HloModule constant\nENTRY e { ROOT c = f32[] constant(1) }\n");
  HLOCTS_CHECK(constant.ok());
  (*constant)->replica_count = options.replicas = replicas;
  (*constant)->num_partitions = options.partitions = partitions;
  options.reuse = false;
  if (!BeginLoad().ok()) return false;
  const auto frame = LoadFrame(**constant, options);
  if (!frame.ok() || !Send(*frame, options).ok()) return false;
  const absl::Status loaded = Loaded(options);
  return at->second = !loaded.ok() && OutcomeOf(loaded) == Outcome::kRejected;
}

// Converts a rejection that is not due to the module to kUnimplemented or kUnavailable: the engine
// has no handler for a custom call (ruling 0069), or it also rejects a module that returns a
// constant, because of the number of devices or the engine's options.
absl::Status WorkerBackend::Judged(const absl::Status& failure, const Module& module,
                                   const LoadOptions& options) {
  if (OutcomeOf(failure) != Outcome::kRejected) return failure;
  EngineError error = ErrorOf(failure);
  if (VerifyModule(module).ok()) error.target = TargetNamed(error.message, module);
  if (!error.target.empty()) {
    error.kind = ErrorKind::kNoHandler;
    return EngineStatus(absl::StatusCode::kUnimplemented, error);
  }
  if (!RefusesConstant(options.replicas, options.partitions, options)) return failure;
  error.kind = ErrorKind::kRejectsEveryModule;
  if (RefusesConstant(1, 1, options)) {
    const bool with_options = command_.name.find('?') != std::string::npos;
    absl::StrAppend(&error.message, with_options ? " (with these options " : " (",
                    "the engine rejects every module)");
    return EngineStatus(absl::StatusCode::kUnavailable, error);
  }
  absl::StrAppend(&error.message, " (the engine rejects every module of ", options.replicas,
                  " replicas and ", options.partitions, " partitions)");
  return EngineStatus(absl::StatusCode::kUnimplemented, error);
}

// Sends Load and Execute together if the worker supports this and an empty pipe can hold both. With
// a smaller pipe, the driver would block if the worker hung before reading them.
absl::StatusOr<ExecuteResult> WorkerBackend::LoadAndExecute(const Module& module,
                                                            const LoadOptions& options,
                                                            const ExecuteRequest& request) {
  HLOCTS_RETURN_IF_ERROR(BeginLoad());
  HLOCTS_ASSIGN_OR_RETURN(std::string load, LoadFrame(module, options));
  HLOCTS_ASSIGN_OR_RETURN(std::string execute, ExecuteFrame(request));
  const bool at_once =
      worker_->hello().answers_ahead() && load.size() + execute.size() <= kSentAtOnceMax;
  HLOCTS_RETURN_IF_ERROR(Send(at_once ? absl::StrCat(load, execute) : load, options));
  absl::Status loaded = Loaded(options);
  if (at_once) {
    absl::StatusOr<ExecuteResult> result = Results(options);  // awaited even if the load failed
    return loaded.ok() ? std::move(result) : loaded;
  }
  HLOCTS_RETURN_IF_ERROR(loaded);
  HLOCTS_RETURN_IF_ERROR(Send(execute, options));
  return Results(options);
}

RunOutcome WorkerBackend::Run(const Module& module, const LoadOptions& options,
                              const ExecuteRequest& request) {
  const auto start = Clock::now();
  absl::StatusOr<ExecuteResult> result = LoadAndExecute(module, options, request);
  if (!result.ok()) result = Judged(result.status(), module, options);
  RunOutcome outcome = OutcomeFrom(std::move(result));
  const std::chrono::duration<double> all = Clock::now() - start;
  outcome.load_seconds = std::max(0.0, all.count() - outcome.result.seconds);
  return outcome;
}

}  // namespace

double StartSecondsMax() { return g_start_seconds_max; }
void SetStartSecondsMax(double seconds) { g_start_seconds_max = seconds; }

std::unique_ptr<Backend> MakeWorkerBackend(WorkerCommand command) {
  return std::make_unique<WorkerBackend>(std::move(command));
}

}  // namespace hlocts::backends
