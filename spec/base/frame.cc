// SPDX-License-Identifier: Apache-2.0
#include "spec/base/frame.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

namespace hlocts {

void AppendFrame(absl::string_view message, std::string& frames) {
  uint64_t length = message.size();
  do {
    frames.push_back(static_cast<char>((length & 0x7f) | (length > 0x7f ? 0x80 : 0)));
    length >>= 7;
  } while (length > 0);
  frames.append(message.data(), message.size());
}

absl::Status WriteFrames(int fd, absl::string_view frames) {
  while (!frames.empty()) {
    ssize_t n = write(fd, frames.data(), frames.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::AbortedError(absl::StrCat("cannot write: ", std::strerror(errno)));
    frames.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status WriteFrame(int fd, absl::string_view message) {
  std::string frame;
  AppendFrame(message, frame);
  return WriteFrames(fd, frame);
}

absl::StatusOr<std::optional<FrameReader::Extent>> FrameReader::Front() const {
  uint64_t length = 0;
  size_t at = 0;
  for (int shift = 0;; shift += 7, ++at) {
    if (at >= buffer_.size()) return std::nullopt;
    if (shift > 35) return absl::DataLossError("the length of a frame exceeds five bytes");
    uint8_t byte = static_cast<uint8_t>(buffer_[at]);
    length |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  ++at;
  if (length > bytes_max_) {
    return absl::DataLossError(
        absl::StrCat("a frame of ", length, " bytes is larger than the limit of ", bytes_max_));
  }
  if (buffer_.size() - at < length) return std::nullopt;
  return Extent{at, at + static_cast<size_t>(length)};
}

bool FrameReader::HasFrame() const {
  auto front = Front();
  return front.ok() && front->has_value();
}

absl::StatusOr<bool> FrameReader::TakeFrame(std::string& frame) {
  HLOCTS_ASSIGN_OR_RETURN(const std::optional<Extent> front, Front());
  if (!front) return false;
  frame = buffer_.substr(front->begin, front->end - front->begin);
  buffer_.erase(0, front->end);
  return true;
}

absl::Status FrameReader::Await(Clock::time_point deadline) {
  while (true) {
    double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    if (left < 0) return absl::DeadlineExceededError("no frame arrived within the time limit");
    pollfd poll_fd = {fd_, POLLIN, 0};
    int ready = poll(&poll_fd, 1, static_cast<int>(std::min(left * 1000 + 1, 1e8)));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return absl::InternalError(std::strerror(errno));
  }
}

absl::StatusOr<std::string> FrameReader::Read(double seconds) {
  // A caller without a timeout sleeps in read() itself, which saves a system call per frame.
  bool waits_for_ever = seconds < 0;
  Clock::time_point deadline;
  if (!waits_for_ever)
    deadline = Clock::now() + std::chrono::microseconds(std::llround(seconds * 1e6));
  std::string frame;
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(bool complete, TakeFrame(frame));
    if (complete) return frame;
    if (!waits_for_ever) HLOCTS_RETURN_IF_ERROR(Await(deadline));
    char chunk[1 << 16];
    ssize_t n = read(fd_, chunk, sizeof(chunk));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::OutOfRangeError("the stream ended");
    buffer_.append(chunk, static_cast<size_t>(n));
  }
}

}  // namespace hlocts
