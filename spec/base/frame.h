// SPDX-License-Identifier: Apache-2.0
// Frames of the worker protocol (backends/worker.proto). A frame is a varint length and a message.
// An engine in C++ needs only this file and backends/worker/wire.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "spec/base/status.h"

namespace hlocts {

// The longest frame that is read, in bytes.
inline constexpr uint64_t kFrameBytesMax = uint64_t{1} << 31;

// Appends the length and bytes of a message to `frames`.
void AppendFrame(absl::string_view message, std::string& frames);
// Writes frames to a file descriptor. Returns kAborted if the other end no longer reads.
absl::Status WriteFrames(int fd, absl::string_view frames);
absl::Status WriteFrame(int fd, absl::string_view message);

// Reads frames from a file descriptor, which may deliver them in pieces.
class FrameReader {
 public:
  explicit FrameReader(int fd) : fd_(fd) {}
  // Lowers the limit of a frame.
  void set_bytes_max(uint64_t bytes) { bytes_max_ = std::min(bytes, kFrameBytesMax); }
  // Returns the next frame, after waiting at most `seconds` (negative: forever). kDeadlineExceeded:
  // no complete frame arrived in time; the call may be repeated. kOutOfRange: the stream ended.
  // kDataLoss: the length is invalid.
  absl::StatusOr<std::string> Read(double seconds = -1);
  // Returns true if the next frame is already in the buffer.
  bool HasFrame() const;

 private:
  struct Extent {
    size_t begin, end;
  };
  using Clock = std::chrono::steady_clock;
  // Waits until a read would not block. Returns kDeadlineExceeded if `deadline` passes first.
  absl::Status Await(Clock::time_point deadline);
  // Returns the extent of the first frame in the buffer, or nullopt while the frame is incomplete.
  absl::StatusOr<std::optional<Extent>> Front() const;
  absl::StatusOr<bool> TakeFrame(std::string& frame);
  int fd_;
  uint64_t bytes_max_ = kFrameBytesMax;
  std::string buffer_;
};

}  // namespace hlocts
