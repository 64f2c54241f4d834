// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/worker_server.h"

#include <fenv.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "backends/worker/wire.h"
#include "spec/base/frame.h"
#include "spec/base/json_text.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {
namespace {

// Checks that a run does not change arguments that were not donated (aliasing.19). An engine may
// write to its arguments in place if the module has aliases.

class KeptArguments {
 public:
  // Copies the arguments, unless the module has neither aliases nor donors.
  KeptArguments(const Module& module, const ExecuteRequest& request);
  // Sets `changed` in the states of leaves whose bits differ now, on any device.
  void Compare(const ExecuteRequest& request, std::vector<ArgumentState>& states) const;

 private:
  std::vector<std::vector<std::string>> bytes_;  // [device][leaf]; empty for donated leaves
};

std::string BytesOf(const Literal& literal) {
  if (!literal.shape().IsArray() || literal.raw_size() == 0) return "";
  return std::string(reinterpret_cast<const char*>(literal.raw_data()), literal.raw_size());
}

KeptArguments::KeptArguments(const Module& module, const ExecuteRequest& request) {
  if (module.input_output_alias.empty() && module.buffer_donor.empty()) return;
  for (const std::vector<Literal>& leaves : request.arguments) {
    std::vector<std::string>& device = bytes_.emplace_back();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto& donated = request.donated_leaves;
      const bool given =
          std::find(donated.begin(), donated.end(), static_cast<int64_t>(i)) != donated.end();
      device.push_back(given ? "" : BytesOf(leaves[i]));
    }
  }
}

void KeptArguments::Compare(const ExecuteRequest& request,
                            std::vector<ArgumentState>& states) const {
  for (size_t d = 0; d < bytes_.size(); ++d) {
    for (size_t i = 0; i < bytes_[d].size(); ++i) {
      if (bytes_[d][i].empty() || bytes_[d][i] == BytesOf(request.arguments[d][i])) continue;
      const int64_t leaf = static_cast<int64_t>(i);
      auto state = std::find_if(states.begin(), states.end(),
                                [&](const ArgumentState& s) { return s.leaf == leaf; });
      if (state == states.end()) state = states.insert(states.end(), ArgumentState{leaf});
      state->changed = true;
    }
  }
}

constexpr uint32_t kProtocolVersion = 1;
constexpr std::chrono::milliseconds kReplyDelayMax(10);

class Server {
 public:
  Server(Backend& backend, int input_fd, int output_fd)
      : backend_(backend), reader_(input_fd), output_fd_(output_fd) {}

  absl::Status Serve() {
    std::string replies;
    while (true) {
      auto frame = reader_.Read();
      if (absl::IsOutOfRange(frame.status())) return absl::OkStatus();
      HLOCTS_RETURN_IF_ERROR(frame.status());
      const auto start = std::chrono::steady_clock::now();
      worker::Request request;
      if (!request.ParseFromString(*frame)) return absl::DataLossError("no request");
      if (request.kind_case() == worker::Request::kCancel) continue;  // no reply is pending here
      AppendFrame(Answer(std::move(request)).SerializeAsString(), replies);
      // Delays replies while the client has already sent another request, so that the client is not
      // woken for each reply. A reply to a slow request is sent at once.
      const bool quick = std::chrono::steady_clock::now() - start < kReplyDelayMax;
      if (quick && reader_.HasFrame()) continue;
      HLOCTS_RETURN_IF_ERROR(WriteFrames(output_fd_, replies));
      replies.clear();
    }
  }

 private:
  worker::Reply Answer(worker::Request request) {
    worker::Reply reply;
    absl::Status status = Dispatch(request, reply);
    if (!status.ok()) StatusToWire(status, reply.mutable_error());
    return reply;
  }

  absl::Status Dispatch(worker::Request& request, worker::Reply& reply) {
    switch (request.kind_case()) {
      case worker::Request::kHello:
        return Greet(request.hello(), *reply.mutable_hello());
      case worker::Request::kLoad:
        HLOCTS_RETURN_IF_ERROR(Load(std::move(*request.mutable_load())));
        reply.set_loaded(true);
        return absl::OkStatus();
      case worker::Request::kExecute:
        return Execute(request.execute(), *reply.mutable_results());
      case worker::Request::kOptimizedModule:
        return OptimizedModule(*reply.mutable_converted());
      default:
        return absl::UnimplementedError("unknown kind of request");
    }
  }

