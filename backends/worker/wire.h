// SPDX-License-Identifier: Apache-2.0
// Conversions between literals or statuses and messages of worker.proto.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "backends/worker.pb.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"

namespace hlocts::backends {

// A file that both processes map, for large arrays of the worker protocol. A request fills it from
// the start. When the worker has read the request, the reply overwrites it from the start.

// Smaller arrays are sent in the message, because mapping them costs more than it saves.
inline constexpr uint64_t kSharedMemoryThreshold = 1 << 16;

class SharedMemory {
 public:
  // Creates a file whose only name is in this process's /proc entry or in /dev/shm.
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Create();
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Open(const std::string& path);
  ~SharedMemory();

  const std::string& path() const { return path_; }
  int fd() const { return fd_; }
  void Rewind() { used_ = 0; }  // forgets appended bytes
  // Copies bytes to the end, growing the file, and returns their offset.
  absl::StatusOr<uint64_t> Append(absl::string_view bytes);
  // Returns a view, valid until the next Append or View; an error if the file has no such range.
  absl::StatusOr<absl::string_view> View(uint64_t offset, uint64_t size);

 private:
  SharedMemory(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  absl::Status Map(uint64_t size);
  int fd_;
  std::string path_;
  char* data_ = nullptr;
  uint64_t mapped_ = 0;
  uint64_t used_ = 0;
};

// Writes a leaf. If `memory` is null, the message contains all data.
absl::Status LeafToWire(const Literal& leaf, SharedMemory* memory, worker::Value* value);
absl::StatusOr<Literal> LeafFromWire(const worker::Value& value, SharedMemory* memory);

using DeviceValuesField = google::protobuf::RepeatedPtrField<worker::DeviceValues>;
absl::Status DevicesToWire(const std::vector<std::vector<Literal>>& devices, SharedMemory* memory,
                           DeviceValuesField* field);
absl::StatusOr<std::vector<std::vector<Literal>>> DevicesFromWire(const DeviceValuesField& field,
                                                                  SharedMemory* memory);

// Returns UTF-8 in which control characters, except line feeds and tabs, are written as "\x1b", so
// that the text of an engine cannot command a terminal.
std::string Visible(absl::string_view text);

void StatusToWire(const absl::Status& status, worker::Error* error);
absl::Status StatusFromWire(const worker::Error& error);

}  // namespace hlocts::backends
