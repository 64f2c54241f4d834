// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/worker_connection.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "backends/worker/last_words.h"

namespace hlocts::backends {
namespace {

constexpr double kPollSeconds = 0.02;  // interval of time checks
// Memory is checked less often: a check reads a file per thread, and most modules finish earlier.
constexpr int kPollsPerMemory = 5;

void MakeVisible(std::string* text) { *text = Visible(*text); }

// Applies Visible to all texts of a reply that people read.
void MakeTextsVisible(worker::Reply& reply) {
  if (reply.has_error()) {
    MakeVisible(reply.mutable_error()->mutable_message());
    MakeVisible(reply.mutable_error()->mutable_target());
  } else if (reply.has_hello()) {
    worker::HelloReply& hello = *reply.mutable_hello();
    for (std::string* text :
         {hello.mutable_name(), hello.mutable_version(), hello.mutable_unavailable_reason()})
      MakeVisible(text);
    for (std::string& word : *hello.mutable_capabilities()) MakeVisible(&word);
    for (std::string& fact : *hello.mutable_facts()) MakeVisible(&fact);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerConnection>> WorkerConnection::Start(
    const std::vector<std::string>& argv, double start_seconds) {
  auto worker = std::make_unique<WorkerConnection>();
  HLOCTS_ASSIGN_OR_RETURN(worker->memory_, SharedMemory::Create());
  HLOCTS_ASSIGN_OR_RETURN(worker->process_, WorkerProcess::Start(argv));
  worker->reader_ = std::make_unique<FrameReader>(worker->process_->output_fd());
  worker::Request request;
  request.mutable_hello()->set_protocol_version(1);
  request.mutable_hello()->set_shared_memory_path(worker->memory_->path());
  request.mutable_hello()->set_shared_memory_threshold(kSharedMemoryThreshold);
  LoadOptions patience;
  patience.timeout_seconds = start_seconds;
  patience.memory_bytes_max = 0;
  std::string frame;
  AppendFrame(request.SerializeAsString(), frame);
  absl::Status sent = worker->Send(frame, patience);
  auto reply = sent.ok() ? worker->Receive(patience) : sent;
  if (!reply.ok()) {
    EngineError error = ErrorOf(reply.status());
    error.message = absl::StrCat("the worker did not start: ", error.message);
    return EngineStatus(absl::StatusCode::kUnavailable, error);
  }
  // Detects a command like `cat`, which copies its input. The copy of the request looks like an
  // answer in the same version, with the shared memory's path in the field of the name.
  if (reply->hello().name() == request.hello().shared_memory_path()) {
    return absl::UnavailableError(
        "the program echoes its input: it does not implement the worker protocol "
        "(backends/worker.proto)");
  }
  if (!reply->has_hello() || reply->hello().protocol_version() != 1) {
    return absl::UnavailableError("the worker did not send a hello of protocol version 1");
  }
  worker->hello_ = reply->hello();
  if (!worker->hello_.uses_shared_memory()) worker->memory_.reset();
  return worker;
}

void WorkerConnection::BeginModule() { process_->DiscardStderr(); }

absl::Status WorkerConnection::Send(absl::string_view frames, const LoadOptions& limits) {
  const Deadline deadline = Clock::now() + std::chrono::duration<double>(limits.timeout_seconds);
  for (int poll = 1; !frames.empty(); ++poll) {
    ssize_t n = write(process_->input_fd(), frames.data(), frames.size());
    if (n < 0 && errno != EAGAIN && errno != EINTR) return Died();
    frames.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
    if (frames.empty()) break;
    pollfd input = {process_->input_fd(), POLLOUT, 0};
    ::poll(&input, 1, static_cast<int>(kPollSeconds * 1000));
    HLOCTS_RETURN_IF_ERROR(KillOnDeadline(limits, deadline, poll % kPollsPerMemory == 0));
  }
  return absl::OkStatus();
}

absl::StatusOr<worker::Reply> WorkerConnection::Receive(const LoadOptions& limits) {
  const Deadline deadline = Clock::now() + std::chrono::duration<double>(limits.timeout_seconds);
  if (limits.memory_bytes_max > 0)
    reader_->set_bytes_max(static_cast<uint64_t>(limits.memory_bytes_max));
  for (int poll = 1;; ++poll) {
    auto frame = reader_->Read(kPollSeconds);
    if (frame.ok()) {
      worker::Reply reply;
      if (!reply.ParseFromString(*frame)) return MalformedReply("a frame that is not a reply");
      MakeTextsVisible(reply);
      return reply;
    }
    if (absl::IsOutOfRange(frame.status())) return Died();
    if (!absl::IsDeadlineExceeded(frame.status())) return MalformedReply(frame.status().message());
    HLOCTS_RETURN_IF_ERROR(KillOnDeadline(limits, deadline, poll % kPollsPerMemory == 0));
  }
}

bool WorkerConnection::ExceedsMemory(const LoadOptions& limits, bool peak) const {
  return limits.memory_bytes_max > 0 &&
         process_->ResidentBytes(peak) + (memory_ ? AllocatedBytes(memory_->fd()) : 0) >
             limits.memory_bytes_max;
}

absl::Status WorkerConnection::KillOnDeadline(const LoadOptions& limits, Deadline deadline,
                                              bool look_at_memory) {
  absl::Status status;
  if (Clock::now() > deadline) {
    status = absl::DeadlineExceededError(absl::StrCat(
        "the engine did not answer within ", limits.timeout_seconds, " s and was killed",
        ExceedsMemory(limits, /*peak=*/true)
            ? absl::StrCat("; its memory had exceeded its limit of ", limits.memory_bytes_max,
                           " bytes")
        : SaysOutOfMemory(process_->ErrorTail()) ? "; it wrote that an allocation failed"
                                                 : ""));
  } else if (limits.stop && limits.stop()) {
    status = absl::DeadlineExceededError("the caller stopped waiting, and the engine was killed");
  } else if (look_at_memory && ExceedsMemory(limits, /*peak=*/false)) {
    status = absl::AbortedError(absl::StrCat("the engine used more memory than its limit of ",
                                             limits.memory_bytes_max, " bytes and was killed"));
  }
  if (!status.ok()) process_->Kill();
  return status;
}

absl::Status WorkerConnection::Died() {
  EngineError error{.message = absl::StrCat("worker ", process_->DescribeEnd()),
                    .log = Visible(process_->ErrorTail()),
                    .signal = process_->end_signal()};
  if (error.signal != 0) error.kind = ErrorKind::kSignal;
  ReadAssertion(error);
  return EngineStatus(absl::StatusCode::kAborted, error);
}

absl::Status WorkerConnection::MalformedReply(absl::string_view what) {
  process_->Kill();
  return absl::AbortedError(absl::StrCat("the worker broke the protocol: ", what));
}

}  // namespace hlocts::backends
