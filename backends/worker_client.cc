#include "backends/worker_client.h"

#include <algorithm>
#include <chrono>

#include "backends/frame.h"
#include "backends/wire.h"
#include "backends/worker_process.h"
#include "spec/proto/convert.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kHelloSecondsMax = 120;  // loading an 813 MiB library from a cold disk
constexpr double kPollSeconds = 0.02;     // how often memory and time are looked at

// One process and the conversation with it.
class Worker {
 public:
  static absl::StatusOr<std::unique_ptr<Worker>> Start(const WorkerCommand& command) {
    auto worker = std::unique_ptr<Worker>(new Worker());
    HLOCTS_ASSIGN_OR_RETURN(worker->memory_, SharedMemory::Create());
    HLOCTS_ASSIGN_OR_RETURN(worker->process_, WorkerProcess::Start(command.argv));
    worker->reader_ = std::make_unique<FrameReader>(worker->process_->output_fd());
    worker::Request request;
    request.mutable_hello()->set_protocol_version(1);
    request.mutable_hello()->set_shared_memory_path(worker->memory_->path());
    request.mutable_hello()->set_shared_memory_threshold(kSharedMemoryThreshold);
    LoadOptions patience;
    patience.timeout_seconds = kHelloSecondsMax;
    patience.memory_bytes_max = 0;
    auto reply = worker->Ask(request, patience);
    if (!reply.ok()) {
      return absl::UnavailableError(
          absl::StrCat("worker did not start: ", reply.status().message()));
    }
    if (!reply->has_hello() || reply->hello().protocol_version() != 1) {
      return absl::UnavailableError("worker answered no hello of protocol version 1");
    }
    worker->hello_ = reply->hello();
    if (!worker->hello_.uses_shared_memory()) worker->memory_.reset();
    return worker;
  }

  const worker::HelloReply& hello() const { return hello_; }
  SharedMemory* memory() { return memory_.get(); }

  // kAborted, kDeadlineExceeded and kDataLoss end the process: the caller must drop this worker.
  absl::StatusOr<worker::Reply> Ask(const worker::Request& request, const LoadOptions& limits) {
    if (!WriteFrame(process_->input_fd(), request.SerializeAsString()).ok()) return Died();
    auto deadline = Clock::now() + std::chrono::duration<double>(limits.timeout_seconds);
    while (true) {
      auto frame = reader_->Read(kPollSeconds);
      if (frame.ok()) {
        worker::Reply reply;
        if (!reply.ParseFromString(*frame)) return Rubbish("a frame that is no reply");
        return reply;
      }
      if (absl::IsOutOfRange(frame.status())) return Died();
      if (!absl::IsDeadlineExceeded(frame.status())) return Rubbish(frame.status().message());
      if (Clock::now() > deadline) {
        process_->Kill();
        return absl::DeadlineExceededError(
            absl::StrCat("no answer within ", limits.timeout_seconds, " s; killed"));
      }
      if (limits.stop && limits.stop()) {
        process_->Kill();
        return absl::DeadlineExceededError("nobody waits any more; killed");
      }
      if (limits.memory_bytes_max > 0 && process_->ResidentBytes() > limits.memory_bytes_max) {
        process_->Kill();
        return absl::AbortedError(absl::StrCat("used more than the ", limits.memory_bytes_max,
                                               " bytes of memory it may; killed"));
      }
    }
  }

 private:
  absl::Status Died() {
    std::string end = process_->DescribeEnd();
    std::string tail = process_->ErrorTail();
    return absl::AbortedError(
        absl::StrCat("worker ", end, tail.empty() ? "" : kLastWrote, tail));
  }
  absl::Status Rubbish(absl::string_view what) {
    process_->Kill();
    return absl::AbortedError(absl::StrCat("worker broke the protocol: ", what));
  }

  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<WorkerProcess> process_;
  std::unique_ptr<FrameReader> reader_;
  worker::HelloReply hello_;
};

bool EndsTheWorker(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsDeadlineExceeded(status) || absl::IsDataLoss(status);
}

class WorkerBackend : public Backend {
 public:
  explicit WorkerBackend(WorkerCommand command) : command_(std::move(command)) {}