  absl::Status Greet(const worker::Hello& hello, worker::HelloReply& reply) {
    BackendInfo info = backend_.info();
    reply.set_protocol_version(kProtocolVersion);
    reply.set_name(AsUtf8(info.name));
    reply.set_version(AsUtf8(info.version));
    for (const std::string& word : info.capabilities) reply.add_capabilities(word);
    for (const std::string& fact : info.facts) reply.add_facts(fact);
    if (!info.available) reply.set_unavailable_reason(AsUtf8(info.error.Text()));
    if (!hello.shared_memory_path().empty()) {
      auto memory = SharedMemory::Open(hello.shared_memory_path());
      if (memory.ok()) memory_ = *std::move(memory);
    }
    reply.set_uses_shared_memory(memory_ != nullptr);
    reply.set_answers_ahead(true);
    // Our engines must reject a malformed module when they verify it, so parsing must not fail.
    if (absl::c_linear_search(info.capabilities, "our-parser"))
      malformed_ = Malformed::kKeepExecutable;
    return absl::OkStatus();
  }

  absl::Status Load(worker::Load load) {
    const bool reuse = load.reuse();
    load.clear_reuse();
    if (reuse && executable_ && load.SerializeAsString() == loaded_.SerializeAsString())
      return absl::OkStatus();
    executable_.reset();
    loaded_ = std::move(load);
    module_.reset();
    LoadOptions options;
    options.replicas = loaded_.replicas();
    options.partitions = loaded_.partitions();
    options.rng_seed = loaded_.rng_seed();
    options.steps_max = loaded_.steps_max();
    options.memory_bytes_max = loaded_.memory_bytes_max();
    options.custom_calls = loaded_.custom_calls();
    options.reuse = reuse;
    HLOCTS_ASSIGN_OR_RETURN(executable_, backend_.LoadSerialized(loaded_.module_proto(), options));
    if (executable_) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(module_, ParseSerializedModule(loaded_.module_proto(), malformed_));
    HLOCTS_ASSIGN_OR_RETURN(executable_, backend_.Load(*module_, options));
    return absl::OkStatus();
  }

  absl::Status Execute(const worker::Execute& execute, worker::Results& results) {
    if (!executable_) return absl::FailedPreconditionError("execute before a successful load");
    ExecuteRequest request;
    HLOCTS_ASSIGN_OR_RETURN(request.arguments, DevicesFromWire(execute.arguments(), memory_.get()));
    HLOCTS_ASSIGN_OR_RETURN(request.infeed, DevicesFromWire(execute.infeed(), memory_.get()));
    request.donated_leaves.assign(execute.donated_leaves().begin(), execute.donated_leaves().end());
    request.runs = std::max<int64_t>(execute.runs(), 1);
    std::optional<KeptArguments> kept;
    if (module_) kept.emplace(*module_, request);
    HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result, executable_->Execute(request));
    if (kept) kept->Compare(request, result.arguments);
    if (memory_) memory_->Rewind();
    HLOCTS_RETURN_IF_ERROR(DevicesToWire(result.outputs, memory_.get(), results.mutable_outputs()));
    HLOCTS_RETURN_IF_ERROR(DevicesToWire(result.outfeed, memory_.get(), results.mutable_outfeed()));
    for (const ArgumentState& state : result.arguments) {
      worker::ArgumentState* out = results.add_arguments();
      out->set_leaf(state.leaf);
      out->set_consumed(state.consumed);
      out->set_aliased_output(state.aliased_output);
      out->set_changed(state.changed);
    }
    results.set_seconds(result.seconds);
    results.mutable_seconds_of_runs()->Add(result.seconds_of_runs.begin(),
                                           result.seconds_of_runs.end());
    return absl::OkStatus();
  }

  absl::Status OptimizedModule(std::string& module) {
    if (!executable_) return absl::FailedPreconditionError("query before a successful load");
    HLOCTS_ASSIGN_OR_RETURN(module, executable_->OptimizedModule());
    return absl::OkStatus();
  }

  Backend& backend_;
  FrameReader reader_;
  int output_fd_;
  Malformed malformed_ = Malformed::kRefused;
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Module> module_;  // null if the engine loaded the serialized module
  std::unique_ptr<Executable> executable_;
  worker::Load loaded_;  // the module of executable_
};

}  // namespace

absl::Status ServeWorker(Backend& backend, int input_fd, int output_fd) {
  HLOCTS_RETURN_IF_ERROR(CheckFloatingPointEnvironment());
  return Server(backend, input_fd, output_fd).Serve();
}

int ReserveStandardOutput() {
  int output_fd = dup(STDOUT_FILENO);
  HLOCTS_CHECK(output_fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
  return output_fd;
}

absl::Status CheckFloatingPointEnvironment() {
  volatile double tiny = 4.9406564584124654e-324;
  volatile float tiny_float = 1.4e-45f;
  bool keeps_subnormals = tiny + 0.0 != 0.0 && tiny * 1.0 != 0.0 && tiny_float * 1.0f != 0.0f;
  if (fegetround() == FE_TONEAREST && keeps_subnormals) return absl::OkStatus();
  return absl::InternalError(
      "floating-point environment: expected rounding to nearest with subnormals, found another "
      "mode");
}

}  // namespace hlocts::backends
