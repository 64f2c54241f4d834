// Frames of the worker protocol: a varint length, then the message (worker.proto). This file and
// wire.h are all that an engine in C++ needs.
#ifndef HLOCTS_BACKENDS_FRAME_H_
#define HLOCTS_BACKENDS_FRAME_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "spec/base/status.h"

namespace hlocts {

// A frame longer than this is rubbish, not data.
inline constexpr uint64_t kFrameBytesMax = uint64_t{1} << 31;

// Writes length and bytes to a file descriptor; kAborted when the reader has gone.
absl::Status WriteFrame(int fd, const std::string& message);

// Reads frames from a file descriptor, which may deliver them in pieces.
class FrameReader {
 public:
  explicit FrameReader(int fd) : fd_(fd) {}
  // Waits at most `seconds` (negative: for ever). kDeadlineExceeded: nothing whole came in time,
  // the call may be repeated. kOutOfRange: the stream ended. kDataLoss: the length is no sensible
  // one.
  absl::StatusOr<std::string> Read(double seconds = -1);

 private:
  using Clock = std::chrono::steady_clock;
  // Until something can be read.
  absl::Status Await(Clock::time_point deadline);
  absl::StatusOr<bool> TakeFrame(std::string& frame);
  int fd_;
  std::string buffer_;
};

}  // namespace hlocts

#endif  // HLOCTS_BACKENDS_FRAME_H_
