#include "backends/frame.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

namespace hlocts {

absl::Status WriteFrame(int fd, const std::string& message) {
  std::string frame;
  uint64_t length = message.size();
  do {
    frame.push_back(static_cast<char>((length & 0x7f) | (length > 0x7f ? 0x80 : 0)));
    length >>= 7;
  } while (length > 0);
  frame += message;
  size_t written = 0;
  while (written < frame.size()) {
    ssize_t n = write(fd, frame.data() + written, frame.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::AbortedError(absl::StrCat("writing a frame: ", std::strerror(errno)));
    written += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FrameReader::TakeFrame(std::string& frame) {
  uint64_t length = 0;
  size_t at = 0;
  for (int shift = 0;; shift += 7, ++at) {
    if (at >= buffer_.size()) return false;
    if (shift > 35) return absl::DataLossError("frame length of more than five bytes");
    uint8_t byte = static_cast<uint8_t>(buffer_[at]);
    length |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  ++at;
  if (length > kFrameBytesMax) {
    return absl::DataLossError(absl::StrCat("frame of ", length, " bytes"));
  }
  if (buffer_.size() - at < length) return false;
  frame = buffer_.substr(at, length);
  buffer_.erase(0, at + length);
  return true;
}

absl::StatusOr<std::string> FrameReader::Read(double seconds) {
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::duration<double>(seconds < 0 ? 1e8 : seconds);
  std::string frame;
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(bool complete, TakeFrame(frame));
    if (complete) return frame;
    double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
    if (left < 0) return absl::DeadlineExceededError("no frame in time");
    pollfd poll_fd = {fd_, POLLIN, 0};
    int ready = poll(&poll_fd, 1, static_cast<int>(std::min(left * 1000 + 1, 1e8)));
    if (ready < 0 && errno != EINTR) return absl::InternalError(std::strerror(errno));
    if (ready <= 0) continue;
    char chunk[1 << 16];
    ssize_t n = read(fd_, chunk, sizeof(chunk));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::OutOfRangeError("the stream ended");
    buffer_.append(chunk, static_cast<size_t>(n));
  }
}

}  // namespace hlocts