  BackendInfo info() override {
    BackendInfo info;
    info.name = command_.name;
    absl::Status status = Ensure();
    if (!status.ok()) {
      info.available = false;
      info.reason = std::string(status.message());
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

  // Asks the present worker; drops it when the answer is its end.
  absl::StatusOr<worker::Reply> Ask(const worker::Request& request, const LoadOptions& options) {
    if (!worker_) return absl::AbortedError("the worker died before");
    auto reply = worker_->Ask(request, options);
    if (!reply.ok()) {
      worker_.reset();
      return reply.status();
    }
    if (reply->has_error()) {
      absl::Status status = StatusFromWire(reply->error());
      // Words about the process are ours alone: an engine that says "aborted" has merely refused.
      if (EndsTheWorker(status) && !absl::IsDeadlineExceeded(status)) {
        return absl::UnknownError(status.message());
      }
      return status;
    }
    return reply;
  }
  SharedMemory* memory() { return worker_ ? worker_->memory() : nullptr; }

 private:
  absl::Status Ensure() {
    if (!unavailable_.ok()) return unavailable_;
    if (worker_) return absl::OkStatus();
    auto worker = Worker::Start(command_);
    if (worker.ok() && !(*worker)->hello().unavailable_reason().empty()) {
      worker = absl::UnavailableError((*worker)->hello().unavailable_reason());
    }
    if (!worker.ok()) {
      unavailable_ = absl::UnavailableError(worker.status().message());
      return unavailable_;
    }
    worker_ = *std::move(worker);
    return absl::OkStatus();
  }

  WorkerCommand command_;
  std::unique_ptr<Worker> worker_;
  absl::Status unavailable_;
};

class WorkerExecutable : public Executable {
 public:
  WorkerExecutable(WorkerBackend& backend, LoadOptions options)
      : backend_(backend), options_(std::move(options)) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    worker::Request message;
    worker::Execute* execute = message.mutable_execute();
    SharedMemory* memory = backend_.memory();
    if (memory) memory->Rewind();
    HLOCTS_RETURN_IF_ERROR(DevicesToWire(request.arguments, memory, execute->mutable_arguments()));
    HLOCTS_RETURN_IF_ERROR(DevicesToWire(request.infeed, memory, execute->mutable_infeed()));
    for (int64_t leaf : request.donated_leaves) execute->add_donated_leaves(leaf);
    HLOCTS_ASSIGN_OR_RETURN(worker::Reply reply, backend_.Ask(message, options_));
    if (!reply.has_results())
      return absl::AbortedError("worker answered something else than results");
    return Convert(reply.results());
  }

 private:
  absl::StatusOr<ExecuteResult> Convert(const worker::Results& results) {
    ExecuteResult result;
    auto outputs = DevicesFromWire(results.outputs(), backend_.memory());
    auto outfeed = DevicesFromWire(results.outfeed(), backend_.memory());
    if (!outputs.ok() || !outfeed.ok()) {
      return absl::AbortedError(absl::StrCat(
          "worker broke the protocol: ", (outputs.ok() ? outfeed : outputs).status().message()));
    }
    result.outputs = *std::move(outputs);
    result.outfeed = *std::move(outfeed);
    for (const worker::ArgumentState& state : results.arguments()) {
      result.arguments.push_back({state.leaf(), state.consumed(), state.aliased_output()});
    }
    result.seconds = results.seconds();
    return result;
  }

  WorkerBackend& backend_;
  LoadOptions options_;
};

absl::StatusOr<std::unique_ptr<Executable>> WorkerBackend::Load(const Module& module,
                                                                const LoadOptions& options) {
  HLOCTS_RETURN_IF_ERROR(Ensure());
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
  HLOCTS_ASSIGN_OR_RETURN(worker::Reply reply, Ask(request, options));
  if (reply.kind_case() != worker::Reply::kLoaded) {
    return absl::AbortedError("worker answered something else than loaded");
  }
  return std::unique_ptr<Executable>(std::make_unique<WorkerExecutable>(*this, options));
}

}  // namespace

std::unique_ptr<Backend> MakeWorkerBackend(WorkerCommand command) {
  return std::make_unique<WorkerBackend>(std::move(command));
}

}  // namespace hlocts
